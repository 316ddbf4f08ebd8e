// Views, copies, splits and joins: everything that moves elements without changing them.

#include <algorithm>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

Value* self(X& x) { return x.tensor("self"); }

// ---- conversions; memory formats and devices do not change what a value is ----

Value* convert(X& x, Value* a, std::optional<DType> dtype) {
  const bool copy = x.node().schema->arg_index("copy") >= 0 && x.flag("copy");
  if (dtype && *dtype != x.dtype_of(a)) return x.to(a, *dtype);
  return copy ? x.op("aten::clone", {a}) : a;
}

Value* convert_to_argument(X& x) { return convert(x, self(x), x.dtype("dtype")); }
Value* convert_to_other(X& x) { return convert(x, self(x), x.dtype_of(x.tensor("other"))); }
Value* same(X& x) { return self(x); }

// ---- views ----

/// view with sizes as they come, -1 included.
Value* view_as_given(X& x, const char* sizes) { return x.op("aten::view", {self(x), x.arg(sizes)}); }

Value* unflatten(X& x) {
  Value* a = self(x);
  const int64_t axis = x.axis("dim", x.rank(a));
  Arg::List sizes;
  for (int64_t i = 0; i < int64_t(x.rank(a)); ++i) {
    if (i != axis) sizes.push_back(x.builder().size(x.dim(a, i)));
    else for (const Arg& s : x.arg("sizes").list()) sizes.push_back(s);
  }
  return x.op("aten::view", {a, sizes});
}

Value* transpose_matrix(X& x) {
  Value* a = self(x);
  x.require(x.rank(a) >= 2, "a matrix needs two dimensions");
  return x.transpose(a, -2, -1);
}
Value* adjoint(X& x) { return conj(x, transpose_matrix(x)); }
Value* t(X& x) {
  Value* a = self(x);
  x.require(x.rank(a) <= 2, "at most two dimensions");
  return x.rank(a) < 2 ? a : x.permute(a, {1, 0});
}
Value* reverse_axes(X& x) {
  Axes order = x.all_axes(self(x));
  std::reverse(order.begin(), order.end());
  return x.permute(self(x), order);
}

Value* narrow(X& x) {
  Value* a = self(x);
  const int64_t axis = x.axis("dim", x.rank(a));
  Dim start = x.size("start");
  if (start.is_static() && start.value() < 0) start = x.dim(a, axis) + start;
  return x.slice(a, axis, start, start + x.size("length"));
}

/// The leading elements, in row-major order; new ones are 0 where PyTorch leaves them unset.
Value* resize(X& x, const Dims& to) {
  const int64_t have = x.known(x.product(x.dims(self(x))), "the number of elements"), want = x.known(x.product(to), "the new number of elements");
  Value* flat = x.view(self(x), {Dim(have)});
  if (want < have) flat = x.slice(flat, 0, Dim(0), Dim(want));
  if (want > have) flat = x.op("aten::constant_pad_nd", {flat, Axes{0, want - have}, 0});
  return x.view(flat, to);
}

// ---- rank ----

Value* at_least(X& x, Value* a, size_t rank) {
  const Dims d = x.dims(a);
  if (d.size() >= rank) return a;
  if (rank == 1) return x.view(a, {Dim(1)});
  if (rank == 2) return x.view(a, {Dim(1), d.empty() ? Dim(1) : d[0]});
  if (d.size() == 2) return x.view(a, {d[0], d[1], Dim(1)});
  return x.view(a, {Dim(1), d.empty() ? Dim(1) : d[0], Dim(1)});
}
Values at_least(X& x, Values all, size_t rank) {
  for (Value*& v : all) v = at_least(x, v, rank);
  return all;
}

