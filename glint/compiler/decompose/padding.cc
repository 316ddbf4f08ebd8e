// torch.nn.functional.pad in all its modes.

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

/// Wraps around. Negative amounts cut, before anything is wrapped.
Value* circular(X& x, Value* a, const Axes& pad) {
  const int64_t rank = int64_t(x.rank(a));
  for (size_t i = 0; 2 * i < pad.size(); ++i) {
    const int64_t axis = rank - 1 - int64_t(i);
    x.require(axis >= 0, "more sizes to pad than dimensions");
    const int64_t before = pad[2 * i], after = pad[2 * i + 1];
    a = x.slice(a, axis, Dim(before < 0 ? -before : 0), after < 0 ? x.dim(a, axis) + Dim(after) : x.dim(a, axis));
    Values parts{a};
    if (before > 0) parts.insert(parts.begin(), x.slice(a, axis, x.dim(a, axis) - Dim(before), x.dim(a, axis)));
    if (after > 0) parts.push_back(x.slice(a, axis, 0, after));
    a = x.cat(parts, axis);
  }
  return a;
}

Value* pad(X& x) {
  Value* a = x.tensor("self");
  const Arg& amounts = x.arg("pad");
  const size_t pairs = amounts.list().size() / 2;
  const std::string mode = x.text("mode");
  if (mode == "constant") {
    if (pairs == 0) return a;
    Arg value = x.has("value") ? x.arg("value") : x.zero(x.dtype_of(a));
    return x.op("aten::constant_pad_nd", {a, amounts, value});
  }
  if (mode == "circular") return circular(x, a, x.ints("pad"));
  x.require(mode == "reflect" || mode == "replicate", "unknown mode");
  x.require(pairs >= 1 && pairs <= 3 && (x.rank(a) == pairs + 1 || x.rank(a) == pairs + 2), "this mode pads the last one to three dimensions only");
  const std::string name = mode == "reflect" ? "aten::reflection_pad" : "aten::replication_pad";
  return x.op(name + std::to_string(pairs) + "d", {a, amounts});
}

constexpr Row kRows[] = {
    {"aten::pad(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor", pad},
    {"aten::_pad_circular(Tensor self, SymInt[] pad) -> Tensor", [](X& x) { return circular(x, x.tensor("self"), x.ints("pad")); }},
};

}  // namespace

Rows padding_rows() { return kRows; }

}  // namespace glint::compiler
