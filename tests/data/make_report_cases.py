"""Small programs made of what public bug reports are about, with what PyTorch computes for them.

    cd tests/data && python make_report_cases.py reports

writes index.jsonl, tensors.safetensors and the archives in the format of the export corpus (see export_corpus_test).
Run it under its bare name, so that the archives name no folder of this machine. Needs torch and safetensors.
Left out: gelu of infinities in float32, where PyTorch's vector code gives NaN for +inf and its float64 code inf.
"""

import json
import logging
import re
import sys
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import save_file
from torch.utils._pytree import tree_flatten

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
torch.manual_seed(0)
out = sys.argv[1]
T = {}
rows = []
n = 0


def save(ep, name):
    for node in ep.graph.nodes:
        if node.meta.get("stack_trace"):
            node.meta["stack_trace"] = re.sub(r'"[^"]*/site-packages/', '"', node.meta["stack_trace"])
            node.meta["stack_trace"] = re.sub(r'"/[^"]*/([^"/]+)"', r'"\1"', node.meta["stack_trace"])
    torch.export.save(ep, f"{out}/{name}.pt2")


def key(t):
    global n
    n += 1
    T[str(n)] = t.detach().contiguous().clone()
    return str(n)


class Fn(nn.Module):
    def __init__(s, f):
        super().__init__()
        s.f = f

    def forward(s, *a):
        return s.f(*a)


def go(name, m, ins, runs=None, **kw):
    if not isinstance(m, nn.Module):
        m = Fn(m)
    m = m.eval()
    try:
        ep = torch.export.export(m, ins, strict=False, **kw)
        save(ep, name)
        for i, a in enumerate([ins] + (runs or [])):
            with torch.no_grad():
                o = tree_flatten(m(*[x.clone() for x in a]))[0]
            rows.append(dict(name=f"{name}_{i}", file=f"{name}.pt2", inputs=[key(x) for x in a], outputs=[key(x) for x in o]))
    except Exception as e:
        print("SKIP", name, str(e)[:150])


r = torch.randn
D = torch.export.Dim
sp = torch.tensor(
    [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e-40, 3e38, -3e38, 1.0, -1.0, 0.5, 88.0, -88.0, 100.0, -104.0, 1e-8]
)
chains = {
    "relu_add": lambda x, y: torch.relu(x) + y,
    "minmax": lambda x, y: torch.minimum(torch.maximum(x, y), x * 2),
    "clamp": lambda x, y: torch.clamp(x - y, -1, 1),
    "sig": lambda x, y: torch.sigmoid(x) * torch.tanh(y),
    "silu": lambda x, y: F.silu(x) + F.gelu(y.clamp(-200, 200)),
    "gelut": lambda x, y: F.gelu(x, approximate="tanh") * y,
    "exp": lambda x, y: torch.exp(x) - torch.log(y),
    "sqrt": lambda x, y: torch.sqrt(x) + torch.rsqrt(y),
    "hs": lambda x, y: F.hardswish(x) * F.hardsigmoid(y),
    "lrelu": lambda x, y: F.leaky_relu(x, 0.1) - y.abs(),
    "erf": lambda x, y: torch.erf(x) / y,
    "round": lambda x, y: torch.round(x * 0.5) + torch.floor(y) - torch.trunc(x),
    "relu6": lambda x, y: F.relu6(x) + F.hardtanh(y, -2, 0.5),
    "recip": lambda x, y: x.reciprocal() * y.neg(),
    "sq": lambda x, y: x.square() + y**2,
    "alpha": lambda x, y: torch.add(torch.relu(x), y, alpha=10) - torch.sub(y, x, alpha=3),
}
for k, f in chains.items():
    a = sp.repeat(16)
    b = sp.repeat_interleave(16)
    go("chain_" + k, f, (a, b))
    go("chainb_" + k, f, (r(4, 1, 5), r(3, 1)))
go(
    "A01",
    lambda x: x * 2,
    (torch.arange(12.0).view(1, 3, 2, 2),),
    [(torch.arange(12.0).view(1, 3, 2, 2).to(memory_format=torch.channels_last),)],
)
c = nn.Conv2d(5, 11, 3, padding=1)
go("A02", lambda x: torch.sigmoid(c(x)).mean((2, 3)), (r(2, 5, 13, 7).to(memory_format=torch.channels_last),))


