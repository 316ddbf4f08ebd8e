"""The recipes of public bug reports that make_report_cases.py leaves out, each made wider than the report, with PyTorch's answers.

    cd tests/data && python make_recipe_cases.py recipes

writes index.jsonl, tensors.safetensors and the archives in the format of the export corpus (see export_corpus_test). Needs torch,
torchao and safetensors. The names are those of the reports: A04 is a mean between channels-last convolutions, and so on.
"""
import json
import logging
import os
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import torch  # noqa: E402
import torch.ao.quantization.fx._decomposed  # noqa: E402, F401
import torch.nn as nn  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from safetensors.torch import save_file  # noqa: E402
from torch.utils._pytree import tree_flatten  # noqa: E402

from export_models import without_folders  # noqa: E402

TENSORS, ROWS = {}, []
INF, NAN = float("inf"), float("nan")
D = torch.export.Dim
r = torch.randn


def key(t):
    TENSORS[str(len(TENSORS))] = t.detach().contiguous().clone()
    return str(len(TENSORS) - 1)


class Fn(nn.Module):
    def __init__(self, f, **parts):
        super().__init__()
        self.f = f
        for name, part in parts.items():
            if isinstance(part, nn.Module):
                setattr(self, name, part)
            else:
                self.register_buffer(name, part)

    def forward(self, *args):
        return self.f(self, *args)


def case(name, module, *runs, dynamic=None):
    """`runs`: tuples of inputs, one session; the first is the example."""
    if not isinstance(module, nn.Module):
        module = Fn(lambda _, *a, f=module: f(*a))
    module.eval()
    fresh = {k: v.clone() for k, v in module.state_dict(keep_vars=False).items()}
    buffers = {k: b.clone() for k, b in module.named_buffers()}
    dynamic = (dynamic,) if dynamic and isinstance(module, Fn) else dynamic  # of *args
    program = torch.export.export(module, runs[0], strict=False, dynamic_shapes=dynamic)
    torch.export.save(without_folders(program), f"{name}.pt2")
    module.load_state_dict(fresh)
    for k, b in module.named_buffers():
        b.copy_(buffers[k])
    for i, args in enumerate(runs):
        with torch.no_grad():
            outputs = tree_flatten(module(*[a.clone() for a in args]))[0]
        ROWS.append({"name": f"{name}_{i}", "file": f"{name}.pt2", "inputs": [key(a) for a in args], "outputs": [key(o) for o in outputs]})


def layout():
    last = torch.channels_last
    for name, reduce in {"mean": lambda x: x.mean((2, 3), keepdim=True), "mean_flat": lambda x: x.mean((2, 3))[:, :, None, None], "amax": lambda x: x.amax((2, 3), True),
                         "sum_channels": lambda x: x.sum(1, keepdim=True).expand(-1, 8, -1, -1), "softmax": lambda x: x.softmax(1), "cumsum": lambda x: x.cumsum(1),
                         "norm": lambda x: F.group_norm(x, 2), "cat": lambda x: torch.cat([x, x + 1], 1)[:, 4:12], "flip": lambda x: x.flip(1)}.items():
        model = Fn(lambda s, x, reduce=reduce: s.b(reduce(s.a(x))), a=nn.Conv2d(3, 8, 3), b=nn.Conv2d(8, 4, 1)).to(memory_format=last)
        case(f"A04_{name}", model, (r(2, 3, 6, 5).to(memory_format=last),))
        case(f"A04_{name}_plain", model, (r(1, 3, 6, 5),))
    q = torch.ops.quantized_decomposed
    for axis in range(4):
        n = (2, 3, 4, 5)[axis]
        scales, zeros = torch.rand(n) * 0.1 + 0.01, torch.randint(-9, 9, (n,))

        def fake(x, scales=scales, zeros=zeros, axis=axis):
            y = q.quantize_per_channel(x, scales, zeros, axis, -128, 127, torch.int8)
            return q.dequantize_per_channel(y, scales, zeros, axis, -128, 127, torch.int8)

        case(f"A06_axis{axis}", fake, (r(2, 3, 4, 5).to(memory_format=last),))
    for dims in ((0, 2), (1, 3), (0, 1, 3), (2,), ()):
        case("A06_sum_" + "".join(map(str, dims)), lambda x, dims=dims: (x.sum(dims), x.double().mean(dims, True), x.var(dims)), (r(2, 3, 4, 5).to(memory_format=last),))

    def dynamic_quantized(s, x):
        scale, zero = q.choose_qparams.tensor(x, -128, 127, 1e-5, torch.int8)
        y = q.dequantize_per_tensor.tensor(q.quantize_per_tensor.tensor(x, scale, zero, -128, 127, torch.int8), scale, zero, -128, 127, torch.int8)
        return x * s.c + s.b(y)

    case("A09", Fn(dynamic_quantized, b=nn.Conv2d(8, 8, 3, padding=1), c=r(1, 8, 1, 1)).to(memory_format=last), (r(1, 8, 6, 6).to(memory_format=last),))


