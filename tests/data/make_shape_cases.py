"""Programs whose sizes vary or are unusual, in the format of the export corpus (see export_corpus_test).

    cd tests/data && python make_shape_cases.py shapes

One and two dynamic dimensions at their bound, below it and at 1, up and down in one session; sizes that depend on data; sizes 0; ranks 0 to
16; channels-last, strided and expanded inputs and constants. Needs torch and safetensors.
"""

import logging
import sys
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.export import Dim

from recorder import Call, Recorder

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
torch.manual_seed(0)
recorder = Recorder(sys.argv[1])
r = torch.randn
LAST = torch.channels_last


class Layers(nn.Module):
    """Parameters and buffers for `f(self, ...)` to use."""

    def __init__(self, f):
        super().__init__()
        self.f = f
        self.linear, self.norm, self.group = nn.Linear(6, 5), nn.LayerNorm(6), nn.GroupNorm(2, 4)
        self.conv, self.conv1 = nn.Conv2d(2, 4, 3, padding=1, stride=2), nn.Conv1d(6, 3, 3, padding=1)
        self.deconv = nn.ConvTranspose2d(2, 3, 2, stride=2)
        self.words = nn.Embedding(9, 6)
        self.attention = nn.MultiheadAttention(6, 2, batch_first=True)
        self.gru = nn.GRU(6, 4, batch_first=True)
        self.batch = nn.BatchNorm2d(2)
        self.register_buffer("strided", torch.arange(24.0).reshape(4, 6).t())
        self.register_buffer("every_second", torch.arange(12.0)[::2])
        self.register_buffer("expanded", torch.tensor([[1.0], [2.0], [3.0]]).expand(3, 6))
        self.register_buffer("one_for_all", torch.tensor(0.5).expand(2, 3, 6))
        self.register_buffer("image", r(1, 2, 4, 5).to(memory_format=LAST))
        self.register_buffer("nothing", torch.zeros(0, 6))

    def forward(self, *inputs):
        return self.f(self, *inputs)


def case(name, f, *calls, **options):
    recorder.archive(name, Layers(f).eval(), calls, **options)


# ---- dynamic dimensions: upwards, at the bound, downwards, at 1 ----

N, M = Dim("n", max=8), Dim("m", max=9)
WALK = (3, 8, 5, 1, 2, 8, 1)


def one(name, f, *make, dim=0, fixed=()):
    """`make`: of each input, from the size. The first size is exported with."""
    case(name, f, *(tuple(m(n) for m in make) + fixed for n in WALK), shapes=tuple({dim: N} for _ in make) + (None,) * len(fixed))


def two(name, f, make):
    case(name, f, *((make(n, m),) for n, m in ((3, 4), (8, 9), (8, 1), (1, 9), (5, 3), (1, 1), (2, 9), (8, 9))), shapes=({0: N, 1: M},))


