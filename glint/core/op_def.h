#pragma once

// One operator: what it is called, what it yields, how it is planned, what it
// does. Compiler and runtime read the same definition. See CONTRIBUTING.md,
// "Add an operator".

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "glint/base/parallel.h"
#include "glint/base/result.h"
#include "glint/core/cpu.h"
#include "glint/core/generator.h"
#include "glint/core/schema.h"
#include "glint/core/value.h"

namespace glint {

/// What `plan` decides about one call. Filled without allocating.
struct Plan {
  static constexpr size_t kStateBytes = 256, kMaxPacked = 4;

  size_t scratch_bytes = 0;         // shared by all tasks of the call, 64-byte aligned
  size_t worker_scratch_bytes = 0;  // for each worker, 64-byte aligned
  size_t tasks = 1;                 // 1: runs inline on the calling thread
  double flops = 0, bytes = 0;      // estimated cost
  const char* kernel = "";          // the row that was chosen, for traces
  const char* algorithm = "";
  /// Packed format wanted for each constant operand: the argument's index and the format's name.
  struct Packed { int8_t arg = -1; const char* format = nullptr; };
  std::array<Packed, kMaxPacked> packed{};

  /// Storage for a trivially copyable T of at most kStateBytes that `run` reads back.
  template <class T>
  T& state() {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kStateBytes && alignof(T) <= 16);
    return *reinterpret_cast<T*>(state_bytes);
  }
  alignas(16) std::byte state_bytes[kStateBytes] = {};
};

/// What `plan` may look at besides the operands.
struct PlanContext {
  const Cpu& cpu;
};

/// What `run` gets besides the operands. Built anew for each call.
class OpContext {
 public:
  OpContext(const Plan& plan, std::span<std::byte> scratch, std::span<std::byte> worker_scratch, Parallel* parallel, const Cpu& cpu,
            Generator* generator = nullptr)
      : plan_(plan), scratch_(scratch), worker_scratch_(worker_scratch), parallel_(parallel), cpu_(cpu), generator_(generator) {}

  /// What `plan` left behind.
  template <class T>
  const T& state() const { return *reinterpret_cast<const T*>(plan_.state_bytes); }
  const Plan& plan() const { return plan_; }
  /// plan.scratch_bytes bytes, contents undefined.
  std::byte* scratch() const { return scratch_.data(); }
  /// plan.worker_scratch_bytes bytes that belong to `worker` alone.
  std::byte* scratch(size_t worker) const { return worker_scratch_.data() + worker * align_up(plan_.worker_scratch_bytes, 64); }
  Parallel* parallel() const { return parallel_; }
  const Cpu& cpu() const { return cpu_; }
  /// Random numbers; null where operators without OpFlags::random are called only.
  Generator* generator() const { return generator_; }

 private:
  const Plan& plan_;
  std::span<std::byte> scratch_, worker_scratch_;
  Parallel* parallel_;
  const Cpu& cpu_;
  Generator* generator_;
};

/// Facts about an operator.
struct OpFlags {
  bool pure = true;           // same operands, same results, no effect: may be folded, merged, dropped
  bool random = false;        // draws from the generator, in the order of the calls: never folded, merged, moved or dropped
  bool value_shape = false;   // sizes of results depend on elements: `infer` reads data where it is not
                              // null and gives the largest possible sizes where it is
  bool may_alias = false;     // elementwise: a result may share the memory of an operand of the same
                              // dtype, sizes and strides
  bool updates_self = false;  // the result is a changed copy of the first operand, and may be that operand itself:
                              // then nothing is copied
  bool strided_results = false;  // results may have gaps between their elements, as views of a larger tensor do
  bool vector_f32 = false;    // float32 runs on vector kernels (kernels/*.simd.cc)
  bool contiguous_only = false;  // operands and results must be contiguous; the caller sees to it
};

/// The type-erased definition. `in` follows the schema's arguments one for one
/// (defaults filled in); `out` follows its returns. Results are passed in:
/// tensors as Tensor*, numbers as Values that the call sets.
struct OpDef {
  const char* text = nullptr;          // the schema; null: the build leaves the operator out
  const Schema* schema = nullptr;      // the same, parsed
  /// Name in `.pte` files: "aten::add.out". Empty: the operator is not a stock one.
  const char* stock_name = nullptr;
  OpFlags flags = {};
  /// Validates the operands and sets dtype, sizes and (row-major) strides of every
  /// result; Tensor::data of operands may be null. A tensor list result must have
  /// as many entries as the call yields. Pure, allocates nothing.
  Status (*infer)(std::span<const Value> in, std::span<Value> out) = nullptr;
  /// Null: nothing to plan. Called after `infer`, with the metas of the results.
  Status (*plan)(const PlanContext& context, std::span<const Value> in, std::span<const Value> out, Plan& plan) = nullptr;
  /// Computes. `infer` (and `plan`) held for these operands. Unless contiguous_only,
  /// any strides are legal: operands may repeat (stride 0), results are dense.
  Status (*run)(OpContext& context, std::span<const Value> in, std::span<Value> out) = nullptr;

