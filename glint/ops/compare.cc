// Comparisons, bitwise and logical operators.

#include "glint/ops/elementwise.h"

namespace glint::ops {
namespace {

/// Logical operators see every operand as "not zero".
template <auto Fn>
struct Logical {
  static Status infer(const Tensor& a, const Tensor& b, TensorMeta& out) {
    GLINT_TRY(check_kind(kAny, a.dtype));
    GLINT_TRY(check_kind(kAny, b.dtype));
    return set_broadcast(a, b, DType::kBool, out);
  }
  static Status run(OpContext&, const Tensor& a, const Tensor& b, Tensor& out) {
    return elementwise<kBools, Fn, 2>(DType::kBool, {&a, &b}, out);
  }
};

// A shift by a negative count or by the width or more leaves only sign bits; to the left it leaves zero.
// Operands are held in 64 bits, so a count beyond a narrow width falls off when the result is stored.
constexpr auto kShiftLeft = [](auto a, auto b) { return b < 0 || b > 63 ? int64_t(0) : int64_t(uint64_t(a) << b); };
constexpr auto kShiftRight = [](auto a, auto b) { return int64_t(a >> (b < 0 || b > 63 ? 63 : b)); };

constexpr auto kAnd = [](auto a, auto b) { return decltype(a)(a & b); };
constexpr auto kOr = [](auto a, auto b) { return decltype(a)(a | b); };
constexpr auto kXor = [](auto a, auto b) { return decltype(a)(a ^ b); };
constexpr unsigned kBits = kInts | kBools;

#define GLINT_COMPARE(name, kinds, expression)                                                                        \
  define<"aten::" name ".Tensor(Tensor self, Tensor other) -> Tensor",                                                \
         Binary<kinds, [](auto a, auto b) { return (expression); }, Dtype::kBool>>("aten::" name ".Tensor_out"),      \
  define<"aten::" name ".Scalar(Tensor self, Scalar other) -> Tensor",                                                \
         BinaryScalar<kinds, [](auto a, auto b) { return (expression); }, Dtype::kBool>>("aten::" name ".Scalar_out")

#define GLINT_BITWISE(name, fn)                                                                                                      \
  define<"aten::" name ".Tensor(Tensor self, Tensor other) -> Tensor", Binary<kBits, fn, Dtype::kSame>>("aten::" name ".Tensor_out"), \
  define<"aten::" name ".Scalar(Tensor self, Scalar other) -> Tensor", BinaryScalar<kBits, fn, Dtype::kSame>>("aten::" name ".Scalar_out"), \
  define<"aten::" name ".Scalar_Tensor(Scalar self, Tensor other) -> Tensor", ScalarBinary<kBits, fn, Dtype::kSame>>("aten::" name ".Scalar_Tensor_out")

#define GLINT_SHIFT(name, fn)                                                                                                        \
  define<"aten::" name ".Tensor(Tensor self, Tensor other) -> Tensor", Binary<kInts, fn, Dtype::kSame>>("aten::" name ".Tensor_out"), \
  define<"aten::" name ".Tensor_Scalar(Tensor self, Scalar other) -> Tensor", BinaryScalar<kInts, fn, Dtype::kSame>>("aten::" name ".Tensor_Scalar_out"), \
  define<"aten::" name ".Scalar_Tensor(Scalar self, Tensor other) -> Tensor", ScalarBinary<kInts, fn, Dtype::kSame>>("aten::" name ".Scalar_Tensor_out")

constexpr OpDef kDefs[] = {
    GLINT_COMPARE("eq", kAny, a == b),
    GLINT_COMPARE("ne", kAny, !(a == b)),
    GLINT_COMPARE("lt", kReals, a < b),
    GLINT_COMPARE("le", kReals, a <= b),
    GLINT_COMPARE("gt", kReals, a > b),
    GLINT_COMPARE("ge", kReals, a >= b),
    GLINT_BITWISE("bitwise_and", kAnd),
    GLINT_BITWISE("bitwise_or", kOr),
    GLINT_BITWISE("bitwise_xor", kXor),
    GLINT_SHIFT("bitwise_left_shift", kShiftLeft),
    GLINT_SHIFT("bitwise_right_shift", kShiftRight),
    define<"aten::__lshift__.Tensor(Tensor self, Tensor other) -> Tensor", Binary<kInts, kShiftLeft, Dtype::kSame>>("aten::__lshift__.Tensor_out"),
    define<"aten::__lshift__.Scalar(Tensor self, Scalar other) -> Tensor", BinaryScalar<kInts, kShiftLeft, Dtype::kSame>>("aten::__lshift__.Scalar_out"),
    define<"aten::__rshift__.Tensor(Tensor self, Tensor other) -> Tensor", Binary<kInts, kShiftRight, Dtype::kSame>>("aten::__rshift__.Tensor_out"),
    define<"aten::__rshift__.Scalar(Tensor self, Scalar other) -> Tensor", BinaryScalar<kInts, kShiftRight, Dtype::kSame>>("aten::__rshift__.Scalar_out"),
    define<"aten::logical_and(Tensor self, Tensor other) -> Tensor", Logical<[](auto a, auto b) { return a && b; }>>("aten::logical_and.out"),
    define<"aten::logical_or(Tensor self, Tensor other) -> Tensor", Logical<[](auto a, auto b) { return a || b; }>>("aten::logical_or.out"),
    define<"aten::logical_xor(Tensor self, Tensor other) -> Tensor", Logical<[](auto a, auto b) { return a != b; }>>("aten::logical_xor.out"),
};

}  // namespace

extern constinit const OpFamily op_compare{kDefs};

}  // namespace glint::ops
