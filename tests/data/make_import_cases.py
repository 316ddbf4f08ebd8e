"""Exports small programs that use the corners of torch.export's archive format, for the importer's tests.

    cd tests/data && python make_import_cases.py import

The committed files were written by PyTorch 2.14.1.
"""
import os
import sys
import warnings

import torch
import torch.nn as nn
from torch.export import Dim, export, save

warnings.filterwarnings("ignore")
CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


@case
def weights():
    """Tied, transposed, overlapping and offset views; a buffer outside the state dictionary; a tensor constant."""
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            store = torch.arange(24.0)
            self.a = nn.Parameter(store[4:16].view(3, 4))
            self.b = nn.Parameter(store[4:16].view(3, 4).t())  # the same bytes, other strides
            self.tied = self.a
            self.register_buffer("spread", store[1:22:5])      # stride 5
            self.register_buffer("row", torch.tensor([7.0]).expand(6))
            self.register_buffer("hidden", torch.tensor([1.5, -2.5]), persistent=False)
            self.k = torch.tensor([[1, 2], [3, 4]])
            self.register_buffer("bf", torch.tensor([0.5, -1.0], dtype=torch.bfloat16))
            self.register_buffer("empty", torch.zeros(0, 3))

        def forward(self, x):
            y = x @ self.a @ self.b + self.tied.sum()
            return y, self.spread + self.row[:5], self.hidden * 2, self.k + 1, self.bf + 1, self.empty + 1
    return M(), (torch.ones(2, 3),), {}


@case
def inputs():
    """Nested arguments, keyword arguments, constants among them, a symbolic number."""
    class M(nn.Module):
        def forward(self, pair, n, options, flag=True, *, name="a", scale=2.0, nothing=None):
            x, rest = pair
            return {"y": x * n + rest[0] * scale, "z": options["w"] if flag else x}, n + 1, 3, None
    x = torch.ones(2)
    args = ((x, [x + 1]), 5, {"w": x * 3})
    return M(), args, dict(kwargs=dict(name="b", scale=0.5, nothing=None), dynamic_shapes=dict(
        pair=(None, [None]), n=Dim.DYNAMIC, options={"w": None}, name=None, scale=None, nothing=None))


@case
def mutation():
    """In place: an input, a buffer through a slice of a view, a buffer that only an operator without marks changes."""
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("cache", torch.zeros(2, 4))
            self.register_buffer("fixed", torch.ones(4))
            self.bn = nn.BatchNorm1d(4, affine=False).train()

        def forward(self, x):
            x.add_(1)
            self.cache.t()[1:3].copy_(x.t()[:2])
            return self.bn(x) + self.fixed, self.cache.sum()
    return M(), (torch.zeros(2, 4),), {}


@case
def functional_mutation():
    """The same as an inference graph: mutations are outputs that the signature names."""
    model, args, options = mutation()
    return model, args, dict(functional=True)


@case
def symbols():
    class M(nn.Module):
        def forward(self, x, y):
            n, m = x.shape[0], y.shape[0]
            a = torch.zeros(n // 2 + 2)
            b = torch.zeros(torch.sym_max(n, m) + torch.sym_min(n, 3))
            c = y.view(-1, 2).sum(1)
            d = torch.arange((n + 3) // 4 * 2 + n % 3)
            return a, b, c, d, n * m - 1, torch.cat((x, x)) * n, torch.nn.functional.avg_pool1d(y[None], 3, ceil_mode=True)
    return M(), (torch.ones(6, 2), torch.ones(8)), dict(dynamic_shapes=({0: Dim("n", min=2, max=64)}, {0: 2 * Dim("half_m", max=40)}))


@case
def data_dependent():
    class M(nn.Module):
        def forward(self, x, n):
            k = n.item()
            torch._check(k >= 1)
            torch._check(k <= 6)
            return x[x > 0].sum(), torch.nonzero(x), torch.ones(k) * 2
    return M(), (torch.tensor([1.0, -1.0, 2.0]), torch.tensor(3)), {}


@case
def control_flow():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(3))

        def forward(self, x):
            y = torch.cond(x.sum() > 0, lambda t: t * self.w, lambda t: t - self.w, (x,))
            i = torch.zeros((), dtype=torch.int64)
            i, z = torch._higher_order_ops.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2), (i, y))
            with torch.no_grad():
                z = z + 1
            return z
    return M(), (torch.ones(3),), {}


@case
def loops():
    from torch._higher_order_ops.map import map as over
    from torch._higher_order_ops.scan import scan

    class M(nn.Module):
        def forward(self, xs, y):
            a = over(lambda x, y: x + y, xs, y)
            carry, b = scan(lambda c, x: (c + x, c * x), y, xs)
            return a, carry, b
    return M(), (torch.ones(4, 3), torch.ones(3)), {}


@case
def arguments():
    """Every kind of argument that archives hold."""
    class M(nn.Module):
        def forward(self, x, i):
            a = torch.clamp(x, min=float("-inf"), max=float("inf")) + float("nan")
            b = x.to(torch.float64).to(memory_format=torch.channels_last)
            c = torch.full((2, 2), 3, dtype=torch.uint8, device="cpu", layout=torch.strided)
            d = x[:, i, None]
            e = torch.div(x, 2, rounding_mode="floor") + x.mean((2, 3), keepdim=True)
            f = torch.nn.functional.interpolate(x, scale_factor=[2.0, 2.0], mode="nearest")
            g = torch.cat(torch.split(x, [1, 2], dim=1)[::-1], 1)
            h = torch.ops.aten.native_layer_norm(x, [4], None, None, 1e-5)[0]
            return a, b, c, d, e, f, g, h, (x > 0).any(), 2 ** x, x.sum().clone(memory_format=torch.contiguous_format)
    return M(), (torch.ones(1, 3, 4, 4).contiguous(memory_format=torch.channels_last), torch.tensor([0, 2])), {}


@case
def constant_inputs():
    class M(nn.Module):
        def forward(self, x, n, s, b, f):
            return x * n + (f if b else 0.0)
    return M(), (torch.ones(2), 3, "mode", True, 0.25), {}


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, make in CASES.items():
        torch.manual_seed(0)
        model, args, options = make()
        training = options.pop("functional", False)
        if name not in ("mutation", "functional_mutation"):
            model.eval()
        program = export(model, args, strict=False, **options)
        if training:
            program = program.run_decompositions({})
        save(program, os.path.join(folder, name + ".pt2"))
        print(name, os.path.getsize(os.path.join(folder, name + ".pt2")))


if __name__ == "__main__":
    # Run under its bare name, so that the stack traces in the archives do not name this machine's folders.
    with open(__file__) as source:
        exec(compile(source.read(), os.path.basename(__file__), "exec"), {"__name__": "export"})
elif __name__ == "export":
    main()
