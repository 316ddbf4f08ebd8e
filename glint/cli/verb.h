#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace glint::cli {

/// Adds a verb's options to its subcommand and returns what runs it: the exit status (0 good, 1 failed, 2 misused).
using Setup = std::function<int()> (*)(CLI::App& app);

std::function<int()> setup_compile(CLI::App& app);
std::function<int()> setup_run(CLI::App& app);
std::function<int()> setup_inspect(CLI::App& app);
std::function<int()> setup_verify(CLI::App& app);
std::function<int()> setup_bench(CLI::App& app);
std::function<int()> setup_ops(CLI::App& app);
std::function<int()> setup_select(CLI::App& app);
std::function<int()> setup_opt(CLI::App& app);

/// "glint: message" on standard error; returns 1.
int fail(std::string_view message);
/// "12.3 MB"
std::string human_bytes(uint64_t bytes);
/// A line that the next one replaces, on a terminal only; an empty one clears it.
void show_progress(std::string_view text);

}  // namespace glint::cli
