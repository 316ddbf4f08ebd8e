"""Programs with control flow (cond, while_loop, map, scan) and with scalars, in the format of the export corpus (see export_corpus_test).

    cd tests/data && python make_control_cases.py control

Scalar inputs and outputs stand in the index as numbers, true, false and null; "refused" is what the compiler says of a program that it
does not take. Needs torch and safetensors.
"""

import json
import logging
import sys
import warnings
import zipfile

import torch
import torch.nn as nn
from safetensors.torch import save_file
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim
from torch.utils._pytree import tree_flatten

from export_models import without_folders

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
torch.manual_seed(0)
tensors, rows = {}, []
cond = torch.cond


def key(t):
    if not isinstance(t, torch.Tensor):
        return t
    tensors[str(len(tensors))] = t.detach().contiguous().clone()
    return str(len(tensors) - 1)


class Call(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *inputs):
        return self.f(*inputs)


class Layers(nn.Module):
    """Parameters and buffers for `f(self, ...)` to use."""

    def __init__(self, f):
        super().__init__()
        self.f = f
        self.linear, self.other = nn.Linear(4, 4), nn.Linear(4, 4)
        self.conv = nn.Conv2d(2, 2, 3, padding=1)
        self.register_buffer("offset", torch.linspace(-1, 1, 4))
        self.register_buffer("count", torch.zeros(4))
        self.weight = nn.Parameter(torch.linspace(0.5, 2, 4))

    def forward(self, *inputs):
        return self.f(self, *inputs)


