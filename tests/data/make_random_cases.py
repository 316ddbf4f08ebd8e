"""Random operators and programs that contain them, with what PyTorch's CPU generator makes of a seed.

    cd tests/data && python make_random_cases.py random

writes operators.jsonl and operators.safetensors (calls, for op_corpus_test: a row without a seed draws on from the row before), and
index.jsonl, tensors.safetensors and the archives (programs, for export_corpus_test). Needs torch and safetensors.
"""
import itertools
import json
import logging
import os
import sys
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import save_file

from export_models import without_folders

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
aten = torch.ops.aten
CALLS, CALL_TENSORS = [], {}
F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
FLOATS = (F32, F64, F16, BF16)
INTS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)
seeds = itertools.count(1)


def encode(a):
    if a is None:
        return None
    if isinstance(a, torch.Tensor):
        key = str(len(CALL_TENSORS))
        if a.is_complex():
            CALL_TENSORS[key] = torch.view_as_real(a.contiguous()).clone()
            return {"tensor": key, "complex": True}
        CALL_TENSORS[key] = a.contiguous().clone()
        return {"tensor": key} if a.is_contiguous() else {"tensor": key, "strides": list(a.stride())}
    if isinstance(a, bool):
        return {"bool": a}
    if isinstance(a, int):
        return {"int": a}
    if isinstance(a, float):
        return {"float": a}
    if isinstance(a, torch.dtype):
        return {"dtype": str(a)[6:]}
    return {"list": [encode(x) for x in a]}


def call(op, *args, seed=True, **kwargs):
    row = {"op": f"{op._schema.name}.{op._overloadname}".replace("aten::", ""), "args": [encode(a) for a in args],
           "kwargs": {k: encode(v) for k, v in kwargs.items()}}
    if seed:
        row["seed"] = next(seeds) * 7919
        torch.manual_seed(row["seed"])
    try:
        out = op(*args, **kwargs)
    except RuntimeError as e:
        if "not implemented for" in str(e):  # PyTorch has no kernel of this dtype
            return
        raise
    row["out"] = {"list": [encode(o) for o in (out if isinstance(out, (tuple, list)) else [out])]}
    CALLS.append(row)


