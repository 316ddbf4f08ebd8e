"""Programs that update their buffers in part, and a decoder whose methods share a cache, with what PyTorch computes for them.

    cd tests/data && python make_state_cases.py states

writes index.jsonl, tensors.safetensors and the archives in the format of export_corpus_test. "copies" tells how many
instructions of each target move a whole state: none that only update a part of it; portable kernels may, to read it. Run it under its
bare name, so that the archives name no folder of this machine. Needs torch and safetensors.
"""
import copy
import json
import logging
import os
import re
import sys
import warnings

import torch
import torch.nn as nn
from safetensors.torch import save_file
from torch.export import Dim

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
torch.manual_seed(0)
CASES, TENSORS, ROWS = {}, {}, []


class Cache(nn.Module):
    """A buffer of 3 layers of 8 rows of 4. Each case is one way to write to it."""

    def __init__(self, write, dtype=torch.float32):
        super().__init__()
        self.register_buffer("cache", torch.linspace(-1, 1, 96).reshape(3, 8, 4).to(dtype))
        self.register_buffer("other", torch.linspace(2, 3, 96).reshape(3, 8, 4).to(dtype))
        self.register_buffer("weight", torch.linspace(0.5, 1.5, 4).to(dtype))
        self.write = write

    def forward(self, *args):
        first = self.write(self, *args)
        seen = torch.matmul(self.cache, self.weight)  # [3, 8]
        return (seen,) if first is None else (seen, first)


def case(args, cpu=0, portable=None, functional=False, dtype=torch.float32):
    """For `write(module, *args)`. cpu, portable: instructions that move a whole state."""
    def add(write):
        CASES[write.__name__] = (write, args, {"cpu": cpu} if portable is None else {"cpu": cpu, "portable": portable}, functional, dtype)
        if functional:
            CASES[write.__name__ + "_functional"] = (write, args, {"cpu": cpu}, None, dtype)
        return write
    return add


def r(*sizes):
    return torch.randn(*sizes)


def at(*rows):
    return torch.tensor(rows)


@case([r(3, 2, 4)], functional=True)
def slice_of_all(m, x):
    m.cache[:, 2:4] = x


@case([r(2, 4), at(5, 1)], functional=True)
def rows_of_a_layer(m, x, pos):
    m.cache[1, pos] = x


@case([r(3, 2, 4), at(7, 0)], portable=1, functional=True)
def index_copy(m, x, pos):
    m.cache.index_copy_(1, pos, x)


@case([r(3, 1, 4), at(3)], portable=1)
def index_put(m, x, pos):
    m.cache[:, pos] = x


@case([r(2, 4), torch.tensor(3)])
def slice_from_an_input(m, x, start):
    i = start.item()
    torch._check(i >= 0)
    torch._check(i <= 6)
    m.cache[2, i:i + 2] = x


@case([r(3, 8, 4)], cpu=1)
def all_of_it(m, x):
    m.cache.copy_(x)


@case([r(2, 4), torch.tensor([[0, 1, 2, 3], [7, 6, 5, 4]])])
def scatter(m, x, index):
    m.cache[0].scatter_(0, index, x)
    m.cache[1].scatter_add_(0, index, x)
    m.cache.index_add_(1, index[0, :2], x[None].expand(3, 2, 4))


@case([r(2, 4), at(1, 6)], functional=True)
def one_after_the_other(m, x, pos):
    m.cache[0, 2:4] = x
    m.cache[1][2:4] += x
    m.cache[:, pos] = x
    m.cache[2, :, 1:3] *= 2
    m.cache[0, 2:4] = m.weight


@case([r(2, 4), at(1, 6)])
def a_reader_between(m, x, pos):
    m.cache[0, 2:4] = x
    y = m.cache.sum((0, 2))
    m.cache[:, pos] = x * y[:2, None]
    return y


@case([r(4, 3, 2)])
def transposed(m, x):
    m.cache.permute(2, 0, 1)[:, :, 3:5] = x


@case([r(2, 4), at(23, 8)])
def under_other_sizes(m, x, pos):
    m.cache.view(24, 4)[pos] = x


@case([r(4)], cpu=0)
def moved_up(m, x):
    m.cache[:, :-1] = m.cache[:, 1:].clone()
    m.cache[:, -1] = x


@case([r(2, 4)], cpu=3)
def old_value_used_later(m, x):
    old = m.cache.clone()
    m.cache[1, 2:4] = x
    return (m.cache - old).sum(2)


@case([r(2, 4)])
def old_part_returned(m, x):
    old = m.cache[1, 2:4].clone()
    m.cache[1, 2:4] = x
    return old


@case([r(2, 4)], cpu=1)
def returned(m, x):
    m.cache[1, 2:4] = x
    return m.cache


@case([r(2, 4), at(5, 1)])
def values_from_itself(m, x, pos):
    m.cache[1, pos] = m.cache[1, :2] + 0
    m.cache[:, pos] = m.cache[:, 6:8]
    m.cache[0, pos] = x


@case([r(2, 4)], cpu=3)
def exchanged(m, x):
    old = m.cache.clone()
    m.cache.copy_(m.other)
    m.other.copy_(old)
    m.cache[0, 2:4] = x


@case([r(2, 4)])
def two_states(m, x):
    m.cache[0, 2:4] = x
    m.other[0, 2:4] = m.cache[0, 3:5]
    return m.other[0]


@case([r(8, 4), torch.tensor([True, False, False, True, True, False, False, False])])
def masks(m, x, rows):
    m.cache[0].masked_fill_(x > 0, 0.5)
    m.cache[1, rows] = -1


