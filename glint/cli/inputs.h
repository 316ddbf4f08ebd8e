#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "glint/module/module.h"

namespace glint::cli {

/// Inputs of the largest sizes a method allows: floats of a normal distribution, integers 0 and 1, the same for a seed.
std::vector<ModuleValue> random_inputs(const MethodInfo& info, unsigned seed = 0);

/// Fills the inputs from what --input and --image name: files of one tensor, files of named tensors ("input0", or the program's
/// names), numbers. False with `error` set when one is missing or cannot be used.
struct InputFlags {
  std::vector<std::string> inputs, images;
  std::string mean, std, layout;
  int resize = 0, crop = 0;

  void add(CLI::App& app);
  bool gather(const Module& module, const MethodInfo& info, std::vector<ModuleValue>& values, std::string& error) const;
};

}  // namespace glint::cli
