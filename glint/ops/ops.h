#pragma once

#include "glint/core/op_def.h"

namespace glint::ops {

/// Every operator of this build, in the order of the folder's files (a table made by the build).
extern constinit const OpFamily* const kOps[];
extern constinit const unsigned kOpsCount;
/// The file of each, without ".cc".
extern constinit const char* const kOpsNames[];
inline OpTable all() { return {kOps, kOpsCount}; }

}  // namespace glint::ops
