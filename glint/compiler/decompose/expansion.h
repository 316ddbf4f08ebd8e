#pragma once

// What the rows of the table are written with: the call's arguments on one side, calls of core operators on the other.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "glint/compiler/decompose/decompose.h"

namespace glint::compiler {

using ir::Arg;
using ir::Dim;
using ir::Value;
using Values = std::vector<Value*>;
using Dims = std::vector<Dim>;
using Axes = std::vector<int64_t>;

/// One row of a family's table.
struct Row {
  constexpr Row(const char* schema, Value* (*one)(Expansion&)) : schema(schema), one(one) {}
  constexpr Row(const char* schema, Values (*many)(Expansion&)) : schema(schema), many(many) {}
  const char* schema;
  Value* (*one)(Expansion&) = nullptr;
  Values (*many)(Expansion&) = nullptr;
};

/// The expansion of one call. Operands that may be tensors or numbers are Args; results are new values before the call.
/// Methods are called like the operators they add; all throw ir::Error.
class Expansion {
 public:
  Expansion(ir::Builder& b, const ir::Node& node) : b_(b), node_(node) {}

  // ---- the call ----
  const ir::Node& node() const { return node_; }
  ir::Builder& builder() const { return b_; }
  size_t result_count() const { return node_.results().size(); }
  const Arg& arg(std::string_view name) const { return node_.arg(name); }
  bool has(std::string_view name) const { return !node_.arg(name).is_none(); }
  Value* tensor(std::string_view name) const;
  /// Null for None.
  Value* maybe(std::string_view name) const;
  Values tensors(std::string_view name) const;
  /// A number that must be known while compiling.
  int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::string text(std::string_view name) const;
  std::optional<DType> dtype(std::string_view name) const;
  /// A list of known ints; a single number stands for `count` of them.
  Axes ints(std::string_view name, size_t count = 0) const;
  /// A size or a list of sizes, which may be symbolic.
  Dim size(std::string_view name) const { return to_dim(arg(name)); }
  Dims sizes(std::string_view name) const;
  Dim to_dim(const Arg& a) const;
  /// An axis argument, wrapped to 0..rank-1.
  int64_t axis(std::string_view name, size_t rank) const { return wrap(integer(name), rank); }
  /// A list of axes, wrapped; all of them, in order, for None or an empty list.
  Axes axes(std::string_view name, size_t rank) const;
  int64_t wrap(int64_t axis, size_t rank) const;
  Axes wrap(Axes axes, size_t rank) const;

  [[noreturn]] void refuse(std::string why, std::string hint = {}) const;
  void require(bool holds, const char* why) const { if (!holds) refuse(why); }
  /// The number of a size that has to be known.
  int64_t known(const Dim& d, const char* what) const;

  // ---- calls ----
  Value* op(std::string_view name, std::vector<Arg> args) { return b_.op(name, std::move(args)); }
  Values ops(std::string_view name, std::vector<Arg> args, size_t list_results = 1) { return b_.ops(name, std::move(args), list_results); }
  Value* scalar(DType dtype, double v) { return b_.scalar(dtype, v); }