class P(nn.Module):
    def __init__(s):
        super().__init__()
        s.p = nn.Parameter(r(1, 3, 4, 5).to(memory_format=torch.channels_last))

    def forward(s, x):
        return x + s.p


go("A03", P(), (r(1, 3, 4, 5),))


class A5(nn.Module):
    def __init__(s):
        super().__init__()
        s.a = nn.Conv2d(3, 4, 3)
        s.b = nn.Conv2d(4, 2, 3)

    def forward(s, x):
        y = s.a(x).clone()
        z = s.b(y).to(torch.float64).to(torch.float32)
        return z, y.contiguous(), s.a(x).mean((2, 3), keepdim=True)


go("A05", A5(), (r(1, 3, 9, 9),))
go("A06", lambda x: x.sum((0, 2)), (r(2, 3, 4, 5),))
ct = nn.ConvTranspose2d(9, 1, 3, stride=2)
go("A07", ct, (r(2, 9, 9, 13),))
go("A08", lambda *x: sum(y.permute(0, 2, 1) for y in x), tuple(r(2, 3, 4) for _ in range(64)))


class A10(nn.Module):
    def forward(s, x):
        return torch.cat(list(x), -1)


for nm, m, ins, runs, ds in [
    ("A10", A10(), (r(2, 3, 17, 4),), [(r(2, 3, s, 4),) for s in (32, 5, 17, 1, 32)], ({2: D("S", min=1, max=32)},)),
    (
        "A11",
        nn.Conv2d(3, 5, 3, stride=2, padding=1),
        (r(1, 3, 16, 20),),
        [(r(1, 3, a, b),) for a, b in ((8, 8), (31, 17), (64, 64), (9, 40), (8, 8))],
        ({2: D("H", min=8, max=64), 3: D("W", min=8, max=64)},),
    ),
]:
    go(nm, m, ins, runs, dynamic_shapes=ds)


class DynCat(nn.Module):
    def __init__(s):
        super().__init__()
        s.a = nn.Conv2d(3, 4, 3, padding=1)
        s.b = nn.Conv2d(3, 5, 1)
        s.l = nn.Linear(9, 4)

    def forward(s, x):
        y = torch.cat([torch.relu(s.a(x)), s.b(x)], 1)
        z = s.l(y.flatten(2).transpose(1, 2))
        return y, F.softmax(z, -1), z.mean(1)


go(
    "dyncat",
    DynCat(),
    (r(1, 3, 8, 8),),
    [(r(1, 3, a, b),) for a, b in ((4, 4), (16, 16), (5, 13), (4, 4))],
    dynamic_shapes=({2: D("H2", min=4, max=16), 3: D("W2", min=4, max=16)},),
)
go("statcat", DynCat(), (r(2, 3, 8, 8),))
go("A12", lambda x: x.max(), (r(3, 2),))
go("A13", lambda x: (x.max() - (x.max() - 1)).reshape(1), (r(64),))
go(
    "A14",
    lambda a, b: torch.add(a, b, alpha=-5),
    (r(1, 8, 4, 1, 8, 4, dtype=torch.float64), torch.randint(-9, 9, (8, 4, 6, 8, 4), dtype=torch.int32)),
)
go("A15", lambda a, b: (a + b, b * a), (r(1, 3), r(1, 1, 3)))
go("A15b", lambda a, b: a * b, (r(4, 1), r(1, 4, 7)))
for rk in (7, 9, 16):
    go(f"A16_{rk}", lambda x: (x + 1).permute(*reversed(range(x.dim()))), (r(*([1, 2] * 8)[:rk]),))
go("A16l", nn.Linear(3, 2), (r(1, 2, 1, 2, 1, 2, 3),))
e = nn.Embedding(32, 4)
for dt in (torch.int32, torch.int64):
    go(f"A17_{str(dt)[6:]}", lambda i: e(i), (torch.tensor([[0, 31, 5]], dtype=dt),))
    go(f"A17x_{str(dt)[6:]}", lambda x, i: x[i], (r(5, 3), torch.tensor([4, 0], dtype=dt)))
