// What torch.linalg offers without a factorisation.

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

Value* cross(X& x, Value* a, Value* b, int64_t axis) {
  const Dims d = x.broadcast(x.dims(a), x.dims(b));
  x.require(x.rank(a) == x.rank(b), "cross: the operands have as many dimensions");
  axis = x.wrap(axis, d.size());
  x.require(!d.at(size_t(axis)).is_static() || d[size_t(axis)].value() == 3, "cross: the dimension has three elements");
  a = x.expand(a, d);
  b = x.expand(b, d);
  const auto turned = [&](Value* v, int64_t by) { return x.cat({x.slice(v, axis, by, 3), x.slice(v, axis, 0, by)}, axis); };
  return x.sub(x.mul(turned(a, 1), turned(b, 2)), x.mul(turned(a, 2), turned(b, 1)));
}

/// torch.cross without a dimension: the first one of three elements.
int64_t first_of_three(X& x, Value* a) {
  for (int64_t i : x.all_axes(a))
    if (x.dim(a, i) == Dim(3)) return i;
  x.refuse("cross: no dimension has three elements");
}

Value* vander(X& x) {
  Value* a = x.tensor("x");
  const int64_t n = x.has("N") ? x.integer("N") : x.known(x.dim(a, -1), "the number of powers");
  x.require(n >= 0, "vander: N is negative");
  if (!is_floating(x.dtype_of(a)) && !is_complex(x.dtype_of(a))) a = x.to(a, DType::kI64);
  return x.pow(x.unsqueeze(a, -1), x.arange(n, DType::kI64));
}

constexpr Row kRows[] = {
    {"aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor",
     [](X& x) { return cross(x, x.tensor("self"), x.tensor("other"), x.integer("dim")); }},
    {"aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor", [](X& x) {
       Value* a = x.tensor("self");
       return cross(x, a, x.tensor("other"), x.has("dim") ? x.integer("dim") : first_of_three(x, a));
     }},
    {"aten::linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor", vander},
};

}  // namespace

Rows linalg_rows() { return kRows; }

}  // namespace glint::compiler