Value* hstack(X& x) {
  const Values all = at_least(x, x.tensors("tensors"), 1);
  x.require(!all.empty(), "an empty list of tensors");
  return x.cat(all, x.rank(all[0]) == 1 ? 0 : 1);
}
Value* vstack(X& x) { return x.cat(at_least(x, x.tensors("tensors"), 2), 0); }
Value* dstack(X& x) { return x.cat(at_least(x, x.tensors("tensors"), 3), 2); }
Value* column_stack(X& x) {
  Values all = x.tensors("tensors");
  for (Value*& v : all)
    if (x.rank(v) < 2) v = x.view(v, {x.product(x.dims(v)), Dim(1)});
  return x.cat(all, 1);
}

// ---- splits; how many pieces there are is in the node ----

Values pieces(X& x, Value* a, int64_t axis, const Dims& ends) {
  Values all;
  Dim start = 0;
  for (const Dim& end : ends) {
    all.push_back(x.slice(a, axis, start, end));
    start = end;
  }
  return all;
}

/// Pieces of one length, the last one shorter.
Values split_by(X& x, Value* a, int64_t axis, const Dim& length) {
  const Dim size = x.dim(a, axis);
  Dims ends;
  for (size_t i = 1; i < x.result_count(); ++i) ends.push_back(length * Dim(int64_t(i)));
  ends.push_back(size);
  return pieces(x, a, axis, ends);
}

Values split(X& x) { return split_by(x, self(x), x.axis("dim", x.rank(self(x))), x.size("split_size")); }

Values chunk(X& x) {
  const int64_t axis = x.axis("dim", x.rank(self(x))), chunks = x.integer("chunks");
  x.require(chunks > 0, "the number of chunks is not positive");
  return split_by(x, self(x), axis, floor_div(x.dim(self(x), axis) + Dim(chunks - 1), Dim(chunks)));
}

Values split_sizes(X& x, const char* name) {
  const int64_t axis = x.axis("dim", x.rank(self(x)));
  Dims ends;
  Dim end = 0;
  for (const Dim& d : x.sizes(name)) ends.push_back(end = end + d);
  return pieces(x, self(x), axis, ends);
}
Values split_with_sizes(X& x) { return split_sizes(x, "split_sizes"); }

/// tensor_split: lengths that differ by one at most, the longer ones first.
Values split_evenly(X& x, int64_t axis, int64_t sections) {
  x.require(sections > 0, "the number of sections is not positive");
  const Dim size = x.dim(self(x), axis), length = floor_div(size, Dim(sections)), longer = mod(size, Dim(sections));
  Dims ends;
  for (int64_t i = 1; i < sections; ++i) ends.push_back(length * Dim(i) + min(longer, Dim(i)));
  ends.push_back(size);
  return pieces(x, self(x), axis, ends);
}

Values split_at(X& x, int64_t axis, const Axes& indices) {
  const Dim size = x.dim(self(x), axis);
  const auto place = [&](int64_t i) { return max(Dim(0), min(size, i < 0 ? size + Dim(i) : Dim(i))); };
  Values all;
  for (size_t i = 0; i <= indices.size(); ++i) {
    const Dim start = i == 0 ? Dim(0) : place(indices[i - 1]);
    const Dim end = i == indices.size() ? size : place(indices[i]);
    all.push_back(x.slice(self(x), axis, start, max(start, end)));
  }
  return all;
}

/// Numbers in a small constant that sits in the program.
std::optional<Axes> constant_ints(const Value* v) {
  if (!v || v->role != Value::Role::kConstant || !v->constant || v->type.dtype != DType::kI64 || v->constant->size() > 4096) return std::nullopt;
  Axes all(v->constant->size() / sizeof(int64_t));
  if (!v->constant->read({reinterpret_cast<std::byte*>(all.data()), all.size() * sizeof(int64_t)}).ok()) return std::nullopt;
  return all;
}

/// The constant behind aliases and copies, as tracing a tensor literal leaves them.
const Value* behind_copies(const Value* v) {
  while (v->producer && (v->producer->op.find("lift_fresh") != std::string::npos || v->producer->op.find("detach") != std::string::npos ||
                         v->producer->op.find("clone") != std::string::npos || v->producer->op.find("alias") != std::string::npos) && v->producer->input(0))
    v = v->producer->input(0);
  return v;
}