def shapes():
    images = [(r(1, 3, n, m),) for n, m in ((32, 32), (8, 40), (64, 9), (17, 8))]
    case("A19", nn.Sequential(nn.Conv2d(3, 4, 3, 2), nn.ReLU(), nn.Conv2d(4, 2, 1)), *images, dynamic=({2: D("h", min=8, max=2048), 3: D("w", min=8, max=2048)},))
    positive, mixed, none = torch.arange(1.0, 7), torch.tensor([1.0, -1, 0, 2, -3, 4]), -torch.ones(6)
    runs = [(x,) for x in (mixed, none, positive, mixed)]
    case("A20", lambda x: torch.cat([x[x > 0], x[x > 0] * 2]), *runs)
    case("A20_nonzero", lambda x: (torch.nonzero(x), torch.nonzero(x).sum(0)), (mixed,), (torch.zeros(6),), (positive,))
    case("A20_matrix", lambda x: x[x.sum(1) > 0], (r(5, 3),), (-torch.ones(5, 3),), (torch.ones(5, 3),))
    case("A20_select", lambda x: torch.masked_select(x, x > 0).sum(), *runs)
    squeezed = [(r(2, 3, n, 4),) for n in (32, 5, 17, 1, 32)]
    case("A10_split", lambda x: torch.cat([p.squeeze(-1) for p in x.split(1, -1)], -1), *squeezed, dynamic=({2: D("S", min=1, max=32)},))
    case("A10_stack", lambda x: (torch.stack(list(x), 1), x.flatten(1), x.sum(2)), *squeezed, dynamic=({2: D("S", min=1, max=32)},))


