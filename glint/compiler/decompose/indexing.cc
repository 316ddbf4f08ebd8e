// Gathering, scattering, searching.

#include <cmath>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

Value* self(X& x) { return x.tensor("self"); }

Value* embedding(X& x) {
  Value* table = x.tensor("weight");
  Value* indices = x.tensor("indices");
  Dims out = x.dims(indices);
  out.insert(out.end(), x.dims(table).begin() + 1, x.dims(table).end());
  return x.view(x.op("aten::index_select", {table, 0, x.view(indices, {x.product(x.dims(indices))})}), out);
}

/// [bag, i]: index i belongs to the bag. Bags start at `offsets`; index -1 padding does not count.
Values embedding_bag(X& x) {
  enum Mode : int64_t { kSum, kMean, kMax };
  Value *table = x.tensor("weight"), *indices = x.tensor("indices"), *offsets = x.tensor("offsets");
  x.require(x.rank(indices) == 1 && x.rank(offsets) == 1, "embedding_bag: indices and offsets have one dimension");
  const int64_t mode = x.integer("mode");
  const Dim count = x.dim(indices, 0);
  const Dim bags = x.flag("include_last_offset") ? x.dim(offsets, 0) - Dim(1) : x.dim(offsets, 0);
  Value* start = x.to(x.slice(offsets, 0, 0, bags), DType::kI64);
  Value* end = x.slice(offsets, 0, 1, x.dim(offsets, 0));
  if (!x.flag("include_last_offset")) end = x.cat({x.to(end, DType::kI64), x.full({Dim(1)}, x.builder().size(count), DType::kI64)}, 0);
  Value* place = x.unsqueeze(x.arange(count, DType::kI64), 0);
  Value* member = x.logical_and(x.ge(place, x.unsqueeze(start, 1)), x.lt(place, x.unsqueeze(end, 1)));
  Value* bag_of = x.sub(x.sum(x.ge(x.unsqueeze(x.arange(count, DType::kI64), 1), x.unsqueeze(start, 0)), {1}), 1);
  if (x.node().schema->arg_index("padding_idx") >= 0 && x.has("padding_idx")) {
    const int64_t p = x.integer("padding_idx"), rows = x.known(x.dim(table, 0), "the number of embeddings");
    if (p >= 0 || x.node().schema->arg_store[size_t(x.node().schema->arg_index("padding_idx"))].optional)
      member = x.logical_and(member, x.unsqueeze(x.ne(indices, p < 0 ? p + rows : p), 0));
  }
  Value* rows = x.op("aten::index_select", {table, 0, indices});
  if (x.has("per_sample_weights")) rows = x.mul(rows, x.unsqueeze(x.tensor("per_sample_weights"), 1));
  Value* size = x.sum(member, {1});
  if (mode == kMax) {
    Value* wide = x.where(x.unsqueeze(member, 2), x.unsqueeze(rows, 0), -INFINITY);
    const Values best = x.ops("aten::max.dim", {wide, 1, false});
    Value* empty = x.unsqueeze(x.eq(size, 0), 1);
    Value* from = x.op("aten::take", {indices, best[1]});
    return {x.op("aten::masked_fill.Scalar", {best[0], empty, 0.0}), bag_of, size, x.op("aten::masked_fill.Scalar", {from, empty, -1})};
  }
  Value* y = x.mm(x.to(member, x.dtype_of(rows)), rows);
  if (mode == kMean) y = x.div(y, x.unsqueeze(x.to(x.op("aten::clamp_min", {size, 1}), x.dtype_of(y)), 1));
  return {y, bag_of, size, size};
}

Value* one_hot(X& x) {
  const int64_t classes = x.integer("num_classes");
  x.require(classes > 0, "one_hot: the number of classes has to be given; otherwise the elements decide it");
  return x.to(x.eq(x.unsqueeze(self(x), -1), x.arange(classes, DType::kI64)), DType::kI64);
}

/// gather, with indices taken modulo the dimension's size.
Value* gather_wrapped(X& x, Value* a, int64_t axis, Value* index) {
  return x.op("aten::gather", {a, axis, x.op("aten::remainder.Scalar", {index, x.builder().size(x.dim(a, axis))})});
}

Value* take_along_dim(X& x) {
  Value* a = self(x);
  Value* index = x.tensor("indices");
  if (!x.has("dim")) return gather_wrapped(x, x.flatten(a, 0, -1), 0, x.flatten(index, 0, -1));
  x.require(x.rank(a) == x.rank(index), "take_along_dim: the operands have as many dimensions");
  const int64_t axis = x.axis("dim", x.rank(a));
  Dims da = x.dims(a), di = x.dims(index);
  const Dim na = da.at(size_t(axis)), ni = di.at(size_t(axis));
  da[size_t(axis)] = di[size_t(axis)] = 1;
  Dims common = x.broadcast(da, di);
  common[size_t(axis)] = na;
  a = x.expand(a, common);
  common[size_t(axis)] = ni;
  return gather_wrapped(x, a, axis, x.expand(index, common));
}

Value* take(X& x) {
  Value* a = x.flatten(self(x), 0, -1);
  Value* index = x.to(x.tensor("index"), DType::kI64);
  return x.view(x.op("aten::index.Tensor", {a, Arg::List{index}}), x.dims(index));
}