Values tensor_split_by_tensor(X& x) {
  const int64_t axis = x.axis("dim", x.rank(self(x)));
  const Value* given = x.tensor("tensor_indices_or_sections");
  const auto numbers = constant_ints(behind_copies(given));
  if (!numbers) x.refuse("tensor_split: where to split has to be known while compiling");
  return x.rank(given) == 0 ? split_evenly(x, axis, numbers->at(0)) : split_at(x, axis, *numbers);
}

/// hsplit, vsplit and dsplit: along the last named dimension that the rank allows.
int64_t split_axis(X& x, int64_t axis) {
  if (axis == 1 && x.rank(self(x)) == 1) return 0;
  x.require(int64_t(x.rank(self(x))) > axis, "the tensor has too few dimensions");
  return axis;
}
template <int64_t kAxis>
Values split_sections(X& x) {
  const int64_t axis = split_axis(x, kAxis), n = x.integer("sections");
  const Dim rest = n > 0 ? mod(x.dim(self(x), axis), Dim(n)) : Dim(1);
  x.require(!rest.is_static() || rest.value() == 0, "the sections do not divide the size");
  return split_evenly(x, axis, n);
}
template <int64_t kAxis>
Values split_indices(X& x) { return split_at(x, split_axis(x, kAxis), x.ints("indices")); }

Values unbind_all(X& x) { return unbind(x, self(x), x.axis("dim", x.rank(self(x)))); }

// ---- joins ----

Values meshgrid(X& x, bool swapped) {
  Values all = x.tensors("tensors");
  x.require(!all.empty(), "meshgrid: no tensors");
  swapped = swapped && all.size() >= 2;
  if (swapped) std::swap(all[0], all[1]);
  Dims full;
  for (Value* v : all) full.push_back(x.product(x.dims(v)));
  Values out;
  for (size_t i = 0; i < all.size(); ++i) {
    Dims d(all.size(), Dim(1));
    d[i] = full[i];
    out.push_back(x.expand(x.view(all[i], d), full));
  }
  if (swapped) std::swap(out[0], out[1]);
  return out;
}

Value* block_diag(X& x) {
  Values all = at_least(x, x.tensors("tensors"), 2);
  x.require(!all.empty(), "block_diag: no tensors");
  Dim width = 0, before = 0;
  for (Value* v : all) width = width + x.dim(v, 1);
  Values rows;
  for (Value* v : all) {
    const Dim after = width - before - x.dim(v, 1);
    rows.push_back(x.op("aten::constant_pad_nd", {v, x.builder().sizes({before, after}), x.zero(x.dtype_of(v))}));
    before = before + x.dim(v, 1);
  }
  return x.cat(rows, 0);
}

Value* cartesian_prod(X& x) {
  const Values all = x.tensors("tensors");
  if (all.size() == 1) return all[0];
  Values columns = meshgrid(x, false);
  for (Value*& v : columns) v = x.flatten(v, 0, -1);
  return x.stack(columns, 1);
}

Value* combinations(X& x) {
  Value* a = self(x);
  const int64_t n = x.known(x.dim(a, 0), "the number of elements to combine"), r = x.integer("r");
  const bool again = x.flag("with_replacement");
  x.require(r >= 0, "combinations: r is negative");
  std::vector<double> picks;
  std::vector<int64_t> at(static_cast<size_t>(r));
  int64_t count = 0;
  for (int64_t i = 0; i < r; ++i) at[size_t(i)] = again ? 0 : i;
  for (bool more = r > 0 && (again ? n > 0 : r <= n); more;) {
    picks.insert(picks.end(), at.begin(), at.end());
    x.require(++count <= 1 << 20, "combinations: too many");
    int64_t i = r - 1;
    while (i >= 0 && at[size_t(i)] == (again ? n - 1 : n - r + i)) --i;
    more = i >= 0;
    if (!more) break;
    ++at[size_t(i)];
    for (int64_t j = i + 1; j < r; ++j) at[size_t(j)] = again ? at[size_t(i)] : at[size_t(j - 1)] + 1;
  }
  if (picks.empty()) return x.zeros(r == 0 ? Dims{Dim(0)} : Dims{Dim(0), Dim(r)}, x.dtype_of(a));
  Value* index = x.builder().constant(DType::kI64, {int64_t(picks.size())}, picks);
  return x.view(x.op("aten::index_select", {a, 0, index}), {Dim(count), Dim(r)});
}

