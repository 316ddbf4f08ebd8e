#pragma once

#include <string>

#include "glint/runtime/method.h"

namespace glint {

/// The text of a failure: what was being done, by which operator of which line of the model, what was wrong with which
/// argument, what was expected and what came. `file` and `ops` (null, empty: unknown) give names to indices.
std::string failure_text(const Failure& failure, const PteMethod* method = nullptr, OpTable ops = {});

}  // namespace glint
