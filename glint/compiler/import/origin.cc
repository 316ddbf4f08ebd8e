#include "glint/compiler/import/origin.h"

namespace glint::compiler {
namespace {

constexpr size_t kMaxText = 300;  // of one part: the rest says nothing that a reader needs

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t' || s.front() == '\r')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

/// The part up to `end`, which is dropped too; everything when there is no `end`.
std::string_view take_until(std::string_view& text, std::string_view end) {
  const size_t at = text.find(end);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + end.size());
  return part;
}

bool is_pytorch(std::string_view path) {
  const size_t packages = path.rfind("-packages/");
  const std::string_view inside = packages == path.npos ? path : path.substr(packages + 10);
  // A file right in site-packages is PyTorch's too: some writers of archives shorten its paths so.
  return inside.starts_with("torch/") || path.find("/torch/nn/") != path.npos || path.starts_with("<") ||
         (packages != path.npos && inside.find('/') == inside.npos);
}

/// Installed packages are known by what follows site-packages.
std::string_view short_path(std::string_view path) {
  for (std::string_view folder : {"site-packages/", "dist-packages/"})
    if (const size_t at = path.rfind(folder); at != path.npos) return path.substr(at + folder.size());
  return path;
}

}  // namespace

std::string source_of_stack_trace(std::string_view trace) {
  std::string own, last;
  while (!trace.empty()) {
    std::string_view line = trim(take_line(trace));
    if (!line.starts_with("File \"")) continue;
    line.remove_prefix(6);
    const std::string_view path = take_until(line, "\"");
    take_until(line, "line ");
    const std::string_view number = take_until(line, ", in ");
    const std::string_view function = trim(line);
    std::string_view rest = trace;
    std::string_view code = trim(take_line(rest));
    if (code.starts_with("File \"")) code = {};
    last = std::string(short_path(path).substr(0, kMaxText)) + ":" + std::string(number.substr(0, 16));
    if (!function.empty()) last += " in " + std::string(function.substr(0, kMaxText));
    if (!code.empty()) last += ": " + std::string(code.substr(0, kMaxText));
    if (!is_pytorch(path)) own = last;
  }
  return own.empty() ? last : own;
}

std::string module_of_stack(std::string_view stack) {
  const size_t separator = stack.rfind(';');
  if (separator != stack.npos) stack.remove_prefix(separator + 1);
  const size_t first = stack.find(','), last = stack.rfind(',');
  if (first == stack.npos || first == last) return {};
  std::string_view path = stack.substr(first + 1, last - first - 1), type = stack.substr(last + 1);
  if (const size_t end = path.find("']"); path.starts_with("L['") && end != path.npos) path.remove_prefix(end + 2);
  if (path.starts_with('.')) path.remove_prefix(1);
  std::string text(path.substr(0, kMaxText));
  if (!text.empty()) text += ' ';
  return text + "(" + std::string(type.substr(0, kMaxText)) + ")";
}

}  // namespace glint::compiler