/// Each tensor is padded to a whole number of chunks, cut into them, and the chunks are joined one by one.
Value* chunk_cat(X& x) {
  const int64_t chunks = x.integer("num_chunks");
  x.require(chunks > 0, "the number of chunks is not positive");
  const Values all = x.tensors("tensors");
  const int64_t axis = x.axis("dim", x.rank(all.at(0)));
  Values parts;
  for (Value* v : all) {
    const Dim size = x.dim(v, axis), each = floor_div(size + Dim(chunks - 1), Dim(chunks));
    Arg::List amounts(2 * (x.rank(v) - size_t(axis)), Arg(0));
    amounts.back() = x.builder().size(each * Dim(chunks) - size);
    Value* padded = size == each * Dim(chunks) ? v : x.op("aten::constant_pad_nd", {v, amounts, x.zero(x.dtype_of(v))});
    Dims d(x.dims(v).begin(), x.dims(v).begin() + axis);
    d.push_back(Dim(chunks));
    d.push_back(x.product(x.dims(v), size_t(axis) + 1) * each);
    parts.push_back(x.view(padded, d));
  }
  return x.cat(parts, axis + 1);
}

// ---- repetition ----

Value* tile(X& x) {
  Arg::List times = x.arg("dims").list();
  while (times.size() < x.rank(self(x))) times.insert(times.begin(), Arg(1));
  return x.op("aten::repeat", {self(x), times});
}

Value* repeat_each(X& x) {
  Value* a = self(x);
  if (!x.has("dim")) a = x.flatten(a, 0, -1);
  const int64_t axis = x.has("dim") ? x.axis("dim", x.rank(a)) : 0;
  if (x.rank(a) == 0) a = x.view(a, {Dim(1)});
  Dims wide = x.dims(a), flat = wide;
  wide.insert(wide.begin() + axis + 1, x.size("repeats"));
  flat[size_t(axis)] = flat[size_t(axis)] * x.size("repeats");
  return x.view(x.expand(x.unsqueeze(a, axis + 1), wide), flat);
}

// ---- images ----

Value* pixel_shuffle(X& x) {
  Value* a = self(x);
  const int64_t r = x.integer("upscale_factor");
  x.require(r > 0 && x.rank(a) >= 3, "pixel_shuffle: a factor above zero and three dimensions or more");
  const Dims d = x.dims(a);
  const Dim planes = x.product(d, 0, d.size() - 3), c = floor_div(d[d.size() - 3], Dim(r * r)), h = d[d.size() - 2], w = d.back();
  Value* y = x.permute(x.view(a, {planes, c, Dim(r), Dim(r), h, w}), {0, 1, 4, 2, 5, 3});
  Dims out(d.begin(), d.end() - 3);
  out.insert(out.end(), {c, h * Dim(r), w * Dim(r)});
  return x.view(y, out);
}

Value* pixel_unshuffle(X& x) {
  Value* a = self(x);
  const int64_t r = x.integer("downscale_factor");
  x.require(r > 0 && x.rank(a) >= 3, "pixel_unshuffle: a factor above zero and three dimensions or more");
  const Dims d = x.dims(a);
  const Dim planes = x.product(d, 0, d.size() - 3), c = d[d.size() - 3];
  const Dim h = floor_div(d[d.size() - 2], Dim(r)), w = floor_div(d.back(), Dim(r));
  Value* y = x.permute(x.view(a, {planes, c, h, Dim(r), w, Dim(r)}), {0, 1, 3, 5, 2, 4});
  Dims out(d.begin(), d.end() - 3);
  out.insert(out.end(), {c * Dim(r * r), h, w});
  return x.view(y, out);
}