go("A18", lambda x: (x[torch.tensor([-1, 0])], x[:, torch.tensor([-1]), :], x[-3:]), (r(5, 3, 2),))
go("A18p", lambda x, v: torch.index_put(x, (torch.tensor([-1, 1]),), v, accumulate=True), (r(5, 3), r(2, 3)))
go("A21", lambda x, y: (torch.add(x, y, alpha=10), torch.sub(x, y, alpha=10)), (r(10), r(10)))
for i, (k, s, p, sh) in enumerate([(2, 2, 0, (1, 32, 23, 23)), (3, 2, 1, (1, 2, 7, 7)), (3, 2, 1, (1, 2, 8, 8))]):
    go(f"A22_{i}", nn.Sequential(nn.MaxPool2d(k, s, p, ceil_mode=True)), (r(*sh),))
    go(f"A22a_{i}", nn.AvgPool2d(k, s, p, ceil_mode=True), (r(*sh),))
    go(f"A22b_{i}", nn.AvgPool2d(k, s, p, ceil_mode=True, count_include_pad=False), (r(*sh),))
go("A23", lambda x: F.max_pool2d(x, 2), (r(1, 4, 9, 9),))
go("A23b", nn.MaxPool2d([3]), (r(1, 4, 9, 9),))
go("A23c", nn.AvgPool2d([3]), (r(1, 4, 9, 9),))
go("A22n", nn.MaxPool2d(2), (torch.where(torch.rand(1, 3, 6, 6) < 0.2, torch.tensor(float("nan")), r(1, 3, 6, 6)),))
go("A22i", nn.MaxPool2d(3, 1, 1), (torch.full((1, 2, 4, 4), -float("inf")),))
go("A22u", nn.MaxPool2d(2), (r(3, 6, 6),))
go("A25", lambda x: (x.permute(0, -1, -2), x.transpose(-1, 1), x.softmax(-1), torch.cat([x, x], -2)), (r(2, 3, 4),))
go("A26", lambda x: F.pad(x, (1, -2, -1, 3), value=0.5), (r(1, 2, 6, 7),))
go("A37", nn.Conv2d(7, 16, 3, stride=10, padding=1), (r(1, 7, 17, 18),))
go("A37b", nn.Conv2d(7, 16, 3, stride=15, padding=1), (r(1, 7, 17, 18),))
go("A38", nn.ConvTranspose2d(2, 2, 3, groups=2), (r(1, 2, 2, 2),))
go("A38b", nn.ConvTranspose2d(2, 4, 3, stride=2, dilation=2, output_padding=1), (r(1, 2, 4, 4),))
go("A39", lambda x: (F.gelu(x), torch.exp(x)), (torch.linspace(-10, 10, 4097).half(),))
go("A39b", lambda x, y: x + y, (torch.tensor([60000.0]).half(), torch.tensor([10000.0]).half()))
for g, ci, co, k in ((1, 3, 8, 5), (2, 4, 6, 3), (4, 4, 4, 3), (4, 4, 8, 3), (1, 1, 1, 1), (3, 6, 3, 2)):
    for d, p, pm in ((1, 0, "zeros"), (2, 2, "zeros"), (1, 1, "reflect"), (1, (2, 0), "zeros")):
        go(
            f'conv_{g}_{ci}_{co}_{k}_{d}_{pm}_{"x" if isinstance(p,tuple) else p}',
            nn.Sequential(nn.Conv2d(ci, co, k, padding=p, dilation=d, groups=g, padding_mode=pm), nn.BatchNorm2d(co), nn.SiLU()),
            (r(2, ci, 11, 10),),
        )