  // Elementwise. Two numbers are not an operation.
  Value* add(const Arg& a, const Arg& b) { return binary("add", a, b); }
  Value* sub(const Arg& a, const Arg& b);
  Value* mul(const Arg& a, const Arg& b) { return binary("mul", a, b); }
  Value* div(const Arg& a, const Arg& b);
  Value* pow(const Arg& a, const Arg& b);
  Value* eq(Value* a, const Arg& b) { return compare("eq", a, b); }
  Value* ne(Value* a, const Arg& b) { return compare("ne", a, b); }
  Value* lt(Value* a, const Arg& b) { return compare("lt", a, b); }
  Value* le(Value* a, const Arg& b) { return compare("le", a, b); }
  Value* gt(Value* a, const Arg& b) { return compare("gt", a, b); }
  Value* ge(Value* a, const Arg& b) { return compare("ge", a, b); }
  Value* unary(const char* name, Value* a) { return op(std::string("aten::") + name, {a}); }
  Value* neg(Value* a) { return unary("neg", a); }
  Value* abs(Value* a) { return unary("abs", a); }
  Value* exp(Value* a) { return unary("exp", a); }
  Value* log(Value* a) { return unary("log", a); }
  Value* sqrt(Value* a) { return unary("sqrt", a); }
  Value* rsqrt(Value* a) { return unary("rsqrt", a); }
  Value* sigmoid(Value* a) { return unary("sigmoid", a); }
  Value* tanh(Value* a) { return unary("tanh", a); }
  Value* relu(Value* a) { return unary("relu", a); }
  Value* square(Value* a) { return mul(a, a); }
  Value* logical_not(Value* a) { return unary("logical_not", a); }
  Value* logical_and(Value* a, Value* b) { return op("aten::logical_and", {a, b}); }
  Value* logical_or(Value* a, Value* b) { return op("aten::logical_or", {a, b}); }
  Value* maximum(Value* a, Value* b) { return op("aten::maximum", {a, b}); }
  Value* minimum(Value* a, Value* b) { return op("aten::minimum", {a, b}); }
  /// Numbers or nothing.
  Value* clamp(Value* a, const Arg& low, const Arg& high = {}) { return op("aten::clamp", {a, low, high}); }
  /// Numbers become 0-d tensors of the other side's dtype.
  Value* where(Value* condition, const Arg& a, const Arg& b);
  /// Unchanged when it has that dtype.
  Value* to(Value* a, DType dtype);
  /// A float dtype: integers and bools become float32.
  Value* to_float(Value* a) { return is_floating(a->type.dtype) || is_complex(a->type.dtype) ? a : to(a, DType::kF32); }

  // Shape. Axes may be negative; the same shape gives the operand back.
  Value* view(Value* a, const Dims& sizes);
  Value* permute(Value* a, const Axes& order);
  Value* transpose(Value* a, int64_t d0, int64_t d1);
  Value* expand(Value* a, const Dims& sizes);
  Value* unsqueeze(Value* a, int64_t axis) { return op("aten::unsqueeze", {a, axis}); }
  Value* squeeze(Value* a, int64_t axis) { return op("aten::squeeze.dims", {a, Axes{axis}}); }
  Value* slice(Value* a, int64_t axis, const Dim& start, const Dim& end, int64_t step = 1);
  Value* select(Value* a, int64_t axis, const Dim& index) { return op("aten::select.int", {a, axis, b_.size(index)}); }
  Value* cat(const Values& parts, int64_t axis);
  Value* stack(const Values& parts, int64_t axis);
  Value* flip(Value* a, const Axes& axes) { return op("aten::flip", {a, axes}); }
  /// New sizes; a is cut apart or joined as needed.
  Value* flatten(Value* a, int64_t from, int64_t to);

  /// The call leaves `next` in `target`, a buffer or an input: what is read from there afterwards is `next`.
  void write(Value* target, Value* next);

  // Reductions over given axes.
  Value* sum(Value* a, const Axes& axes, bool keep = false) { return reduce("aten::sum.dim_IntList", a, axes, keep); }
  Value* mean(Value* a, const Axes& axes, bool keep = false) { return reduce("aten::mean.dim", a, axes, keep); }
  Value* amax(Value* a, const Axes& axes, bool keep = false) { return reduce("aten::amax", a, axes, keep); }
  Value* amin(Value* a, const Axes& axes, bool keep = false) { return reduce("aten::amin", a, axes, keep); }
  Value* any(Value* a, const Axes& axes, bool keep = false) { return reduce("aten::any.dims", a, axes, keep); }
  /// Over everything, to a 0-d tensor.
  Value* sum_all(Value* a) { return sum(a, all_axes(a)); }
  Value* mean_all(Value* a) { return mean(a, all_axes(a)); }

  // Making tensors.
  Value* full(const Dims& sizes, const Arg& value, DType dtype) { return op("aten::full", {b_.sizes(sizes), value, dtype}); }
  Value* zeros(const Dims& sizes, DType dtype) { return full(sizes, zero(dtype), dtype); }
  Value* arange(const Dim& end, DType dtype) { return op("aten::arange", {b_.size(end), dtype}); }

