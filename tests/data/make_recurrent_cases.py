"""Recurrent layers with what PyTorch computes for them. Batches may vary; torch.export fixes the length of the sequence.

    cd tests/data && python make_recurrent_cases.py recurrent

writes index.jsonl, tensors.safetensors and the archives in the format of the export corpus (see export_corpus_test).
"""
import json
import os
import sys

import torch
import torch.nn as nn
from safetensors.torch import save_file
from torch.export import Dim

torch.manual_seed(0)
out = sys.argv[1]
os.makedirs(out, exist_ok=True)
tensors, rows = {}, []


def key(t):
    tensors[str(len(tensors))] = t.detach().contiguous().clone()
    return str(len(tensors) - 1)


class Layer(nn.Module):
    """A layer whose results are flat; with its initial states as inputs if they are given."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x, *states):
        y, last = self.layer(x, states if len(states) > 1 else states[0] if states else None)
        return (y, *last) if isinstance(last, tuple) else (y, last)


def go(name, layer, calls, dynamic=None):
    module = Layer(layer).eval()
    states = tuple(None for _ in calls[0][1:])
    shapes = None if dynamic is None else (dynamic, states)[: 2 if states else 1]
    program = torch.export.export(module, calls[0], dynamic_shapes=shapes, strict=False)
    torch.export.save(program, f"{out}/{name}.pt2")
    for i, args in enumerate(calls):
        with torch.no_grad():
            results = module(*args)
        rows.append({"name": f"{name}_{i}", "file": f"{name}.pt2", "inputs": [key(a) for a in args], "outputs": [key(r) for r in results]})


def main():
    x = torch.randn
    batch = Dim("b", min=1, max=80)
    for cell in (nn.LSTM, nn.GRU, nn.RNN):
        name = cell.__name__.lower()
        go(f"{name}", cell(5, 20), [(x(6, 2, 5),)])
        go(f"{name}_states", cell(5, 3, num_layers=2, batch_first=True), [(x(2, 6, 5), *[x(2, 2, 3)] * (2 if cell is nn.LSTM else 1))])
        go(f"{name}_both_ways", cell(5, 4, num_layers=2, bidirectional=True, bias=False), [(x(6, 3, 5),)])
        go(f"{name}_unbatched", cell(5, 4, bidirectional=True), [(x(6, 5),)])
        go(f"{name}_dynamic_batch", cell(5, 6), [(x(7, b, 5),) for b in (3, 1, 70, 4)], {1: batch})
        go(f"{name}_double", cell(5, 4).double(), [(x(6, 2, 5).double(),)])
        go(f"{name}_half", cell(5, 4).half(), [(x(3, 2, 5).half(),)])
    go("rnn_relu", nn.RNN(5, 4, nonlinearity="relu"), [(x(7, 2, 5),)])
    go("lstm_projected", nn.LSTM(5, 12, proj_size=3, num_layers=2), [(x(7, 2, 5),)])
    go("lstm_wide", nn.LSTM(30, 130), [(x(9, 1, 30),)])
    save_file(tensors, f"{out}/tensors.safetensors")
    with open(f"{out}/index.jsonl", "w") as f:
        f.writelines(json.dumps(r) + "\n" for r in rows)


main()