Value* channel_shuffle(X& x) {
  Value* a = self(x);
  const int64_t groups = x.integer("groups");
  x.require(groups > 0 && x.rank(a) >= 3, "channel_shuffle: groups above zero and three dimensions or more");
  const Dims d = x.dims(a);
  Value* y = x.view(a, {d[0], Dim(groups), floor_div(d[1], Dim(groups)), x.product(d, 2)});
  return x.view(x.permute(y, {0, 2, 1, 3}), d);
}

/// Windows as columns: one strided slice for each place in the kernel.
Value* im2col(X& x) {
  Value* a = self(x);
  const Axes k = x.ints("kernel_size", 2), dilation = x.ints("dilation", 2), padding = x.ints("padding", 2), stride = x.ints("stride", 2);
  const bool unbatched = x.rank(a) == 3;
  x.require(unbatched || x.rank(a) == 4, "im2col: the input needs three or four dimensions");
  if (unbatched) a = x.unsqueeze(a, 0);
  if (padding[0] || padding[1])
    a = x.op("aten::constant_pad_nd", {a, Axes{padding[1], padding[1], padding[0], padding[0]}, x.zero(x.dtype_of(a))});
  const auto count = [&](int axis, size_t i) { return floor_div(x.dim(a, axis) - Dim(dilation[i] * (k[i] - 1) + 1), Dim(stride[i])) + Dim(1); };
  const Dim rows = count(2, 0), columns = count(3, 1);
  Values windows;
  for (int64_t i = 0; i < k[0]; ++i) {
    Value* band = x.slice(a, 2, i * dilation[0], Dim(i * dilation[0] + 1) + (rows - Dim(1)) * Dim(stride[0]), stride[0]);
    for (int64_t j = 0; j < k[1]; ++j)
      windows.push_back(x.slice(band, 3, j * dilation[1], Dim(j * dilation[1] + 1) + (columns - Dim(1)) * Dim(stride[1]), stride[1]));
  }
  Value* y = x.view(x.stack(windows, 2), {x.dim(a, 0), x.dim(a, 1) * Dim(k[0] * k[1]), rows * columns});
  return unbatched ? x.squeeze(y, 0) : y;
}

// ---- flips and turns ----

Value* rot90(X& x) {
  Value* a = self(x);
  const Axes d = x.wrap(x.ints("dims"), x.rank(a));
  x.require(d.size() == 2 && d[0] != d[1], "rot90: two different dimensions");
  switch (((x.integer("k") % 4) + 4) % 4) {
    case 1: return x.transpose(x.flip(a, {d[1]}), d[0], d[1]);
    case 2: return x.flip(a, d);
    case 3: return x.transpose(x.flip(a, {d[0]}), d[0], d[1]);
    default: return a;
  }
}

Value* roll_halves(X& x, bool forward) {
  Value* a = self(x);
  for (int64_t axis : x.axes("dim", x.rank(a))) {
    const Dim n = x.dim(a, axis), half = floor_div(n, Dim(2)), cut = forward ? n - half : half;
    a = x.cat({x.slice(a, axis, cut, n), x.slice(a, axis, 0, cut)}, axis);
  }
  return a;
}

// ---- diagonals ----