go(
    "padconv",
    nn.Sequential(
        nn.ZeroPad2d((0, 1, 2, 3)), nn.Conv2d(3, 4, 3, 2), nn.ReLU(), nn.ZeroPad2d((1, 0, 0, 1)), nn.Conv2d(4, 4, 3, 2, groups=4)
    ),
    (r(1, 3, 10, 11),),
)
go("padconv3", nn.Sequential(nn.ZeroPad2d((3, 3, 2, 2)), nn.Conv2d(3, 4, 3, 1, padding=1)), (r(1, 3, 5, 6),))
go("conv1", nn.Sequential(nn.Conv1d(3, 5, 4, 2, 3, dilation=2), nn.GELU(), nn.Conv1d(5, 5, 3, groups=5)), (r(2, 3, 40),))
go("conv1p", nn.Sequential(nn.ConstantPad1d((2, 1), 0.0), nn.Conv1d(3, 5, 4)), (r(2, 3, 9),))
go("convu", nn.Conv2d(3, 4, 3), (r(3, 7, 7),))
go("convd", nn.Conv2d(3, 4, 3).double(), (r(1, 3, 7, 7, dtype=torch.float64),))
go("conv0", nn.Conv2d(3, 4, 3), (r(0, 3, 7, 7),))
go("catempty", lambda x, y: torch.cat([torch.relu(x), torch.relu(y)], 1), (r(2, 3), r(2, 0)))
go("catneg", lambda x: torch.cat([x.exp(), x.neg(), x.exp()], -1), (r(2, 3),))
go("catdt", lambda x, y: torch.cat([x.relu(), y.abs()], 0), (r(2, 3), torch.arange(6).view(2, 3)))
go("catbatch", lambda x: torch.cat([x.relu(), x.neg()], 0) + 1, (r(2, 3, 4),))
go("cat3", lambda x: torch.cat([torch.cat([x.relu(), x.neg()], 1), x.exp()], 1), (r(2, 3, 4),))
go("catview", lambda x: torch.cat([x.relu().transpose(0, 1), x.neg().t()], 0) * 2, (r(3, 4),))
go("catself", lambda x: (lambda y: torch.cat([y, y], 0))(x.relu()), (r(3, 4),))
go("splitcat", lambda x: (lambda a: torch.cat([a[1].relu(), a[0].neg()], 1))(x.relu().chunk(2, 1)), (r(2, 6, 3),))
go("split", lambda x: [t + 1 for t in torch.split(x * 2, [1, 2, 3], 1)], (r(2, 6, 3),))
go("viewout", lambda x: (x.relu().t(), x.relu()[1:], x[0], x), (r(3, 4),))
go("sameout", lambda x: (lambda y: (y, y, y + 1))(x.exp()), (r(3),))
go("constout", lambda x: (x + 1, torch.ones(3)), (r(3),))
go("mm", lambda a, b: (a @ b, torch.bmm(a, b.contiguous()), torch.einsum("bij,bjk->ik", a, b)), (r(3, 4, 5), r(3, 5, 6)))
go("mm4", lambda a, b: a @ b.transpose(-1, -2), (r(2, 3, 4, 5), r(3, 6, 5)))
go("mm0", lambda a, b: a @ b, (r(3, 0), r(0, 4)))
go("mm00", lambda a, b: a @ b, (r(0, 3), r(3, 4)))
go("mv", lambda a, b: (a @ b, b @ b), (r(3, 4), r(4)))
go("mmh", lambda a, b: a @ b, (r(4, 8).half(), r(8, 3).half()))
go("mmi", lambda a, b: a @ b, (torch.randint(-5, 5, (3, 4)), torch.randint(-5, 5, (4, 2))))
go("mmt", lambda a: (a @ a.t(), a.t() @ a), (r(17, 33),))
go("lin0", nn.Linear(4, 3), (r(0, 4),))
go("lin4", nn.Sequential(nn.Linear(4, 3), nn.GELU(), nn.Linear(3, 5, bias=False)), (r(2, 3, 5, 4),))
go("lin1", nn.Linear(4, 3), (r(4),))
go("linres", lambda x, l=nn.Linear(6, 6): torch.relu(l(x) + x) * 2 - x, (r(5, 6),))
go("softbig", lambda x: x.softmax(-1), (r(3, 1000) * 50,))
go(
    "softinf",
    lambda x: x.softmax(-1),
    (torch.tensor([[1.0, float("-inf"), 2.0], [float("-inf")] * 3, [float("inf"), 1, 2], [float("nan"), 1, 2]]),),
)
go("softt", lambda x: x.t().softmax(0), (r(5, 40),))
go("soft0", lambda x: x.softmax(0), (torch.tensor(3.0),))
go("softrow", lambda x: x.softmax(1), (r(2, 37, 3),))