def deflate(path):
    """The same archive, in less space."""
    with zipfile.ZipFile(path) as archive:
        entries = [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def case(name, f, *calls, shapes=None, layers=False, strict=False, decompose=False, refused=None):
    """`calls`: tuples of inputs; the first is exported with. `shapes`: dynamic shapes of the inputs. `layers`: `f` gets Layers first.
    `refused`: what the compiler says of it."""
    module = Layers(f).eval() if layers else Call(f)
    with torch.no_grad():
        program = torch.export.export(
            module, calls[0], strict=strict, dynamic_shapes=None if shapes is None else {"inputs": shapes}
        )
        program = without_folders(program.run_decompositions({}) if decompose else program)
        torch.export.save(program, f"{sys.argv[1]}/{name}.pt2")
        deflate(f"{sys.argv[1]}/{name}.pt2")
        user = [s.arg for s in program.graph_signature.input_specs if s.kind.name == "USER_INPUT"]
        kept = [not (hasattr(a, "value") and not isinstance(a.value, torch.Tensor)) for a in user]  # others are part of the program
        for i, inputs in enumerate([*calls, *calls]):  # twice in one session
            flat = tree_flatten(inputs)[0]
            if len(flat) != len(kept):
                raise AssertionError(f"{name}: {len(flat)} inputs, {len(kept)} in the program")
            outputs = [key(o) for o in tree_flatten(module(*inputs), is_leaf=lambda o: o is None)[0]]
            row = dict(name=f"{name}.{i}", file=f"{name}.pt2", inputs=[key(t) for t, k in zip(flat, kept) if k], outputs=outputs)
            rows.append(row if refused is None else {**row, "refused": refused})


r = torch.randn
x = r(3, 4)
yes, no = torch.tensor(True), torch.tensor(False)

# ---- cond ----

case("cond", lambda x: cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,)), (x,), (-x,))
case("cond_predicate", lambda p, x: cond(p, lambda x: x.sin(), lambda x: x.cos(), (x,)), (yes, x), (no, x))
case("cond_outputs", lambda p, x: cond(p, lambda x: (x * 2, x.sum(1), x > 0), lambda x: (x - 1, x.mean(1), x < 0), (x,)), (yes, x), (no, x))
case("cond_operands", lambda p, x, y: cond(p, lambda x, y: x @ y, lambda x, y: x @ y * 2, (x, y)), (yes, x, r(4, 5)), (no, x, r(4, 5)))
case("cond_operand_returned", lambda p, x: cond(p, lambda x: x.clone(), lambda x: x + 1, (x,)), (yes, x), (no, x))
case("cond_same_twice", lambda p, x: cond(p, lambda x: ((y := x * 2), y.clone()), lambda x: ((y := x + 2), y + 0), (x,)), (yes, x), (no, x))
case("cond_transposed", lambda p, x: cond(p, lambda x: x.T.contiguous(), lambda x: x.flip(0).T.contiguous(), (x,)), (yes, x), (no, x))
case("cond_views", lambda p, x: cond(p, lambda x: x[1:].reshape(-1) * 1, lambda x: x.permute(1, 0)[:, :2].reshape(-1) * 1, (x,)), (yes, x), (no, x))
case("cond_of_a_view", lambda p, x: cond(p, lambda y: y * 2, lambda y: y.exp(), (x.T[1:3],)), (yes, x), (no, x))
case(
    "cond_nested",
    lambda x: cond(
        x.sum() > 0,
        lambda x: cond(x.max() > 2, lambda x: x / 2, lambda x: x * 2, (x,)),
        lambda x: cond(x.min() < -2, lambda x: x + 10, lambda x: x - 10, (x,)),
        (x,),
    ),
    (x.abs(),), (x.abs() * 9,), (-x.abs(),), (-x.abs() * 9,),
)
case("cond_one_after_the_other", lambda x: cond((y := cond(x.sum() > 0, lambda x: x * 2, lambda x: -x, (x,))).max() > 3, lambda y: y - 3, lambda y: y + 3, (y,)), (x,), (-x,), (x * 9,))
case("cond_weights", lambda m, x: cond(x.sum() > 0, lambda x: m.linear(x), lambda x: m.other(x) + m.offset, (x,)), (x,), (-x,), layers=True)
case("cond_convolution", lambda m, p, x: m.conv(cond(p, lambda x: m.conv(x).relu(), lambda x: m.conv(x * 2), (m.conv(x),))), (yes, r(1, 2, 5, 5)), (no, r(1, 2, 5, 5)), layers=True)
case("cond_constants", lambda p, x: cond(p, lambda x: x + torch.arange(1.0, 5.0), lambda x: x * 3.5, (x,)), (yes, x), (no, x))
case("cond_integers", lambda p, x: cond(p, lambda x: (x * 2, x // 2), lambda x: (x + 1, x % 3), (x,)), (yes, torch.arange(6)), (no, torch.arange(6)))
case("cond_half", lambda p, x: cond(p, lambda x: x * 2, lambda x: x.softmax(-1), (x,)), (yes, x.half()), (no, x.half()))
case("cond_empty", lambda p, x: cond(p, lambda x: x * 2, lambda x: x + 1, (x,)), (yes, r(0, 4)), (no, r(0, 4)))
case("cond_rank_0", lambda x: cond(x > 0, lambda x: x * 2, lambda x: x - 1, (x,)), (torch.tensor(2.0),), (torch.tensor(-2.0),))
case("cond_of_a_size", lambda x: cond(x.shape[0] > 4, lambda x: x.cos(), lambda x: x.sin(), (x,)), (r(3, 4),), (r(7, 4),), (r(2, 4),), shapes=({0: Dim("n", min=2, max=9)},))
case("cond_of_any_length", lambda p, x: cond(p, lambda x: x.cumsum(0), lambda x: x @ x.T @ x, (x,)), (yes, r(3, 4)), (no, r(3, 4)), (yes, r(7, 4)), (no, r(2, 4)), shapes=(None, {0: Dim("n", min=2, max=9)}))
case("cond_of_flags", lambda x: cond((x > 0).any(), lambda x: x * 2, lambda x: x - 1, (x,)), (x,), (-x.abs(),))
case("cond_strict", lambda x: cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,)), (x,), (-x,), strict=True)
case("cond_decomposed", lambda m, x: cond(x.sum() > 0, lambda x: m.linear(x).softmax(-1), lambda x: m.other(x) + m.offset, (x,)), (x,), (-x,), layers=True, decompose=True)
case("cond_closure", lambda m, p, x: cond(p, lambda x: m.linear(x) * m.weight, lambda x: x - m.offset, (x,)), (yes, x), (no, x), layers=True, strict=True)
case("cond_dictionary", lambda p, x: cond(p, lambda x: {"a": x * 2, "b": x}, lambda x: {"a": x - 1, "b": x * 3}, (x,)), (yes, x), (no, x))
case("cond_input_or_not", lambda p, x: cond(p, lambda x: x, lambda x: x - 1, (x,)), (yes, x), (no, x))
case("cond_integer_out", lambda p, x: cond(p, lambda x: (x * 2, 3), lambda x: (x - 1, 4), (x,)), (yes, x), (no, x))
case("cond_sizes_differ", lambda p, x: cond(p, lambda x: x[:2] * 1, lambda x: x * 1, (x,)), (yes, x), (no, x), (yes, x))
case("cond_two_producers", lambda p, x, y: cond(p, lambda a, b: a + b, lambda a, b: a * b, (x.exp(), y.softmax(-1))), (yes, x, r(3, 4)), (no, x, r(3, 4)))

# ---- while_loop ----

case("while", lambda x: while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x)), (x,))
case("while_numbers", lambda n: while_loop(lambda i, j: i < 9, lambda i, j: (i + j, j + 1), (n, n + 1)), (1,), (4,), (20,), shapes=(Dim.DYNAMIC,))
case("while_condition", lambda x: while_loop(lambda x: x.sum() < 100, lambda x: (x * 2,), (x,)), (x.abs(),), (x.abs() * 100,))
case("while_no_steps", lambda n, x: while_loop(lambda i, x: i < n, lambda i, x: (i + 1, x.sin()), (torch.tensor(0), x)), (torch.tensor(4), x), (torch.tensor(0), x), (torch.tensor(-1), x))
case("while_exchanged", lambda x, y: while_loop(lambda i, x, y: i < 3, lambda i, x, y: (i + 1, y.clone(), x + y), (torch.tensor(0), x, y)), (x, r(3, 4)))
case("while_numbers_exchanged", lambda n: while_loop(lambda i, j: i < 9, lambda i, j: (j, i + 3), (n, n + 1)), (1,), (4,), (20,), shapes=(Dim.DYNAMIC,))
case("while_weights", lambda m, x: while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, m.linear(x).tanh() + m.offset), (torch.tensor(0), x)), (x,), layers=True)
case(
    "while_cond_inside",
    lambda x: while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, cond(i % 2 == 0, lambda x: x * 2, lambda x: x - 1, (x,))), (torch.tensor(0), x)),
    (x,),
)
case(
    "while_in_cond",
    lambda p, x: cond(p, lambda x: while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.zeros((), dtype=torch.int64), x))[1] + 0, lambda x: x - 1, (x,)),
    (yes, x), (no, x),
)
case(
    "while_in_while",
    lambda x: while_loop(
        lambda i, x: i < 3,
        lambda i, x: (i + 1, while_loop(lambda j, x: j < i, lambda j, x: (j + 1, x + 1), (torch.zeros((), dtype=torch.int64), x * 2))[1] + 0),
        (torch.tensor(0), x),
    ),
    (x,),
)
case("while_captured", lambda x, y: while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x @ y), (torch.tensor(0), x)), (x, r(4, 4)))
case("while_rows", lambda x: while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + x.index_select(0, i.reshape(1))[0]), (torch.tensor(0), torch.zeros(4))), (x,))
case("while_any_length", lambda x: while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x.roll(1, 0) * 2), (torch.tensor(0), x)), (r(3, 4),), (r(6, 4),), shapes=({0: Dim("n", min=2, max=9)},))
case("while_used_after", lambda x: (lambda i, y: (y + x, i * 2))(*while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x))), (x,))
case("while_flags", lambda x: while_loop(lambda go, x: go.all(), lambda go, x: (x.sum(1) < 50, x * 2), (torch.ones(3, dtype=torch.bool), x)), (x.abs(),))
case("while_integers", lambda a, b: while_loop(lambda a, b: b.sum() != 0, lambda a, b: (b.clone(), a % b), (a, b)), (torch.tensor([48]), torch.tensor([18])))
case("while_many", lambda x: while_loop(lambda i, x: i < 1000, lambda i, x: (i + 1, x * 1.001), (torch.tensor(0), x)), (x,))
case("while_strict", lambda x: while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x)), (x,), strict=True)
case("while_as_long_as_a_size", lambda x: while_loop(lambda i, x: i < x.shape[0], lambda i, x: (i + 1, x * 2), (torch.tensor(0), x)), (r(3, 4),), (r(8, 4),), (r(1, 4),), shapes=({0: Dim("n", max=9)},))
case("while_decomposed", lambda m, x: while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, m.linear(x).tanh()), (torch.tensor(0), x)), (x,), layers=True, decompose=True)