  std::string_view name() const { return schema->name; }
};

/// All overloads of one ATen name: what one file of glint/ops defines.
struct OpFamily {
  std::span<const OpDef> defs;
};

/// What to hand to Runtime and Compiler: families, in any order.
using OpTable = std::span<const OpFamily* const>;

/// The definition called `name` ("aten::add.Tensor"), or null; also null when the build leaves it out. Linear: for load and compile time.
const OpDef* find_op(OpTable table, std::string_view name);
/// The definition whose stock name is `name` ("aten::add", overload "out" -> "aten::add.out"), or null.
const OpDef* find_stock_op(OpTable table, std::string_view name);

/// Lists of C++ parameter types: what `infer`, `plan` and `run` take for each schema type.
///   Tensor -> const Tensor&          Tensor? -> const Tensor*  (null: None)
///   Tensor[], Tensor?[] -> TensorList
///   int -> int64_t   int? -> std::optional<int64_t>   int[] -> Ints   int[]? -> std::optional<Ints>
///   float -> double, likewise with Floats;   bool -> bool, likewise with Bools
///   Scalar -> Scalar   Scalar? -> std::optional<Scalar>
///   str -> std::string_view   str? -> std::optional<std::string_view>
///   ScalarType -> DType   ScalarType? -> std::optional<DType>
///   MemoryFormat? -> std::optional<MemoryFormat>;  Layout?, Device?, Generator? -> Ignored
/// Results: infer takes TensorMeta& (Tensor), MetaList (Tensor[]), int64_t&, double&, bool&, Scalar&
/// after the operands; plan takes const Tensor& and TensorList; run takes Tensor&, TensorList and the same references.
using Ints = std::span<const int64_t>;
using Floats = std::span<const double>;
using Bools = std::span<const bool>;
struct Ignored {};
enum class MemoryFormat : int64_t { kContiguous = 0, kPreserve = 1, kChannelsLast = 2, kChannelsLast3d = 3 };

/// The results of an operator that returns Tensor[], while inferring.
class MetaList {
 public:
  MetaList(Tensor* const* items, uint32_t count) : items_(items), count_(count) {}
  /// How many results the caller expects; infer fails with kInvalidArgument on another number.
  uint32_t size() const { return count_; }
  TensorMeta& operator[](size_t i) const { return *items_[i]; }

 private:
  Tensor* const* items_;
  uint32_t count_;
};