class St(nn.Module):
    def __init__(s):
        super().__init__()
        s.register_buffer("a", torch.ones(3))
        s.register_buffer("b", torch.zeros(3))
        s.register_buffer("k", torch.zeros(1, 5, 2))
        s.register_buffer("i", torch.zeros(1, dtype=torch.int64))

    def forward(s, x):
        t = s.a.clone()
        s.a.copy_(s.b + x)
        s.b.copy_(t)
        s.k[:, 1:3] += x[:2]
        s.k.index_copy_(1, s.i, x[None, None, :2])
        s.i.add_(1)
        s.i.remainder_(5)
        return s.a * 2, s.b, s.k.sum(1), s.i


class St2(nn.Module):
    def __init__(s):
        super().__init__()
        s.register_buffer("h", torch.zeros(2, 3))

    def forward(s, x):
        s.h.mul_(0.5).add_(x)
        y = s.h.t() @ x
        s.h[0].zero_()
        return y, s.h.clone()


def st(name, m, ins_list):
    import copy

    m = m.eval()
    ep = torch.export.export(copy.deepcopy(m), ins_list[0], strict=False)
    save(ep, name)
    for i, a in enumerate(ins_list):
        with torch.no_grad():
            o = [t.clone() for t in m(*a)]
        rows.append(dict(name=f"{name}_{i}", file=f"{name}.pt2", inputs=[key(x) for x in a], outputs=[key(x) for x in o]))


st("state1", St(), [(r(3),) for _ in range(7)])
st("state2", St2(), [(r(2, 3),) for _ in range(3)])
go("sdpa", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), (r(2, 3, 9, 8), r(2, 3, 9, 8), r(2, 3, 9, 8)))
go("mha", nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), (r(2, 7, 16),))
go("gqa", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), (r(1, 4, 5, 8), r(1, 2, 6, 8), r(1, 2, 6, 8)))
go(
    "up",
    lambda x: (
        F.interpolate(x, scale_factor=2),
        F.interpolate(x, size=(7, 9), mode="bilinear"),
        F.interpolate(x, scale_factor=0.5, mode="bicubic", align_corners=True),
    ),
    (r(1, 3, 6, 5),),
)
go("pixel", lambda x: F.pixel_shuffle(F.conv2d(x, torch.ones(8, 2, 1, 1)), 2), (r(1, 2, 3, 3),))
go("wh", lambda x: torch.where(x > 0, x, torch.zeros_like(x)).cumsum(1), (r(3, 5),))
go("nz", lambda x: torch.nonzero(x).sum(0), (torch.tensor([0.0, 1, 2, 0, 3, 0]),))
go("idiv", lambda a, b: (a // b, a % b, torch.fmod(a, b)), (torch.tensor([7, -7, 5, -5]), torch.tensor([2, 2, -3, -3])))
go("pad5", lambda x: F.pad(x, (1, 1, 1, 1), mode="replicate"), (r(1, 2, 4, 4),))
go("norm", nn.Sequential(nn.GroupNorm(2, 4), nn.Conv2d(4, 4, 3), nn.InstanceNorm2d(4), nn.ReLU()), (r(2, 4, 8, 8),))
go(
    "se",
    type(
        "SE",
        (nn.Module,),
        {
            "__init__": lambda s: (
                nn.Module.__init__(s),
                setattr(s, "c", nn.Conv2d(4, 8, 3)),
                setattr(s, "a", nn.Conv2d(8, 2, 1)),
                setattr(s, "b", nn.Conv2d(2, 8, 1)),
            )[0],
            "forward": lambda s, x: (lambda y: y * torch.sigmoid(s.b(F.relu(s.a(F.adaptive_avg_pool2d(y, 1))))))(F.silu(s.c(x))),
        },
    )(),
    (r(1, 4, 9, 9),),
)
go("adp", lambda x: (F.adaptive_avg_pool2d(x, (3, 2)), F.adaptive_max_pool2d(x, 3)), (r(1, 4, 7, 5),))
save_file(T, f"{out}/tensors.safetensors")
open(f"{out}/index.jsonl", "w").write("\n".join(map(json.dumps, rows)) + "\n")
print(len(rows))