@case([r(2, 4), at(5, 5)])
def summed(m, x, pos):
    m.cache[1].index_put_((pos,), x, accumulate=True)


@case([r(2, 4), at(5, 1)], dtype=torch.bfloat16)
def of_another_dtype(m, x, pos):
    m.cache[1, pos] = x.bfloat16()
    m.cache[0, 2:4] = x


@case([r(2, 4)])
def an_input_changes_too(m, x):
    x.add_(1)
    m.cache[0, 2:4] = x
    x.mul_(2)
    return x.sum()


class Decoder(nn.Module):
    """One layer of attention over what it has seen so far."""

    def __init__(self, width=32, heads=2, room=32, words=16):
        super().__init__()
        self.heads, self.room = heads, room
        self.embedding = nn.Embedding(words, width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, words)
        self.register_buffer("keys", torch.zeros(heads, room, width // heads))
        self.register_buffer("values", torch.zeros(heads, room, width // heads))

    def forward(self, tokens, positions):  # [n], [n]
        n = tokens.shape[0]
        q, k, v = (t.view(n, self.heads, -1).transpose(0, 1) for t in self.qkv(self.embedding(tokens)).chunk(3, -1))
        self.keys[:, positions] = k
        self.values[:, positions] = v
        scores = q @ self.keys.transpose(1, 2) * k.shape[-1] ** -0.5  # [heads, n, room]
        seen = torch.arange(self.room) <= positions[:, None]
        weights = scores.masked_fill(~seen, -1e9).softmax(-1)
        return self.out((weights @ self.values).transpose(0, 1).reshape(n, -1))


class Prefill(nn.Module):
    """The first n tokens, each in its place."""

    def __init__(self, decoder):
        super().__init__()
        for name, part in decoder.named_children():
            setattr(self, name, part)
        for name, buffer in decoder.named_buffers(recurse=False):
            self.register_buffer(name, buffer)
        self.heads, self.room = decoder.heads, decoder.room

    def forward(self, tokens):
        return Decoder.forward(self, tokens, torch.arange(tokens.shape[0]))


class Length(Prefill):
    """How many rows of the cache are in use: a method that only reads it."""

    def forward(self):
        return (self.keys != 0).any(-1).any(0).sum()


def save(program, name):
    for node in program.graph.nodes:
        if node.meta.get("stack_trace"):
            node.meta["stack_trace"] = re.sub(r'"/[^"]*/([^"/]+)"', r'"\1"', node.meta["stack_trace"])
    torch.export.save(program, os.path.join(sys.argv[1], name + ".pt2"))


def key(tensor):
    name = f"t{len(TENSORS)}"
    TENSORS[name] = tensor.detach().clone().contiguous()
    return name


def record(name, file, model, args, **more):
    inputs = [key(a) for a in args]
    with torch.no_grad():
        outputs = model(*[a.clone() for a in args])
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    ROWS.append({"name": name, "file": file, "inputs": inputs, "outputs": [key(o) for o in outputs], **more})


def updates():
    for name, (write, args, copies, functional, dtype) in CASES.items():
        model = Cache(write, dtype)
        program = torch.export.export(copy.deepcopy(model), tuple(args), strict=False)
        save(program.run_decompositions({}) if functional is None else program, name)
        for call in range(2):
            args = tuple(a * 2 if a.is_floating_point() else a.flip(0) if a.dim() else a - 1 for a in args) if call else args
            record(f"{name}.{call}", name + ".pt2", model, args, copies=copies)


def methods():
    decoder = Decoder().eval()
    prefill, length = Prefill(decoder), Length(decoder)
    tokens = torch.tensor([3, 1, 4, 1, 5])
    n = Dim("n", min=2, max=8)
    save(torch.export.export(prefill, (tokens,), dynamic_shapes=({0: n},), strict=False), "prefill")
    save(torch.export.export(decoder, (tokens[:1], torch.tensor([5])), strict=False), "decode")
    save(torch.export.export(length, (), strict=False), "length")
    file = {"prefill": "prefill.pt2", "decode": "decode.pt2", "length": "length.pt2"}

    def call(method, model, *args, **more):
        reads = 0 if method == "length" else 1  # portable kernels transpose the keys
        record(f"cache.{len(ROWS)}.{method}", file, model, args, method=method, copies={"cpu": 0, "portable": reads}, **more)

    def decode(token, position):
        call("decode", decoder, torch.tensor([token]), torch.tensor([position]))
    call("prefill", prefill, tokens)
    call("length", length)
    for position, token in enumerate([9, 2, 6], 5):
        decode(token, position)
    call("length", length)
    with torch.no_grad():
        decoder.keys.zero_()
        decoder.values.zero_()
    call("length", length, reset=True)
    call("prefill", prefill, torch.tensor([2, 7, 1]))
    for position, token in enumerate([8, 2, 8], 3):
        decode(token, position)
    call("prefill", prefill, torch.arange(8))
    decode(0, 8)
    call("length", length)


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    updates()
    methods()
    save_file(TENSORS, os.path.join(sys.argv[1], "tensors.safetensors"))
    with open(os.path.join(sys.argv[1], "index.jsonl"), "w") as index:
        index.writelines(json.dumps(row) + "\n" for row in ROWS)
    print(len(ROWS))


if __name__ == "__main__":
    # Run under its bare name, so that the stack traces in the archives do not name this machine's folders.
    with open(__file__) as source:
        exec(compile(source.read(), os.path.basename(__file__), "exec"), {"__name__": "export"})
elif __name__ == "export":
    main()