# ---- map ----

case("map", lambda x: map_(lambda row: row * 2 + 1, x), (x,))
case("map_captured", lambda x, y: map_(lambda row, y: row * y, x, y), (x, r(4)))
case("map_weights", lambda m, x: map_(lambda row: m.linear(row) + m.offset, x), (x,), layers=True)
case("map_inputs", lambda x, y: map_(lambda rows: rows[0] * rows[1], (x, y)), (x, r(3, 4)))
case("map_outputs", lambda x: map_(lambda row: (row.sin(), row.sum(), row > 0), x), (x,))
case("map_one", lambda x: map_(lambda row: row.exp(), x), (r(1, 4),))
case("map_empty", lambda x: map_(lambda row: row.reshape(-1) * 2, x), (r(3, 0, 4),))
case("map_vectors", lambda x: map_(lambda e: e * 2, x), (r(5),))
case("map_any_length", lambda x: map_(lambda row: row * 2, x), (r(3, 4),), (r(8, 4),), (r(1, 4),), shapes=({0: Dim("n", max=9)},))
case("map_cond_inside", lambda x: map_(lambda row: cond(row.sum() > 0, lambda r: r * 2, lambda r: r - 1, (row,)), x), (x,), (-x,))
case("map_in_map", lambda x: map_(lambda row: map_(lambda e: e * e.sin(), row) + 1, x), (x,))
case("map_matrices", lambda x, y: map_(lambda m, y: (m @ y).relu(), x, y), (r(3, 2, 4), r(4, 5)))
case("map_of_a_view", lambda x: map_(lambda row: row * 2, x.T), (x,))
case("map_used_after", lambda x: map_(lambda row: row * 2, x + 1).sum(0) + 1, (x,))
case("map_strict", lambda x: map_(lambda row: row * 2 + 1, x), (x,), strict=True)
case("map_decomposed", lambda m, x: map_(lambda row: m.linear(row).softmax(-1), x), (x,), layers=True, decompose=True)