Value* diag_embed(X& x, Value* a, int64_t offset, int64_t axis1, int64_t axis2) {
  const int64_t rank = int64_t(x.rank(a));
  axis1 = x.wrap(axis1, size_t(rank + 1));
  axis2 = x.wrap(axis2, size_t(rank + 1));
  x.require(axis1 != axis2 && rank >= 1, "diag_embed: two different dimensions");
  const int64_t shift = offset < 0 ? -offset : offset;
  if (shift) a = x.op("aten::constant_pad_nd", {a, offset < 0 ? Axes{shift, 0} : Axes{0, shift}, x.zero(x.dtype_of(a))});
  const Dim size = x.dim(a, -1);
  Value* i = x.arange(size, DType::kI64);
  Value* on = x.eq(x.unsqueeze(i, 0), x.unsqueeze(x.add(i, offset), 1));
  return movedim(x, x.where(on, x.unsqueeze(a, -1), x.zero(x.dtype_of(a))), {-2, -1}, {axis1, axis2});
}

Value* diag(X& x) {
  Value* a = self(x);
  const int64_t offset = x.integer("diagonal");
  x.require(x.rank(a) == 1 || x.rank(a) == 2, "diag: one or two dimensions");
  return x.rank(a) == 1 ? diag_embed(x, a, offset, -2, -1) : diagonal(x, a, offset, 0, 1);
}

Value* sum_to_size(X& x) {
  Value* a = self(x);
  const Dims want = x.sizes("size");
  x.require(want.size() <= x.rank(a), "sum_to_size: more dimensions than the tensor has");
  const int64_t extra = int64_t(x.rank(a) - want.size());
  if (extra) a = x.sum(a, x.iota(0, extra));
  Axes gone;
  for (size_t i = 0; i < want.size(); ++i)
    if (want[i] == Dim(1) && !(x.dims(a)[i] == Dim(1))) gone.push_back(int64_t(i));
  return gone.empty() ? a : x.sum(a, gone, true);
}

