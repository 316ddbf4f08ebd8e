#pragma once

// Pieces of the text form that printing, parsing and error messages share. Internal to compiler/ir.

#include <span>
#include <string>
#include <string_view>

#include "glint/compiler/ir/graph.h"

namespace glint::ir {

/// "add" of "aten::add.Tensor".
std::string_view base_name(std::string_view op);
/// An argument as the text form writes it: %x, 3, 1.0, true, f32, "text", None, [..].
std::string print_arg(const Arg& arg);
/// A double (or a float, with its shorter digits) that reads back exactly and does not look like an integer.
std::string print_double(double v);
std::string print_float(float v);
std::string quote(std::string_view text);
/// The value a schema's default stands for. False when there is none or it is not understood.
bool parse_default(const SchemaArg& arg, Arg& out);
bool is_default(const SchemaArg& arg, const Arg& value);
/// The operands of a call that is not (or not yet) a node.
std::string describe_operands(const Schema* schema, std::span<const Arg> args, const Symbols& symbols);
std::string hash_bytes(std::span<const std::byte> bytes);

/// Constants of up to this many elements print their elements.
inline constexpr int64_t kMaxPrinted = 64;

}  // namespace glint::ir