  // Products.
  Value* mm(Value* a, Value* b) { return op("aten::mm", {a, b}); }
  Value* bmm(Value* a, Value* b) { return op("aten::bmm", {a, b}); }

  // ---- types ----
  static const Dims& dims(const Value* a) { return a->type.dims; }
  static size_t rank(const Value* a) { return a->type.rank(); }
  static DType dtype_of(const Value* a) { return a->type.dtype; }
  /// Size along an axis, which may be negative.
  Dim dim(const Value* a, int64_t axis) const { return a->type.dims[size_t(wrap(axis, rank(a)))]; }
  static Axes all_axes(const Value* a) { return iota(0, int64_t(rank(a))); }
  static Axes iota(int64_t from, int64_t to);
  static Dim product(const Dims& dims, size_t from = 0, size_t to = SIZE_MAX);
  Dims broadcast(const Dims& a, const Dims& b) const;
  Dims broadcast(const Values& all) const;
  /// The dtype of an elementwise operation over tensors and numbers.
  static DType result_type(const std::vector<Arg>& operands);
  /// 0 or 1 in the kind of number that fits the dtype.
  static Arg zero(DType dtype) { return is_floating(dtype) || is_complex(dtype) ? Arg(0.0) : dtype == DType::kBool ? Arg(false) : Arg(0); }
  static Arg one(DType dtype) { return is_floating(dtype) || is_complex(dtype) ? Arg(1.0) : dtype == DType::kBool ? Arg(true) : Arg(1); }
  static bool is_tensor(const Arg& a) { return a.is_value() && a.value()->type.is_tensor(); }

 private:
  Value* binary(const char* name, const Arg& a, const Arg& b);
  Value* compare(const char* name, Value* a, const Arg& b);
  Value* reduce(std::string_view name, Value* a, const Axes& axes, bool keep);

  ir::Builder& b_;
  const ir::Node& node_;
};

// Forms that several families use.

/// torch.matmul for every combination of ranks.
Value* matmul(Expansion& x, Value* a, Value* b);
/// x [.., in] times weight [out, in] plus bias [out] or null.
Value* linear(Expansion& x, Value* input, Value* weight, Value* bias);
Value* softmax(Expansion& x, Value* a, int64_t axis);
Value* log_softmax(Expansion& x, Value* a, int64_t axis);
/// The complex conjugate; real tensors are their own.
Value* conj(Expansion& x, Value* a);
/// max(x, 0) + log1p(exp(-|x|)) and its negation at -x.
Value* softplus(Expansion& x, Value* a);
Value* log_sigmoid(Expansion& x, Value* a);
/// ||a|| over axes, as linalg.vector_norm gives it.
Value* vector_norm(Expansion& x, Value* a, double order, const Axes& axes, bool keep);
/// amax of absolute values: zero where there are none.
Value* largest(Expansion& x, Value* a, const Axes& axes, bool keep);
/// linalg.matrix_norm: `order` is a number, "fro" or "nuc".
Value* matrix_norm(Expansion& x, Value* a, const Arg& order, Axes axes, bool keep);
/// The entries of a along `axis`, each without it; its size has to be known.
Values unbind(Expansion& x, Value* a, int64_t axis);
/// a with axes moved, as torch.movedim.
Value* movedim(Expansion& x, Value* a, const Axes& from, const Axes& to);
/// torch.diagonal.
Value* diagonal(Expansion& x, Value* a, int64_t offset, int64_t axis1, int64_t axis2);

// The families. One function a file; decompose.cc lists them.
using Rows = std::span<const Row>;
#define GLINT_DECOMPOSE_FAMILIES(F)                                                                              \
  F(attention) F(convolution) F(fft) F(indexing) F(interpolation) F(linalg) F(linear_algebra) F(losses) F(normalization) \
  F(padding) F(pointwise) F(pooling) F(quantization) F(recurrent) F(shape) F(signal) F(statistics) F(substitutes)
#define GLINT_DECLARE_FAMILY(name) Rows name##_rows();
GLINT_DECOMPOSE_FAMILIES(GLINT_DECLARE_FAMILY)
#undef GLINT_DECLARE_FAMILY

}  // namespace glint::compiler