constexpr Row kRows[] = {
    {"aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
     convert_to_argument},
    {"aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) "
     "-> Tensor(a)", convert_to_argument},
    {"aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
     "bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)", convert_to_argument},
    {"aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
     convert_to_other},
    {"aten::type_as(Tensor self, Tensor other) -> Tensor", convert_to_other},
    {"aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)", same},
    {"aten::resolve_conj(Tensor(a) self) -> Tensor(a)", same},
    {"aten::resolve_neg(Tensor(a) self) -> Tensor(a)", same},
    {"aten::positive(Tensor(a) self) -> Tensor(a)", same},

    {"aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)", [](X& x) { return view_as_given(x, "shape"); }},
    {"aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor", [](X& x) { return view_as_given(x, "size"); }},
    {"aten::_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)", [](X& x) { return view_as_given(x, "size"); }},
    {"aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)", [](X& x) { return x.view(self(x), x.dims(x.tensor("other"))); }},
    {"aten::resize(Tensor self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor", [](X& x) { return resize(x, x.sizes("size")); }},
    {"aten::resize_as(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor",
     [](X& x) { return resize(x, x.dims(x.tensor("the_template"))); }},
    {"aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)", [](X& x) { return x.view(self(x), x.dims(x.tensor("other"))); }},
    {"aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)", [](X& x) { return x.expand(self(x), x.dims(x.tensor("other"))); }},
    {"aten::broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)", [](X& x) { return x.op("aten::expand", {self(x), x.arg("size")}); }},
    {"aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)",
     [](X& x) { return x.flatten(self(x), x.integer("start_dim"), x.integer("end_dim")); }},
    {"aten::ravel(Tensor(a) self) -> Tensor(a)", [](X& x) { return x.flatten(self(x), 0, -1); }},
    {"aten::unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)", unflatten},
    {"aten::t(Tensor(a) self) -> Tensor(a)", t},
    {"aten::numpy_T(Tensor(a) self) -> Tensor(a)", reverse_axes},
    {"aten::mT(Tensor(a) self) -> Tensor(a)", transpose_matrix},
    {"aten::mH(Tensor(a) self) -> Tensor(a)", adjoint},
    {"aten::matrix_H(Tensor(a) self) -> Tensor(a)", adjoint},
    {"aten::adjoint(Tensor(a) self) -> Tensor(a)", adjoint},
    {"aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)",
     [](X& x) { return x.transpose(self(x), x.integer("axis0"), x.integer("axis1")); }},
    {"aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
     [](X& x) { return x.transpose(self(x), x.integer("dim0"), x.integer("dim1")); }},
    {"aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)",
     [](X& x) { return movedim(x, self(x), x.ints("source"), x.ints("destination")); }},
    {"aten::movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)",
     [](X& x) { return movedim(x, self(x), {x.integer("source")}, {x.integer("destination")}); }},
    {"aten::moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)",
     [](X& x) { return movedim(x, self(x), x.ints("source"), x.ints("destination")); }},
    {"aten::moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)",
     [](X& x) { return movedim(x, self(x), {x.integer("source")}, {x.integer("destination")}); }},
    {"aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)", narrow},
    {"aten::narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor", narrow},

    {"aten::atleast_1d(Tensor self) -> Tensor", [](X& x) { return at_least(x, self(x), 1); }},
    {"aten::atleast_2d(Tensor self) -> Tensor", [](X& x) { return at_least(x, self(x), 2); }},
    {"aten::atleast_3d(Tensor self) -> Tensor", [](X& x) { return at_least(x, self(x), 3); }},
    {"aten::atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]", [](X& x) { return at_least(x, x.tensors("tensors"), 1); }},
    {"aten::atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]", [](X& x) { return at_least(x, x.tensors("tensors"), 2); }},
    {"aten::atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]", [](X& x) { return at_least(x, x.tensors("tensors"), 3); }},

    {"aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]", split},
    {"aten::unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", split},
    {"aten::split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", split},
    {"aten::split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]", [](X& x) { return split_sizes(x, "split_size"); }},
    {"aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]", split_with_sizes},
    {"aten::split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", split_with_sizes},
    {"aten::unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", split_with_sizes},
    {"aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]", chunk},
    {"aten::unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]", chunk},
    {"aten::tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]",
     [](X& x) { return split_evenly(x, x.axis("dim", x.rank(self(x))), x.integer("sections")); }},
    {"aten::tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]",
     [](X& x) { return split_at(x, x.axis("dim", x.rank(self(x))), x.ints("indices")); }},
    {"aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]",
     tensor_split_by_tensor},
    {"aten::hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", split_sections<1>},
    {"aten::hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", split_indices<1>},
    {"aten::vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", split_sections<0>},
    {"aten::vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", split_indices<0>},
    {"aten::dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", split_sections<2>},
    {"aten::dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", split_indices<2>},
    {"aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", unbind_all},
    {"aten::unbind_copy.int(Tensor self, int dim=0) -> Tensor[]", unbind_all},

    {"aten::concat(Tensor[] tensors, int dim=0) -> Tensor", [](X& x) { return x.cat(x.tensors("tensors"), x.integer("dim")); }},
    {"aten::concatenate(Tensor[] tensors, int dim=0) -> Tensor", [](X& x) { return x.cat(x.tensors("tensors"), x.integer("dim")); }},
    {"aten::hstack(Tensor[] tensors) -> Tensor", hstack},
    {"aten::vstack(Tensor[] tensors) -> Tensor", vstack},
    {"aten::row_stack(Tensor[] tensors) -> Tensor", vstack},
    {"aten::dstack(Tensor[] tensors) -> Tensor", dstack},
    {"aten::column_stack(Tensor[] tensors) -> Tensor", column_stack},
    {"aten::meshgrid(Tensor[] tensors) -> Tensor[]", [](X& x) { return meshgrid(x, false); }},
    {"aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]", [](X& x) { return meshgrid(x, x.text("indexing") == "xy"); }},
    {"aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]", [](X& x) {
       Values all = x.tensors("tensors");
       const Dims d = x.broadcast(all);
       for (Value*& v : all) v = x.expand(v, d);
       return all;
     }},
    {"aten::block_diag(Tensor[] tensors) -> Tensor", block_diag},
    {"aten::cartesian_prod(Tensor[] tensors) -> Tensor", cartesian_prod},
    {"aten::combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor", combinations},
    {"aten::_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor", chunk_cat},

    {"aten::tile(Tensor self, SymInt[] dims) -> Tensor", tile},
    {"aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor", repeat_each},
    {"aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor", [](X& x) {
       Value* a = x.has("dim") ? self(x) : x.flatten(self(x), 0, -1);
       const int64_t axis = x.has("dim") ? x.axis("dim", x.rank(a)) : 0;
       Value* repeats = x.tensor("repeats");
       if (x.rank(repeats) == 0 || x.dim(repeats, 0) == Dim(1)) repeats = x.expand(repeats, {x.dim(a, axis)});
       return x.op("aten::index_select", {a, axis, x.op("aten::repeat_interleave.Tensor", {repeats, x.arg("output_size")})});
     }},

    {"aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor", pixel_shuffle},
    {"aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor", pixel_unshuffle},
    {"aten::channel_shuffle(Tensor self, SymInt groups) -> Tensor", channel_shuffle},
    {"aten::native_channel_shuffle(Tensor self, SymInt groups) -> Tensor", channel_shuffle},
    {"aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor", im2col},

    {"aten::fliplr(Tensor self) -> Tensor", [](X& x) { return x.flip(self(x), {1}); }},
    {"aten::flipud(Tensor self) -> Tensor", [](X& x) { return x.flip(self(x), {0}); }},
    {"aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor", rot90},
    {"aten::fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor", [](X& x) { return roll_halves(x, true); }},
    {"aten::fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor", [](X& x) { return roll_halves(x, false); }},

    {"aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)",
     [](X& x) { return diagonal(x, x.tensor("A"), x.integer("offset"), x.integer("dim1"), x.integer("dim2")); }},
    {"aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
     [](X& x) { return diag_embed(x, self(x), x.integer("offset"), x.integer("dim1"), x.integer("dim2")); }},
    {"aten::diag(Tensor self, int diagonal=0) -> Tensor", diag},
    {"aten::diagflat(Tensor self, int offset=0) -> Tensor", [](X& x) { return diag_embed(x, x.flatten(self(x), 0, -1), x.integer("offset"), -2, -1); }},
    {"aten::trace(Tensor self) -> Tensor", [](X& x) { return x.sum(diagonal(x, self(x), 0, 0, 1), {0}); }},
    {"aten::sum_to_size(Tensor self, SymInt[] size) -> Tensor", sum_to_size},
};

}  // namespace