namespace op_detail {

template <size_t N>
struct Text {
  consteval Text(const char (&s)[N]) { std::copy_n(s, N, chars); }
  char chars[N];
};

struct Shape { ArgType type; bool list, optional, optional_elements; };
constexpr bool fits(const SchemaArg& a, Shape s) {
  return a.type == s.type && a.list == s.list && (s.optional_elements ? a.optional_elements || true : a.optional == s.optional);
}

template <class T> struct Arg;  // no definition: the parameter type is not one an operator may take
#define GLINT_ARG(type, ...)                          \
  template <> struct Arg<type> {                      \
    static constexpr Shape shape = {__VA_ARGS__};     \
    static type unpack(const Value& v);               \
  };                                                  \
  inline type Arg<type>::unpack([[maybe_unused]] const Value& v)
GLINT_ARG(const Tensor&, ArgType::kTensor, false, false, false) { return *v.tensor; }
GLINT_ARG(const Tensor*, ArgType::kTensor, false, true, false) { return v.kind == Value::Kind::kTensor ? v.tensor : nullptr; }
GLINT_ARG(TensorList, ArgType::kTensor, true, false, true) { return {v.tensors, v.count}; }
GLINT_ARG(int64_t, ArgType::kInt, false, false, false) { return v.i; }
GLINT_ARG(double, ArgType::kFloat, false, false, false) { return v.kind == Value::Kind::kInt ? double(v.i) : v.f; }
GLINT_ARG(bool, ArgType::kBool, false, false, false) { return v.b; }
GLINT_ARG(Ints, ArgType::kInt, true, false, false) { return {v.ints, v.count}; }
GLINT_ARG(Floats, ArgType::kFloat, true, false, false) { return {v.floats, v.count}; }
GLINT_ARG(Bools, ArgType::kBool, true, false, false) { return {v.bools, v.count}; }
GLINT_ARG(std::string_view, ArgType::kString, false, false, false) { return {v.text, v.count}; }
GLINT_ARG(DType, ArgType::kDType, false, false, false) { return DType(v.i); }
GLINT_ARG(Scalar, ArgType::kScalar, false, false, false) {
  return v.kind == Value::Kind::kFloat ? Scalar::of(v.f) : v.kind == Value::Kind::kBool ? Scalar::of(v.b) : Scalar::of(v.i);
}
#undef GLINT_ARG
template <class T> struct Arg<std::optional<T>> {
  static constexpr Shape shape = {Arg<T>::shape.type, Arg<T>::shape.list, true, false};
  static std::optional<T> unpack(const Value& v) { return v.kind == Value::Kind::kNone ? std::nullopt : std::optional<T>(Arg<T>::unpack(v)); }
};
template <> struct Arg<MemoryFormat> {
  static constexpr Shape shape = {ArgType::kMemoryFormat, false, false, false};
  static MemoryFormat unpack(const Value& v) { return MemoryFormat(v.i); }
};
template <> struct Arg<Ignored> {
  static constexpr Shape shape = {ArgType::kLayout, false, true, false};
  static Ignored unpack(const Value&) { return {}; }
};

template <class T> constexpr bool arg_fits(const SchemaArg& a) {
  if constexpr (std::is_same_v<T, Ignored>) return is_ignored(a.type);
  else if constexpr (std::is_same_v<T, TensorList>) return a.type == ArgType::kTensor && a.list && !a.optional;
  else return fits(a, Arg<T>::shape);
}

// Results: the type that a function takes, and how to reach it.
template <class T> struct Ret;
template <> struct Ret<TensorMeta&> { static constexpr Shape shape = {ArgType::kTensor, false, false, false}; static TensorMeta& unpack(const Value& v) { return *v.tensor; } };
template <> struct Ret<Tensor&> { static constexpr Shape shape = {ArgType::kTensor, false, false, false}; static Tensor& unpack(const Value& v) { return *v.tensor; } };
template <> struct Ret<const Tensor&> { static constexpr Shape shape = {ArgType::kTensor, false, false, false}; static const Tensor& unpack(const Value& v) { return *v.tensor; } };
template <> struct Ret<MetaList> { static constexpr Shape shape = {ArgType::kTensor, true, false, false}; static MetaList unpack(const Value& v) { return {v.tensors, v.count}; } };
template <> struct Ret<TensorList> { static constexpr Shape shape = {ArgType::kTensor, true, false, false}; static TensorList unpack(const Value& v) { return {v.tensors, v.count}; } };
template <> struct Ret<int64_t&> { static constexpr Shape shape = {ArgType::kInt, false, false, false}; static int64_t& unpack(Value& v) { v.kind = Value::Kind::kInt; return v.i; } };
template <> struct Ret<double&> { static constexpr Shape shape = {ArgType::kFloat, false, false, false}; static double& unpack(Value& v) { v.kind = Value::Kind::kFloat; return v.f; } };
template <> struct Ret<bool&> { static constexpr Shape shape = {ArgType::kBool, false, false, false}; static bool& unpack(Value& v) { v.kind = Value::Kind::kBool; return v.b; } };
/// A number whose kind the call decides: assign with `= Value::of(...)`.
template <> struct Ret<Value&> { static constexpr Shape shape = {ArgType::kScalar, false, false, false}; static Value& unpack(Value& v) { return v; } };

template <class... T, size_t... A, size_t... R>
consteval bool matches(const ParsedSchema& s, std::index_sequence<A...>, std::index_sequence<R...>) {
  using Types = std::tuple<T...>;
  return (arg_fits<std::tuple_element_t<A, Types>>(s.arg_store[A]) && ... && true) &&
         (fits(s.return_store[R], Ret<std::tuple_element_t<sizeof...(A) + R, Types>>::shape) && ... && true);
}

template <size_t A, size_t R, class... T>
consteval bool check(const ParsedSchema& s) {
  if constexpr (A + R != sizeof...(T)) return false;
  else return matches<T...>(s, std::make_index_sequence<A>(), std::make_index_sequence<R>());
}

template <size_t A, class... T, class F>
Status call(F f, std::span<const Value> in, auto out) {
  using Types = std::tuple<T...>;
  return [&]<size_t... I, size_t... O>(std::index_sequence<I...>, std::index_sequence<O...>) {
    return f(Arg<std::tuple_element_t<I, Types>>::unpack(in[I])..., Ret<std::tuple_element_t<A + O, Types>>::unpack(out[O])...);
  }(std::make_index_sequence<A>(), std::make_index_sequence<sizeof...(T) - A>());
}

template <size_t A, auto F> struct EraseInfer;
template <size_t A, class... T, Status (*F)(T...)>
struct EraseInfer<A, F> {
  template <size_t R> static consteval bool valid(const ParsedSchema& s) { return check<A, R, T...>(s); }
  static Status infer(std::span<const Value> in, std::span<Value> out) { return call<A, T...>(F, in, out); }
};

template <size_t A, auto F> struct EraseRun;
template <size_t A, class... T, Status (*F)(OpContext&, T...)>
struct EraseRun<A, F> {
  template <size_t R> static consteval bool valid(const ParsedSchema& s) { return check<A, R, T...>(s); }
  static Status run(OpContext& c, std::span<const Value> in, std::span<Value> out) {
    return call<A, T...>([&c](T... t) { return F(c, static_cast<T>(t)...); }, in, out);
  }
};

template <size_t A, auto F> struct ErasePlan;
template <size_t A, class... T, Status (*F)(const PlanContext&, T...)>
struct ErasePlan<A, F> {
  using Types = std::tuple<T...>;
  template <size_t R> static consteval bool valid(const ParsedSchema&) {
    return sizeof...(T) == A + R + 1 && std::is_same_v<std::tuple_element_t<sizeof...(T) - 1, Types>, Plan&>;
  }
  static Status plan(const PlanContext& c, std::span<const Value> in, std::span<const Value> out, Plan& p) {
    return [&]<size_t... I, size_t... O>(std::index_sequence<I...>, std::index_sequence<O...>) {
      return F(c, Arg<std::tuple_element_t<I, Types>>::unpack(in[I])..., Ret<std::tuple_element_t<A + O, Types>>::unpack(out[O])..., p);
    }(std::make_index_sequence<A>(), std::make_index_sequence<sizeof...(T) - 1 - A>());
  }
};

/// The arguments, then the returns: what a program keeps of a parsed schema.
template <Text S> inline constexpr auto kSchemaArgs = [] {
  constexpr ParsedSchema parsed = parse_schema(std::string_view(S.chars));
  std::array<SchemaArg, size_t(parsed.arg_count) + parsed.return_count> all;
  for (size_t i = 0; i < all.size(); ++i) all[i] = i < parsed.arg_count ? parsed.arg_store[i] : parsed.return_store[i - parsed.arg_count];
  return all;
}();
/// The schema over them.
template <Text S>
consteval Schema stored_schema() {
  const ParsedSchema p = parse_schema(std::string_view(S.chars));
  const SchemaArg* args = kSchemaArgs<S>.data();
  return {p.name, args, args + p.arg_count, p.arg_count, p.return_count, p.valid};
}
template <Text S> inline constexpr Schema kSchema = stored_schema<S>();

}  // namespace op_detail