# ---- scan ----

step = lambda c, x: (c + x, c * x)
case("scan", lambda c, x: scan(step, c, x), (r(4), x))
case("scan_reverse", lambda c, x: scan(step, c, x, reverse=True), (r(4), x))
case("scan_dim", lambda c, x: scan(step, c, x, dim=1), (r(3), x))
case("scan_dim_reverse", lambda c, x: scan(step, c, x, dim=1, reverse=True), (r(3), x))
case("scan_carries", lambda c, d, x, y: scan(lambda c, x: ((c[0] + x[0], c[1] * x[1]), (c[0] - x[1], c[1].sum())), (c, d), (x, y)), (r(4), r(4), x, r(3, 4)))
case("scan_exchanged", lambda c, d, x: scan(lambda c, x: ((c[1] + 0, c[0] + x), c[0] * 1), (c, d), x), (r(4), r(4), x))
case("scan_weights", lambda m, h, x: scan(lambda h, x: ((y := (m.linear(x) + m.other(h)).tanh()), y + m.offset), h, x), (r(4), r(5, 4)), layers=True)
case("scan_one", lambda c, x: scan(step, c, x), (r(4), r(1, 4)))
case("scan_any_length", lambda c, x: scan(step, c, x), (r(4), x), (r(4), r(7, 4)), (r(4), r(2, 4)), shapes=(None, {0: Dim("n", min=2, max=9)}))
case("scan_of_numbers", lambda c, x: scan(step, c, x), (torch.tensor(1.0), r(6)))
case("scan_cond_inside", lambda c, x: scan(lambda c, x: ((y := cond(x.sum() > 0, lambda c, x: c + x, lambda c, x: c - x, (c, x))), y * 2), c, x), (r(4), x))
case("scan_integers", lambda c, x: scan(lambda c, x: (c + x, c * 1), c, x), (torch.tensor(0), torch.arange(7)))
case("scan_in_scan", lambda c, x: scan(lambda c, row: (scan(lambda c, e: (c + e, c * e), c, row)[0] + 0, c * 1), c, x), (torch.tensor(1.0), x))
case("scan_strict", lambda c, x: scan(step, c, x), (r(4), x), strict=True)
case("scan_decomposed", lambda c, x: scan(lambda c, x: ((c + x).softmax(-1), c * x), c, x), (r(4), x), decompose=True)

# ---- associative_scan ----

case("prefix_sums", lambda x: associative_scan(lambda a, b: a + b, x, 0), (x,))
case("prefix_products", lambda x: associative_scan(lambda a, b: a * b, x, 1, reverse=True), (x,))
case("prefix_pairs", lambda x, y: associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (x, y), 0), (r(6, 3), r(6, 3)))
case("prefix_one", lambda x: associative_scan(torch.maximum, x, 0), (r(1, 4),))
case("prefix_of_any_length", lambda x: associative_scan(torch.maximum, x, 0), (r(5, 2),), (r(9, 2),), (r(2, 2),), shapes=({0: Dim("n", min=2, max=9)},))

# ---- modes ----


def without_gradients(x):
    with torch.no_grad():
        y = x * 2
    with torch.enable_grad():
        z = y + 1
    return z * y


case("no_grad", without_gradients, (x,))


def without_autocast(x):
    with torch.autocast("cpu", enabled=False):
        return x @ x.T


