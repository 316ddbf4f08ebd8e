"""Programs that stock ExecuTorch writes for modules with control flow, with PyTorch's answers, in the format of the export corpus.

    cd tests/data && python make_stock_cases.py stock

What stock 1.5.1 refuses to write (while_loop, writes in a branch) or computes wrongly itself (a linear layer in a scan) is not here.
Needs torch, safetensors and executorch.
"""

import json
import logging
import sys
import warnings

import torch
import torch.nn as nn
from executorch.exir import to_edge
from safetensors.torch import save_file
from torch._higher_order_ops.map import map as map_
from torch._higher_order_ops.scan import scan
from torch.export import Dim
from torch.utils._pytree import tree_flatten

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
torch.manual_seed(0)
tensors, rows = {}, []
cond = torch.cond
r = torch.randn
yes, no = torch.tensor(True), torch.tensor(False)
x = r(3, 4)
any_length = {0: Dim("n", min=2, max=9)}


class Layers(nn.Module):
    """Parameters and buffers for `f(self, ...)` to use."""

    def __init__(self, f):
        super().__init__()
        self.f = f
        self.linear, self.other = nn.Linear(4, 4), nn.Linear(4, 4)
        self.register_buffer("offset", torch.linspace(-1, 1, 4))
        self.register_buffer("count", torch.zeros(4))

    def forward(self, *inputs):
        return self.f(self, *inputs)


def key(t):
    if not isinstance(t, torch.Tensor):
        return t
    tensors[str(len(tensors))] = t.detach().contiguous().clone()
    return str(len(tensors) - 1)


def case(name, f, *calls, shapes=None):
    module = Layers(f).eval()
    with torch.no_grad():
        program = torch.export.export(module, calls[0], strict=False, dynamic_shapes=None if shapes is None else {"inputs": shapes})
        program = to_edge(program).to_executorch()
        with open(f"{sys.argv[1]}/{name}.pte", "wb") as out:
            out.write(program.buffer)
        for i, inputs in enumerate([*calls, *calls]):  # twice in one session
            outputs = [key(o) for o in tree_flatten(module(*inputs), is_leaf=lambda o: o is None)[0]]
            rows.append(dict(name=f"{name}.{i}", file=f"{name}.pte", inputs=[key(t) for t in inputs], outputs=outputs))


def counted(m, p, x):
    m.count.add_(cond(p, lambda x: x * 2, lambda x: x - 1, (x,)))
    return m.count + 1


def step(c, x):
    return c + x, c * x


case("cond", lambda m, x: cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,)), (x,), (-x,))
case(
    "cond_nested",
    lambda m, x: cond(
        x.sum() > 0,
        lambda x: cond(x.max() > 2, lambda x: x / 2, lambda x: x * 2, (x,)),
        lambda x: cond(x.min() < -2, lambda x: x + 10, lambda x: x - 10, (x,)),
        (x,),
    ),
    (x.abs(),), (x.abs() * 9,), (-x.abs(),), (-x.abs() * 9,),
)
case("cond_weights", lambda m, x: cond(x.sum() > 0, lambda x: m.linear(x), lambda x: m.other(x) + m.offset, (x,)), (x,), (-x,))
case("cond_outputs", lambda m, p, x: cond(p, lambda x: (x * 2, x.sum(1)), lambda x: (x - 1, x.mean(1)), (x,)), (yes, x), (no, x))
case("cond_of_a_size", lambda m, x: cond(x.shape[0] > 4, lambda x: x.cos(), lambda x: x.sin(), (x,)), (r(3, 4),), (r(7, 4),), (r(2, 4),), shapes=(any_length,))
case("cond_of_any_length", lambda m, p, x: cond(p, lambda x: x * 2, lambda x: x.exp(), (x,)), (yes, r(3, 4)), (no, r(9, 4)), (yes, r(2, 4)), shapes=(None, any_length))
case("cond_into_a_buffer", counted, (yes, r(4)), (no, r(4)), (yes, r(4)))
case("map", lambda m, x: map_(lambda row: row * 2 + 1, x), (x,))
case("map_captured", lambda m, x, y: map_(lambda row, y: row * y, x, y), (x, r(4)))
case("map_weights", lambda m, x: map_(lambda row: m.linear(row) + m.offset, x), (x,))
case("map_any_length", lambda m, x: map_(lambda row: row * 2, x), (r(9, 4),), (r(3, 4),), (r(2, 4),), (r(5, 4),), shapes=(any_length,))
case("map_cond_inside", lambda m, x: map_(lambda row: cond(row.sum() > 0, lambda r: r * 2, lambda r: r - 1, (row,)), x), (x,), (-x,))
case("scan", lambda m, c, x: scan(step, c, x), (r(4), x))
case("scan_reverse", lambda m, c, x: scan(step, c, x, reverse=True), (r(4), x))
case("scan_carries", lambda m, c, d, x, y: scan(lambda c, x: ((c[0] + x[0], c[1] * x[1]), (c[0] - x[1], c[1].sum())), (c, d), (x, y)), (r(4), r(4), x, r(3, 4)))
case("scan_any_length", lambda m, c, x: scan(step, c, x), (r(4), x), (r(4), r(9, 4)), (r(4), r(2, 4)), shapes=(None, any_length))
case("view_of_any_length", lambda m, x: (x.view(-1, 2, 2), x.view(-1)), (r(3, 4),), (r(9, 4),), (r(2, 4),), shapes=(any_length,))

with open(f"{sys.argv[1]}/index.jsonl", "w") as f:
    for row in rows:
        f.write(json.dumps(row) + "\n")
save_file(tensors, f"{sys.argv[1]}/tensors.safetensors")