rows = lambda n: r(n, 6)
images = lambda n: r(n, 2, 4, 5)
one("linear", lambda m, x: m.linear(x).relu(), rows)
one("normalised", lambda m, x: (m.norm(x), x.softmax(-1), x.softmax(0)), rows)
one("images", lambda m, x: m.conv(x).relu().flatten(1), images)
one("batch_norm", lambda m, x: m.batch(x) + 1, images)
one("pooled", lambda m, x: (F.max_pool2d(x, 2), F.avg_pool2d(x, 3, 2, 1), F.adaptive_avg_pool2d(x, 2)), images)
one("deconvolution", lambda m, x: m.deconv(x), images)
one("resized", lambda m, x: F.interpolate(x, scale_factor=2.0, mode="bilinear"), images)
one("group_norm", lambda m, x: m.group(m.conv(x)), images)
one("embedded", lambda m, i: m.words(i), lambda n: torch.randint(9, (n, 3)))
one("attention", lambda m, x: m.attention(x, x, x, need_weights=False)[0], lambda n: r(n, 3, 6))
one("recurrent", lambda m, x: m.gru(x)[0], lambda n: r(n, 3, 6))
one("reduced", lambda m, x: (x.sum(0), x.mean(), x.amax(1), x.argmax(0), x.var(1), x.cumsum(0), (x > 0).any(0)), rows)
one("gathered", lambda m, x: (x[:, 2:4], x[-1], x.flip(0), x.roll(1, 0), x.t(), x.repeat(2, 1), x.index_select(1, torch.tensor([5, 0]))), rows)
one("joined", lambda m, x, y: (torch.cat([x, y], 0), torch.cat([x, y], 1), torch.stack([x, y])), rows, rows)
one("products", lambda m, x, y: (x @ y.t(), x.t() @ y, torch.bmm(x[:, None], y[:, :, None])), rows, rows)
one("broadcast", lambda m, x, y: (x + y, x * 2, torch.maximum(x, y)), rows, fixed=(r(6),))
one("made", lambda m, x: (torch.arange(x.shape[0]), torch.zeros(x.shape[0], 2), torch.full_like(x, 3), torch.ones(x.shape[0] * 2 + 1)), rows)
one("masked", lambda m, x: x.masked_fill(torch.ones(x.shape[0], x.shape[0]).tril()[:, :1] == 0, -1.0) + x.tril(), rows)
one("padded", lambda m, x: (F.pad(x, (1, 2)), F.pad(x, (0, 0, 1, 1), value=2.0)), rows)
one("sorted", lambda m, x: (*x.sort(0), *x.topk(2, 1)), rows)
one("integers", lambda m, x: (x * 2, x // 3, x % 2, x.sum(0), x.to(torch.float32) / 3), lambda n: torch.randint(-9, 9, (n, 4)))
one("half", lambda m, x: (x * 2).softmax(-1), lambda n: r(n, 6).half())
one("last", lambda m, x: (m.linear(x.transpose(0, 1)), x.sum(1)), lambda n: r(6, n), dim=1)
one("convolution_of_any_length", lambda m, x: m.conv1(x), lambda n: r(2, 6, n), dim=2)
one("sequence", lambda m, x: m.attention(x, x, x, need_weights=False)[0], lambda n: r(2, n, 6), dim=1)
one("causal", lambda m, x: F.scaled_dot_product_attention(x, x, x, is_causal=True), lambda n: r(1, 2, n, 4), dim=2)
two("both", lambda m, x: (x * 2 + 1, x.sum(1), x.t(), x.softmax(1), x.reshape(-1)), lambda n, m: r(n, m))
two("both_linear", lambda m, x: m.linear(x), lambda n, m: r(n, m, 6))
two("both_attention", lambda m, x: m.attention(x, x, x, need_weights=False)[0], lambda n, m: r(n, m, 6))
two("both_words", lambda m, i: m.linear(m.words(i)).argmax(-1), lambda n, m: torch.randint(9, (n, m)))
two("both_merged", lambda m, x: (x.flatten(), x.reshape(-1, 2), x.transpose(0, 1).reshape(x.shape[1], -1)), lambda n, m: r(n, m, 4))
two("both_made", lambda m, x: x + torch.arange(x.shape[1]) + torch.arange(x.shape[0])[:, None], lambda n, m: r(n, m))

# ---- sizes that depend on data ----


def bounded(n, most=16):
    torch._check(n >= 0)
    torch._check(n <= most)
    return n


flags = [torch.tensor(f) for f in ([0.0, 1, 2, 0, 3], [1.0, 1, 1, 1, 1], [0.0, 0, 0, 0, 0], [0.0, 0, 0, 0, 9])]
counts = [torch.tensor(c) for c in ([1, 2, 0], [3, 3, 3], [0, 0, 0], [0, 1, 0])]
numbers = [(torch.tensor(n),) for n in (3, 8, 0, 1)]
each = lambda values: [(v,) for v in values]
case("nonzero", lambda m, x: torch.nonzero(x), *each(flags))
case("nonzero_used", lambda m, x: (x[torch.nonzero(x)[:, 0]] * 2, torch.nonzero(x).sum(0)), *each(flags))
case("mask", lambda m, x: x[x > 0] + 1, *each(flags))
case("mask_of_rows", lambda m, x, y: m.linear(y[x > 0]).relu(), *((f, r(5, 6)) for f in flags))
case("masked_select", lambda m, x: torch.masked_select(x, x > 0).sum(), *each(flags))
case("masked_scatter", lambda m, x, y: x.masked_scatter(x > 0, y), *((f, r(5)) for f in flags))
case("item", lambda m, n: torch.arange(bounded(n.item())) * 2, *numbers)
case("item_slice", lambda m, n, x: x[: bounded(n.item(), 8)].sum(0), *((n, r(8, 6)) for n, in numbers))
case("item_made", lambda m, n: (torch.ones(bounded(n.item()), 2), torch.zeros(n.item() + 1)), *numbers)
case("repeat_interleave", lambda m, c: (lambda i: (bounded(i.shape[0]), i * 2)[1])(torch.repeat_interleave(c)), *each(counts))
NO_UNIQUE = {"portable": "stock ExecuTorch's portable kernels do not have it"}
case("unique", lambda m, x: torch.unique(x), *each(counts), refused=NO_UNIQUE)
case("unique_inverse", lambda m, x: torch.unique(x, return_inverse=True, return_counts=True), *each(counts), refused=NO_UNIQUE)
case("where", lambda m, x: torch.where(x > 1)[0] + 1, *each(flags))

# ---- sizes 0 ----

none = lambda *sizes: torch.zeros(sizes)
case("none_pointwise", lambda m, x: (x + 1, x * x, x.relu(), x.to(torch.int64)), (none(0, 6),))
case("none_linear", lambda m, x: m.linear(x), (none(0, 6),))
case("none_product", lambda m, x, y: x @ y, (none(3, 0), none(0, 4)))
case("none_reduced", lambda m, x: (x.sum(), x.sum(0), x.sum(1), x.prod(), x.any(), x.all(), x.mean(0)), (none(0, 6),))
case("none_joined", lambda m, x, y: (torch.cat([x, y]), torch.cat([x, x]), torch.stack([x, x])), (none(0, 6), r(2, 6)))
case("none_shaped", lambda m, x: (x.reshape(3, 0), x.t(), x.expand(4, 0, 6), x.unsqueeze(1), x.flip(0), x.repeat(2, 2)), (none(0, 6),))
case("none_left", lambda m, x: (x[3:], x[:, 6:], x[1:1].sum(0), x[:0] @ m.strided), (r(3, 6),))
case("none_images", lambda m, x: m.conv(x), (none(0, 2, 4, 5),))
case("none_normalised", lambda m, x: (m.norm(x), x.softmax(0), x.softmax(1), x.cumsum(0)), (none(0, 6),))
case("none_embedded", lambda m, i: m.words(i), (torch.zeros(0, dtype=torch.int64),))
case("none_constant", lambda m, x: torch.cat([x, m.nothing]), (r(2, 6),))
case("none_attention", lambda m, x: F.scaled_dot_product_attention(x, x, x), (none(2, 0, 3, 4),))

# ---- ranks ----

for rank in (0, 1, 5, 8, 12, 16):
    sizes = [2 if d % 4 == 0 else 1 if d % 4 == 1 else 1 + d % 2 for d in range(rank)]
    case(f"rank_{rank}", lambda m, x: (x + 1, x * x, x.sum(), x.relu(), -x, x > 0, x.reshape(-1)), (r(sizes),))
    if rank > 1:
        order = list(range(rank))[::-1]
        case(
            f"rank_{rank}_moved",
            lambda m, x: (x.permute(order) * 1, x.sum(0), x.mean((0, -1), keepdim=True), x.softmax(-1), x.select(0, 1), x + x.select(-1, 0).unsqueeze(-1)),
            (r(sizes),),
        )
case("rank_0_used", lambda m, x, y: (x + y, y * x, x.reshape(1), x.expand(3), x.unsqueeze(0), torch.stack([x, x]), x.max(), x.item() * y), (torch.tensor(2.0), r(3)))

# ---- where elements lie ----

case("last_inputs", lambda m, x: (x * 2 + 1, m.conv(x), x.mean((2, 3)), x.permute(0, 2, 3, 1).contiguous(), x.flatten(1)), (images(2).to(memory_format=LAST),))
case("last_inside", lambda m, x: (m.conv(x.to(memory_format=LAST)).relu(), x.to(memory_format=LAST) + x), (images(2),))
case("last_constant", lambda m, x: (x + m.image, m.image * 2, m.image.flatten(1), m.image), (r(1, 2, 4, 5),))
case("last_state", lambda m, x: (m.image.add_(x), m.image.flatten(1))[1], (r(1, 2, 4, 5),), (r(1, 2, 4, 5),))
case("strided_constant", lambda m, x: (x @ m.strided, m.strided + 1, m.strided.reshape(-1), m.strided), (r(3, 6),))
case("strided_vector", lambda m, x: (x + m.every_second, m.every_second * 2, m.every_second), (r(3, 6),))
case("expanded_constant", lambda m, x: (x + m.expanded, m.expanded.sum(), m.expanded.reshape(-1), m.expanded), (r(3, 6),))
case("expanded_everywhere", lambda m, x: (x + m.one_for_all, m.one_for_all * 2, m.one_for_all), (r(3, 6),))
case("expanded_inside", lambda m, x: (x[:1].expand(4, 6) + 1, x[:, :1].expand(3, 6) @ m.strided, x[:1].expand(4, 6).reshape(-1)), (r(3, 6),))
case("transposed_inputs", lambda m, x: (x + 1, x @ x.t(), x.reshape(-1)), (r(4, 3).t(),))
case("strided_inside", lambda m, x: (x[::2] * 2, x[:, 1::2].reshape(-1), x.as_strided((2, 2), (6, 2), 1) + 1, x.unfold(1, 3, 2) * 1), (r(3, 6),))
recorder.write()