def within_autocast(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return x @ x.T


case("no_autocast", without_autocast, (x,))
case("autocast", within_autocast, (x,), refused="autocast is not supported inside a model")
case("vmap", lambda x: torch.vmap(lambda row: row.sum() * row)(x), (x,), refused="_add_batch_dim")
case("vmap_decomposed", lambda x: torch.vmap(lambda row: row.sum() * row)(x), (x,), decompose=True)
case("checkpoint", lambda m, x: torch.utils.checkpoint.checkpoint(lambda x: m.linear(x).relu(), x, use_reentrant=False) + x, (x,), layers=True)

# ---- scalars, and values that come back ----

case("scalars_out", lambda x: (x * 2, 3, 2.5, True, None, x + 1), (x,))
case("int_in", lambda x, n, f: x * n + f, (x, 3, 0.5))
case("int_in_any", lambda x, n: (x * n, n + 1, n), (x, 3), (x, 7), shapes=(None, Dim.DYNAMIC))
case("bool_in", lambda x, b: x * 2 if b else x, (x, True))
case("none_in", lambda x, y: x if y is None else x + y, (x, None))
case("size_out", lambda x: (x.shape[0], x.shape[0] * 2, x.sum(0)), (r(3, 4),), (r(5, 4),), shapes=({0: Dim("n", min=2, max=9)},))
case("item_out", lambda x: (x.sum().item(), x + 1), (x,))
case("int_item_out", lambda x: (x.sum().item(), x + 1), (torch.arange(5),))
case("input_returned", lambda x: x, (x,))
case("input_returned_twice", lambda x: (x, x), (x,))
case("input_returned_and_used", lambda x: (x, x + 1, x), (x,))
case("view_returned", lambda x: (x.T, x[1], x.T), (x,))
case("constant_returned", lambda m, x: (m.offset, x + 1, m.offset), (x,), layers=True)
case("constants_only", lambda m, x: (m.offset, m.weight), (x,), layers=True)
case("same_twice", lambda x: ((y := x * 2), y, y + 1, y), (x,))
case("unused_inputs", lambda x, y, z: y * 2, (x, r(4), r(2)))
case("nothing_used", lambda x: torch.arange(3), (x,))
case("number_of_a_tensor", lambda x, n: x * n.item(), (x, torch.tensor(3)))


def counted(m, p, x):
    m.count.add_(cond(p, lambda x: x * 2, lambda x: x - 1, (x,)))
    return m.count + 1


case("cond_into_a_buffer", counted, (yes, r(4)), (no, r(4)), (yes, r(4)), layers=True)


def counted_in_a_branch(m, p, x):
    def count(x):
        m.count.add_(x)
        return x * 2

    return cond(p, count, lambda x: x - 1, (x,)), m.count * 1


def counted_in_both(m, p, x):
    def add(x):
        m.count[1:].add_(x[1:])
        return m.count * 2

    def scale(x):
        m.count.mul_(x)
        m.offset.add_(1)
        return m.count - x

    return cond(p, add, scale, (x,)), m.count + m.offset


def counted_deep_inside(m, p, x):
    def count(x):
        m.count.add_(x)
        return x + m.count

    return cond(p, lambda x: cond(x.sum() > 0, count, lambda x: x * 3, (x,)), lambda x: x - 1, (x,)), m.count * 1


def counted_in_a_loop(m, x):
    def body(i, x):
        m.count.add_(x)
        return i + 1, x * 2

    return while_loop(lambda i, x: i < 3, body, (torch.tensor(0), x))[1], m.count * 1


case("branch_writes", counted_in_a_branch, (yes, r(4)), (no, r(4)), (yes, r(4)), layers=True)
case("branches_write", counted_in_both, (yes, r(4)), (no, r(4)), (yes, r(4)), layers=True)
case("branch_writes_deep_inside", counted_deep_inside, (yes, r(4).abs()), (no, r(4)), (yes, -r(4).abs()), layers=True)
case("loop_writes", counted_in_a_loop, (r(4),), (r(4),), layers=True)


def looped(m, x):
    m.count.copy_(while_loop(lambda i, c: i < 3, lambda i, c: (i + 1, c + x), (torch.tensor(0), m.count.clone()))[1])
    return m.count * 2


case("while_into_a_buffer", looped, (r(4),), (r(4),), layers=True)

with open(f"{sys.argv[1]}/index.jsonl", "w") as f:
    for row in rows:
        f.write(json.dumps(row) + "\n")
save_file(tensors, f"{sys.argv[1]}/tensors.safetensors")