Value* put(X& x) {
  Value* a = self(x);
  const Dim count = x.product(x.dims(x.tensor("index")));
  Value* y = x.op("aten::index_put", {x.flatten(a, 0, -1), Arg::List{x.view(x.tensor("index"), {count})}, x.view(x.tensor("source"), {count}), x.arg("accumulate")});
  return x.view(y, x.dims(a));
}

/// The rows that `index` names, as a mask over `axis`.
Value* index_fill(X& x) {
  Value* a = self(x);
  const int64_t axis = x.rank(a) == 0 ? 0 : x.axis("dim", x.rank(a));
  const Dims given = x.dims(a);
  if (given.empty()) a = x.view(a, {Dim(1)});
  const Dim n = x.dim(a, axis);
  Value* index = x.flatten(x.tensor("index"), 0, -1);
  index = x.where(x.lt(index, 0), x.add(index, x.builder().size(n)), index);
  Value* hit = x.any(x.eq(x.unsqueeze(x.arange(n, DType::kI64), 1), index), {1});
  Dims d(x.rank(a), Dim(1));
  d[size_t(axis)] = n;
  hit = x.view(hit, d);
  const Arg& value = x.arg("value");
  Value* y = Expansion::is_tensor(value) ? x.where(hit, x.to(value.value(), x.dtype_of(a)), a) : x.op("aten::masked_fill.Scalar", {a, hit, value});
  return x.view(y, given);
}

Value* isin(X& x, Value* elements, Value* tests) {
  Value* found = x.any(x.eq(x.unsqueeze(elements, -1), x.flatten(tests, 0, -1)), {int64_t(x.rank(elements))});
  return x.flag("invert") ? x.logical_not(found) : found;
}

/// How many boundaries of the last dimension lie before each value: below it, or (right) not above it.
Value* search(X& x, Value* sorted, const Arg& values, bool right) {
  const bool number = !Expansion::is_tensor(values);
  Value* v = number ? x.full({Dim(1)}, values, x.dtype_of(sorted)) : values.value();
  const bool scalar = !number && x.rank(v) == 0;
  if (scalar) v = x.view(v, {Dim(1)});
  Value* wide = x.unsqueeze(sorted, -2);
  if (x.rank(sorted) == 1) {  // one sequence for all values
    Dims d(x.rank(v) + 1, Dim(1));
    d.back() = x.dim(sorted, 0);
    wide = x.view(sorted, d);
  }
  Value* each = x.unsqueeze(v, -1);
  Value* before = right ? x.le(wide, each) : x.lt(wide, each);
  if (is_floating(x.dtype_of(v))) before = x.logical_or(before, x.unary("isnan", each));  // NaN goes behind everything
  Value* y = x.sum(before, {int64_t(x.rank(before)) - 1});
  if (x.flag("out_int32")) y = x.to(y, DType::kI32);
  return number || scalar ? x.view(y, {}) : y;
}

Value* searchsorted(X& x) {
  Value* sorted = x.tensor("sorted_sequence");
  if (x.has("sorter")) sorted = x.op("aten::gather", {sorted, -1, x.tensor("sorter")});
  return search(x, sorted, x.arg("self"), x.flag("right") || x.text("side") == "right");
}
Value* bucketize(X& x) { return search(x, x.tensor("boundaries"), x.arg("self"), x.flag("right")); }

Values nonzero_columns(X& x, Value* a) {
  if (x.rank(a) == 0) a = x.view(a, {Dim(1)});
  Value* places = x.op("aten::nonzero", {a});
  Values all;
  for (int64_t i = 0; i < int64_t(x.rank(a)); ++i) all.push_back(x.select(places, 1, i));
  return all;
}

constexpr Row kRows[] = {
    {"aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor", embedding},
    {"aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, "
     "Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)", embedding_bag},
    {"aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, "
     "Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)", embedding_bag},
    {"aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, "
     "Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)", embedding_bag},
    {"aten::one_hot(Tensor self, int num_classes=-1) -> Tensor", one_hot},
    {"aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor", take_along_dim},
    {"aten::take(Tensor self, Tensor index) -> Tensor", take},
    {"aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", put},
    {"aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", index_fill},
    {"aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor", index_fill},
    {"aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
     [](X& x) { return isin(x, x.tensor("elements"), x.tensor("test_elements")); }},
    {"aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor", [](X& x) {
       Value* hit = x.eq(x.tensor("elements"), x.arg("test_element"));
       return x.flag("invert") ? x.logical_not(hit) : hit;
     }},
    {"aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, "
     "Tensor? sorter=None) -> Tensor", searchsorted},
    {"aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, "
     "Tensor? sorter=None) -> Tensor", searchsorted},
    {"aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor", bucketize},
    {"aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor", bucketize},
    {"aten::argwhere(Tensor self) -> Tensor", [](X& x) { return x.op("aten::nonzero", {self(x)}); }},
    {"aten::nonzero_numpy(Tensor self) -> Tensor[]", [](X& x) { return nonzero_columns(x, self(x)); }},
    {"aten::where(Tensor condition) -> Tensor[]", [](X& x) { return nonzero_columns(x, x.tensor("condition")); }},
};

}  // namespace

Rows indexing_rows() { return kRows; }

}  // namespace glint::compiler