def semantics():
    for k, s, p in ((2, 2, 0), (3, 1, 1), ((2, 3), (1, 2), (1, 0))):
        case(f"A24_{k}".replace(" ", ""), Fn(lambda m, x: (m.a(x), m.b(x)), a=nn.AvgPool2d(k, s, p), b=nn.AvgPool2d(k, s, p, count_include_pad=False, divisor_override=3)), (r(1, 4, 8, 8),))
    wide = r(2, 4, 3, 8, 8).double()
    case("A27", lambda x: F.pad(x, [5, -8, -4, 9, 1, 9], value=torch.finfo(torch.float64).max)[:, :, :2], (wide,))
    for pads in ([-1, 2], [3, -5, -1, 0], [-2, -2, 1, 1, -1, 0], [0, 0, -3, 3]):
        case("A27_" + "_".join(map(str, pads)).replace("-", "m"), lambda x, pads=pads: (F.pad(x, pads, value=2.5), F.pad(x.int(), pads, value=7)), (r(3, 4, 5),))
    case("A27_empty", lambda x: F.pad(x, [-2, -3], value=1.0), (r(3, 5),))
    case("A28", lambda x: F.hardtanh(x, 131, 255.99999999999997), (torch.randint(0, 256, (4, 7, 1, 1, 7, 2), dtype=torch.uint8),))
    case("A28_ints", lambda x: (F.hardtanh(x, -3, 4), x.clamp(min=-2), x.clamp(max=5)), (torch.randint(-9, 9, (17,), dtype=torch.int32),))
    x = torch.tensor([NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 3.0, -80.0])
    for i, (alpha, scale, inner) in enumerate(((True, -INF, INF), (False, True, 3), (2, 0.5, True), (INF, 1, 1))):
        case(f"A29_{i}", lambda x, p=(alpha, scale, inner): torch.ops.aten.elu(x, *p), (x,))
    case("A30", lambda x: (x + torch.arange(True), torch.arange(0, 3.5, 0.5) + x, torch.arange(5, -1, -2) * x[:1].int(), torch.arange(2, dtype=torch.float16)), (torch.ones(1),))
    for i, (shape, size, scale) in enumerate((((8, 2, 7, 1), (7, 2), None), ((1, 1, 64, 64), (5, 5), None), ((1, 2, 9, 7), (30, 3), None), ((1, 1, 40, 3), None, (0.1, 3.0)))):
        for mode in ("bilinear", "bicubic"):
            case(f"A31_{i}_{mode}", lambda x, a=(size, scale, mode): F.interpolate(x, size=a[0], scale_factor=a[1], mode=a[2], antialias=True), (r(*shape),))
    case("A32", lambda x: (torch.ops.aten.any.dims(x, []), torch.ops.aten.any.dims(x, None), torch.ops.aten.all.dims(x, [0, 1]), x.sum([]), x.any()), (torch.ones(2, 3),))
    for dtype in (torch.float64, torch.float16, torch.bfloat16):
        case(f"A33_{str(dtype)[6:]}", lambda x: (F.log_softmax(x, 2), F.log_softmax(x, 0), F.softmax(x, 1)), (r(8, 5, 7).to(dtype),))

    def pool_gradient(x, grad):
        y, index = F.max_pool2d(x, 3, 2, 1, return_indices=True)
        return torch.ops.aten.max_pool2d_with_indices_backward(grad, x, [3, 3], [2, 2], [1, 1], [1, 1], False, index), y

    case("A34", pool_gradient, (r(2, 3, 7, 7), r(2, 3, 4, 4)), (r(2, 3, 7, 7), r(2, 3, 4, 4)))
    case("A34_unpool", lambda x, i: F.max_unpool2d(x, i, 2), (r(1, 2, 3, 3), torch.arange(9).reshape(1, 1, 3, 3).repeat(1, 2, 1, 1) * 4))
    case("A34_index", lambda x, i: torch.zeros(5, 3).index_add(0, i, x) + torch.zeros(5, 3).scatter_add(0, i[:, None].expand(-1, 3), x), (r(4, 3), torch.tensor([1, 1, 0, 4])))
    bad = torch.tensor([3.0, NAN, 5.0, 1.0, NAN])
    case("A35", Fn(lambda s, x: (s.c.argmin() + x.argmin(), s.c.argmax(), x.argmax(), s.c.max(), x.min(), torch.maximum(s.c, x)), c=bad.clone()), (bad,))
    zero = torch.zeros(3)
    case("A35_zero", Fn(lambda s, x: (torch.reciprocal(torch.sqrt(s.c)) * 0 + x, torch.reciprocal(torch.sqrt(x)) * 0, torch.rsqrt(s.c) * s.c), c=zero.clone()), (zero,))
    a, b = torch.tensor([7, -7, 7, -7, -128]), torch.tensor([2, 2, -2, -2, -1])
    for dtype in (torch.int8, torch.int32, torch.int64):
        case(f"A36_{str(dtype)[6:]}", lambda a, b: (a // b, a % b, torch.fmod(a, b), torch.remainder(a, b)), (a.to(dtype), b.to(dtype)))
    case("A36_float", lambda a, b: (a // b, a % b, torch.fmod(a, b), a / b), (torch.tensor([1.0, -1, 0, INF, 5]), torch.tensor([0.0, 0, 0, 2, -INF])))
    for n in (1, 7, 8, 16, 33):
        case(f"A40_{n}", lambda x, y: (F.relu(x * y), (x + y).clamp(0, 6), F.relu(x - y), F.relu6(x * 3), F.relu(-x)), (r(2, n), r(2, n)))
    case("A40_nan", lambda x: (F.relu(x * 1), (x + 0).clamp(0, 6), F.relu6(x * 1), F.hardtanh(x * 1), F.leaky_relu(x * 1)), (x,))
    case("A41", lambda x: (lambda y: (y.reshape(2, -1), y.sum(1)))(x.permute(0, 2, 1)), (r(2, 3, 5),))
    case("A41_more", lambda x: (lambda y: (y.reshape(-1), y @ x, y + 1, y[0], y.contiguous().view(15, 2)))(x.transpose(1, 2)), (r(2, 3, 5),))
    for n in (1, 8):
        model = nn.PReLU(n)
        with torch.no_grad():
            model.weight.copy_(torch.linspace(-0.5, 1.5, n))
        case(f"A42_{n}", model, (r(1, 8, 16, 16),))
    case("A42_rank", nn.PReLU(5), (r(4, 5),))

    class Windows(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch, self.norm, self.attention = nn.Conv2d(1, 8, 2, 2), nn.LayerNorm(8), nn.MultiheadAttention(8, 2, batch_first=True)

        def forward(self, x):
            y = self.patch(x)
            b, c, h, w = y.shape
            y = y.view(b, c, h // 4, 4, w // 4, 4).permute(0, 2, 4, 3, 5, 1).reshape(-1, 16, c)
            y = y + self.attention(*[self.norm(y)] * 3, need_weights=False)[0]
            return y.view(b, h // 4, w // 4, 4, 4, c).permute(0, 5, 1, 3, 2, 4).reshape(b, c, h, w)

    picture = torch.linspace(0, 1, 32).expand(32, 32).clone()
    picture[4:12, 8:20], picture[20:30, 2:9] = 1.0, -0.5
    case("A43", Windows(), (picture[None, None].clone(),), (picture.t()[None, None].clone(),))
    edges = torch.tensor([-1.0, 0.0, 0.5, 2.0])
    case("A44", lambda x: (torch.bucketize(x, edges), torch.bucketize(x, edges, right=True), torch.fft.rfft(x).abs()), (torch.tensor([-2.0, -1, 0, 0.25, 2, 3]),))
    case("A44_scatter", lambda x, i, s: (x.scatter(1, i, s), x.scatter(0, i, 3.0), x.gather(1, i)), (r(3, 4), torch.tensor([[0, 2], [1, 1], [2, 0]]), r(3, 2)))

    class Cache(nn.Module):
        def __init__(self, write):
            super().__init__()
            self.write = write
            self.register_buffer("state", torch.zeros(1, 2, 4), persistent=False)
            self.conv = nn.Conv1d(2, 2, 3)

        def forward(self, x):
            h = torch.cat([self.state, x], -1)
            self.write(self, h[..., -4:])
            return self.conv(h)

    steps = [(r(1, 2, 2),) for _ in range(4)]
    writes = {"copy": lambda s, v: s.state.copy_(v), "assign": lambda s, v: setattr(s, "state", v.clone()), "part": lambda s, v: s.state[:, :1].copy_(v[:, :1]),
              "add": lambda s, v: s.state.add_(v), "view": lambda s, v: s.state.view(8).copy_(v.reshape(8)), "zero": lambda s, v: s.state.mul_(0.5).add_(v, alpha=2)}
    for name, write in writes.items():
        case(f"A46_{name}", Cache(write), *steps)
    case("A47", Fn(lambda s, x: (x.expand(x.shape) + s.a, x[:] * s.b, x.expand_as(x).view(x.shape) - s.a, x.to(x.dtype)), a=torch.ones(3), b=torch.ones(3)),
         *[(r(n, 3),) for n in (4, 1, 8, 3)], dynamic=({0: D("n", min=1, max=8)},))
    for dtype in (torch.int32, torch.uint8, torch.int64):
        a, b = torch.tensor([7, 9, 1, 200]).to(dtype), torch.tensor([2, 4, 3, 7]).to(dtype)
        if dtype != torch.uint8:
            a = a * torch.tensor([1, -1, -1, 1], dtype=dtype)
        case(f"A48_{str(dtype)[6:]}", lambda a, b: [torch.div(x, y, rounding_mode=m) for m in (None, "floor", "trunc") for x, y in ((a, b), (a, 2), (a, b.float()))], (a, b))
    case("A48_float", lambda a, b: [torch.div(a, b, rounding_mode=m) for m in (None, "floor", "trunc")], (torch.tensor([7.5, -7.5, 0.0, INF, NAN, 1e30]), torch.tensor([2.0, 2.0, -0.0, 2.0, 1.0, 1e-30])))


if __name__ == "__main__":
    torch.manual_seed(0)
    os.makedirs(sys.argv[1], exist_ok=True)
    os.chdir(sys.argv[1])
    layout()
    shapes()
    semantics()
    with open("index.jsonl", "w") as out:
        out.writelines(json.dumps(row) + "\n" for row in ROWS)
    save_file(TENSORS, "tensors.safetensors")
    print(f"{len(ROWS)} runs")
