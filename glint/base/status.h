#pragma once

#include <cstdint>

#ifndef GLINT_MESSAGES
#define GLINT_MESSAGES 1
#endif

namespace glint {

/// Why an operation failed. Values are stable: they reach logs and traces.
enum class Code : uint8_t {
  kOk = 0,
  kInvalidArgument = 1,  // the caller broke a documented precondition
  kInvalidProgram = 2,   // the file, model or IR is malformed
  kUnsupported = 3,      // well-formed, but this build or target cannot do it
  kNotFound = 4,
  kOutOfMemory = 5,
  kIo = 6,
  kCancelled = 7,        // a stop callback asked for it
  kInternal = 8,         // our bug
};

/// Text known at compile time. Building with GLINT_MESSAGES=0 removes it all.
struct Literal {
  consteval Literal(const char* t) : text(GLINT_MESSAGES ? t : "") {}
  const char* text;
};

/// Outcome of an operation that yields no value. Two words; never allocates.
/// `where` counts from 0 and means what the function that returned the status
/// says it means (an instruction, an input, a value); -1 is "nowhere".
class [[nodiscard]] Status {
 public:
  constexpr Status() = default;
  constexpr Status(Code code, Literal why, int32_t where = -1) : why_(why.text), where_(where), code_(code) {}

  constexpr bool ok() const { return code_ == Code::kOk; }
  constexpr Code code() const { return code_; }
  constexpr const char* why() const { return why_; }
  constexpr int32_t where() const { return where_; }

  /// The same status located at `where`, unless it is ok or located already.
  constexpr Status at(int32_t where) const {
    Status s = *this;
    if (!ok() && where_ < 0) s.where_ = where;
    return s;
  }

 private:
  const char* why_ = "";
  int32_t where_ = -1;
  Code code_ = Code::kOk;
};

constexpr Status invalid_argument(Literal why, int32_t where = -1) { return {Code::kInvalidArgument, why, where}; }
constexpr Status invalid_program(Literal why, int32_t where = -1) { return {Code::kInvalidProgram, why, where}; }
constexpr Status unsupported(Literal why, int32_t where = -1) { return {Code::kUnsupported, why, where}; }
constexpr Status not_found(Literal why, int32_t where = -1) { return {Code::kNotFound, why, where}; }
constexpr Status out_of_memory(Literal why, int32_t where = -1) { return {Code::kOutOfMemory, why, where}; }
constexpr Status io_error(Literal why, int32_t where = -1) { return {Code::kIo, why, where}; }
constexpr Status internal_error(Literal why, int32_t where = -1) { return {Code::kInternal, why, where}; }

/// The code's name as printed: "invalid argument", "unsupported", ...
constexpr const char* code_name(Code code) {
  constexpr const char* kNames[] = {"ok",          "invalid argument", "invalid program", "unsupported", "not found",
                                    "out of memory", "i/o error",      "cancelled",       "internal error"};
  return uint8_t(code) < 9 ? kNames[uint8_t(code)] : "?";
}

}  // namespace glint

/// Returns the Status of `expr` from the enclosing function unless it is ok.
#define GLINT_TRY(expr)                                  \
  do {                                                   \
    if (auto glint_status = (expr); !glint_status.ok()) \
      return ::glint::status_of(glint_status);           \
  } while (0)

/// Declares `decl` from the value of Result `expr`, or returns its Status.
#define GLINT_TRY_LET(decl, expr) GLINT_TRY_LET_(decl, expr, __COUNTER__)
#define GLINT_TRY_LET_(decl, expr, n) GLINT_TRY_LET__(decl, expr, n)
#define GLINT_TRY_LET__(decl, expr, n)                                     \
  auto glint_result_##n = (expr);                                          \
  if (!glint_result_##n.ok()) return ::glint::status_of(glint_result_##n); \
  decl = *static_cast<decltype(glint_result_##n)&&>(glint_result_##n)

namespace glint {
constexpr Status status_of(Status s) { return s; }
}  // namespace glint