def operators():
    sizes = ([], [0], [1], [3], [7], [15], [16], [17], [33], [3, 0, 2], [2, 3, 5], [1, 2, 1, 2, 1], [1200])
    for dtype in FLOATS + (torch.complex64, torch.complex128):
        for size in sizes:
            call(aten.rand.default, size, dtype=dtype)
            call(aten.randn.default, size, dtype=dtype)
    call(aten.rand.default, [4])
    call(aten.randn.default, [5], seed=False)
    call(aten.randn.default, [5], seed=False)  # the number left over from the call before comes first
    call(aten.randn.default, [40], seed=False)
    call(aten.randn.default, [3], dtype=F64, seed=False)
    call(aten.randint.default, 10, [6], seed=False)
    call(aten.randperm.default, 9, seed=False)
    call(aten.rand.default, [700], seed=False)
    call(aten.rand.default, [700], seed=False)
    for x in (torch.zeros(3, 5), torch.zeros(5, 3, dtype=F16).t(), torch.zeros(2, 3, 4, 5), torch.zeros(2, 1).expand(2, 20)):
        x = x.contiguous()
        call(aten.rand_like.default, x)
        call(aten.randn_like.default, x, dtype=F64)
        call(aten.randint_like.default, x, 7)
        call(aten.randint_like.Tensor, x, torch.tensor(9))
        call(aten.randint_like.low_dtype, x, -7, 7, dtype=torch.int32)
    for high in (1, 2, 10, 127, 2**24 + 3, 2**28 - 1, 2**28, 2**31, 2**32, 2**40, 2**63 - 1):
        call(aten.randint.default, high, [20])
        call(aten.randint.low, -high, high // 2 + 1, [20])
    for dtype in FLOATS + INTS:
        call(aten.randint.default, 100, [4, 5], dtype=dtype)
        call(aten.randint.low, -50 if dtype != torch.uint8 else 3, 100, [20], dtype=dtype)
        call(aten.random.default, torch.zeros(30, dtype=dtype))
        call(aten.random.to, torch.zeros(30, dtype=dtype), 99)
        call(getattr(aten.random, "from"), torch.zeros(30, dtype=dtype), 3, None)
        call(getattr(aten.random, "from"), torch.zeros(30, dtype=dtype), 3, 100)
        call(aten.randperm.default, 20, dtype=dtype)
        call(aten.geometric.default, torch.zeros(20, dtype=dtype), 0.3)
        call(aten.bernoulli.p, torch.zeros(40, dtype=dtype), 0.3)
    call(aten.randint.default, 2, [20], dtype=torch.bool)
    call(aten.random.default, torch.zeros(20, dtype=torch.bool))
    call(aten.bernoulli.p, torch.zeros(20, dtype=torch.bool), 0.5)
    for dtype, high in ((F16, 5000), (F16, 2049), (BF16, 3000), (BF16, 257), (F32, 2**26 + 1), (F32, 2**40 - 1), (F64, 2**60 + 1)):
        call(aten.randint.low, -high, high, [30], dtype=dtype)
    for n in (0, 1, 2, 100, 1000):
        call(aten.randperm.default, n)
    for dtype in FLOATS:
        for low, high in ((0.0, 1.0), (-3.3, 5.7), (2.0, 2.0), (1e4, 1.0001e4), (-0.0, 1e-6)):
            call(aten.uniform.default, torch.zeros(500, dtype=dtype), low, high)
        for n in (5, 16, 45):
            call(aten.normal_functional.default, torch.zeros(n, dtype=dtype), 3.0, 2.5)
            call(aten.normal_functional.default, torch.zeros(n, dtype=dtype), -1.0, 0.0)
            mean, std = torch.linspace(-2, 2, n).to(dtype), torch.linspace(0, 3, n).to(dtype)
            call(aten.normal.Tensor_float, mean, 1.5)
            call(aten.normal.float_Tensor, 0.5, std)
            call(aten.normal.Tensor_Tensor, mean, std)
        call(aten.normal.Tensor_Tensor, torch.zeros(4, 1, dtype=dtype), torch.ones(3, dtype=dtype))
        call(aten.normal.float_float, 1.0, 2.0, [20], dtype=dtype)
        call(aten.log_normal.default, torch.zeros(20, dtype=dtype), 0.5, 0.25)
        call(aten.cauchy.default, torch.zeros(20, dtype=dtype), 0.5, 0.25)
        for lambd in (1.0, 0.3):
            call(aten.exponential.default, torch.zeros(50, dtype=dtype), lambd)
        p = torch.linspace(0, 1, 60, dtype=dtype).reshape(3, 20)
        call(aten.bernoulli.default, p)
        call(aten.bernoulli.default, p.t())
        call(aten.bernoulli.Tensor, torch.zeros(3, 20, dtype=dtype), p)
        call(aten.bernoulli.Tensor, torch.zeros(3, 20, dtype=torch.int32), p[1])
        for train in (True, False, None):
            for q in (0.0, 0.3, 1.0):
                call(aten.native_dropout.default, torch.linspace(-2, 2, 40, dtype=dtype).reshape(5, 8), q, train)
        call(aten.native_dropout.default, torch.tensor([float("inf"), float("nan"), 1.0, -float("inf")], dtype=dtype), 0.5, True)
        x = torch.linspace(-2, 2, 30, dtype=dtype)
        call(aten.rrelu_with_noise_functional.default, x, torch.zeros_like(x), 0.1, 0.3, True)
        call(aten.rrelu_with_noise_functional.default, x, torch.ones_like(x), 0.1, 0.3, False)
        weights = torch.tensor([[0.1, 3.0, 0.0, 2.0, 1.5, 0.7], [5.0, 1.0, 1.0, 0.0, 0.25, 1.0]], dtype=dtype)
        for w in (weights, weights[0]):
            call(aten.multinomial.default, w, 1)
            call(aten.multinomial.default, w, 4)
            call(aten.multinomial.default, w, 1, True)
            call(aten.multinomial.default, w, 12, True)
        call(aten.multinomial.default, weights.t().contiguous().t(), 12, True)
        call(aten.poisson.default, torch.tensor([0.0, 0.5, 3.0, 9.9, 10.0, 50.0, 1000.0] * 8, dtype=dtype))
        call(aten._standard_gamma.default, torch.tensor([0.1, 0.5, 1.0, 3.0, 40.0] * 8, dtype=dtype))
        call(aten._sample_dirichlet.default, torch.tensor([[0.5, 1.0, 3.0], [4.0, 0.2, 1.0]], dtype=dtype))
    for dtype in (F32, F64):
        count = torch.tensor([0.0, 1.0, 10.0, 100.0, 1000.0] * 5, dtype=dtype)
        prob = torch.tensor([0.0, 0.1, 0.5, 0.8, 1.0], dtype=dtype).repeat_interleave(5)
        call(aten.binomial.default, count, prob)


def program(name, f, inputs, training=False):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.f = f
            self.layers = nn.ModuleList(c for c in getattr(f, "layers", ()))

        def forward(self, *args):
            return self.f(*args)

    model = Model().train(training)
    exported = torch.export.export(model, inputs)
    torch.export.save(without_folders(exported), f"{name}.pt2")
    for k, seed in enumerate((67280421310721, 42)):
        torch.manual_seed(seed)
        outputs = exported.module()(*inputs)
        outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        row = {"name": f"{name} seed {seed}", "file": f"{name}.pt2", "seed": seed, "inputs": [], "outputs": []}
        for kind, tensors in (("inputs", inputs), ("outputs", outputs)):
            for i, t in enumerate(tensors):
                key = f"{name}.{k}.{kind}.{i}"
                TENSORS[key] = t.detach().contiguous().clone()
                row[kind].append(key)
        ROWS.append(row)


TENSORS, ROWS = {}, []


def programs():
    x = torch.linspace(-2, 2, 48).reshape(4, 12)
    image = torch.linspace(-1, 1, 96).reshape(2, 3, 4, 4)
    cases = {
        "noise": lambda x: x + torch.rand_like(x) * torch.randn(x.shape) + torch.randint(-3, 3, (12,)),
        "in_place": lambda x: (torch.empty(4, 12).normal_(1, 2), torch.empty(4, 12).uniform_(-1, 1), torch.zeros(20).bernoulli_(0.3),
                               torch.empty(9).exponential_(), torch.empty(5).random_(9), torch.empty(3).cauchy_(), x.clone().log_normal_(),
                               torch.zeros(5).geometric_(0.4), torch.zeros(4, 12).bernoulli_(x.sigmoid())),
        "dead": lambda x: (torch.rand(3).sum() * 0 + torch.rand(5), x),
        "unused": lambda x: [torch.randn(7), x + torch.rand(12)][1],
        "twice": lambda x: (torch.rand(4), torch.rand(4), torch.randn(3), torch.randn(3)),
        "permuted": lambda x: x[:, torch.randperm(12)],
        "masked": lambda x: x * torch.bernoulli(x.sigmoid()),
        "sampled": lambda x: (torch.multinomial(x.softmax(-1), 3), torch.multinomial(x.softmax(-1), 9, replacement=True), torch.normal(x, x.abs())),
        "dropout": lambda x: F.dropout(x, 0.3, True),
        "dropout_ends": lambda x: (F.dropout(x, 0.0, True), F.dropout(x, 1.0, True), torch.rand(3)),
        "native_dropout": lambda x: torch.native_dropout(x, 0.25, True),
        "alpha_dropout": lambda x: F.alpha_dropout(x, 0.3, True),
        "rrelu": lambda x: F.rrelu(x, 0.1, 0.4, training=True),
        "gumbel": lambda x: (F.gumbel_softmax(x, tau=0.7), F.gumbel_softmax(x, hard=True)),
        "attention": lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None], dropout_p=0.2),
    }
    for name, f in cases.items():
        program(name, f, (x,))
    for name, f in {"dropout2d": lambda x: F.dropout2d(x, 0.4, True), "feature_alpha_dropout": lambda x: F.feature_alpha_dropout(x, 0.4, True),
                    "fractional": lambda x: F.fractional_max_pool2d(x, 2, output_size=(2, 2))}.items():
        program(name, f, (image,))


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    os.chdir(sys.argv[1])
    operators()
    programs()
    with open("operators.jsonl", "w") as out:
        out.writelines(json.dumps(row) + "\n" for row in CALLS)
    save_file(CALL_TENSORS, "operators.safetensors")
    with open("index.jsonl", "w") as out:
        out.writelines(json.dumps(row) + "\n" for row in ROWS)
    save_file(TENSORS, "tensors.safetensors")
    print(f"{len(CALLS)} calls, {len(ROWS)} runs of programs")