/// Whether this build keeps an operator: all, or those of a list (glint_device in cmake/glint.cmake; `glint select`).
consteval bool is_selected([[maybe_unused]] std::string_view name) {
#ifdef GLINT_OPERATOR_SELECTION
  constexpr std::string_view kSelected[] = {
#include GLINT_OPERATOR_SELECTION
  };
  for (const std::string_view s : kSelected)
    if (s == name) return true;
  return false;
#else
  return true;
#endif
}

/// Builds an OpDef, one without functions if the build leaves the operator out. Does not compile unless the schema
/// parses and names exactly the parameter types of `Infer`, `Run` (and `PlanFn`). `stock_name` is the name of the out
/// variant in `.pte` files ("aten::add.out"), "" when there is none.
template <op_detail::Text S, auto Infer, auto Run, auto PlanFn = nullptr>
consteval OpDef define_op(const char* stock_name = "", OpFlags flags = {}) {
  constexpr ParsedSchema parsed = parse_schema(std::string_view(S.chars));
  static_assert(parsed.valid, "the schema does not parse");
  if constexpr (!is_selected(parsed.name)) {
    return {};
  } else {
    constexpr size_t args = parsed.arg_count, returns = parsed.return_count;
    static_assert(op_detail::EraseInfer<args, Infer>::template valid<returns>(parsed), "schema disagrees with infer()");
    static_assert(op_detail::EraseRun<args, Run>::template valid<returns>(parsed), "schema disagrees with run()");
    const Schema& schema = op_detail::kSchema<S>;
    OpDef def{schema.name.data(), &schema, stock_name, flags, op_detail::EraseInfer<args, Infer>::infer, nullptr, op_detail::EraseRun<args, Run>::run};
    if constexpr (!std::is_same_v<decltype(PlanFn), std::nullptr_t>) {
      static_assert(op_detail::ErasePlan<args, PlanFn>::template valid<returns>(parsed), "schema disagrees with plan()");
      def.plan = op_detail::ErasePlan<args, PlanFn>::plan;
    }
    return def;
  }
}

}  // namespace glint