Values unbind(Expansion& x, Value* a, int64_t axis) {
  Values all;
  const int64_t n = x.known(x.dim(a, axis), "the number of pieces");
  for (int64_t i = 0; i < n; ++i) all.push_back(x.select(a, axis, i));
  return all;
}

Value* movedim(Expansion& x, Value* a, const Axes& from, const Axes& to) {
  const size_t rank = x.rank(a);
  x.require(from.size() == to.size(), "as many sources as destinations");
  Axes order(rank, -1);
  std::vector<bool> used(rank, false);
  for (size_t i = 0; i < from.size() && rank > 0; ++i) {
    const int64_t source = x.wrap(from[i], rank), target = x.wrap(to[i], rank);
    x.require(!used[size_t(source)] && order[size_t(target)] < 0, "a dimension is named twice");
    order[size_t(target)] = source;
    used[size_t(source)] = true;
  }
  size_t next = 0;
  for (int64_t& place : order) {
    if (place >= 0) continue;
    while (used[next]) ++next;
    place = int64_t(next++);
  }
  return x.permute(a, order);
}

Value* diagonal(Expansion& x, Value* a, int64_t offset, int64_t axis1, int64_t axis2) {
  return x.op("aten::diagonal", {a, offset, axis1, axis2});
}

Rows shape_rows() { return kRows; }

}  // namespace glint::compiler
