#pragma once

#include "glint/runtime/delegate.h"

namespace glint {

/// Runs graphs that ExecuTorch lowered to XNNPACK on Glint's own operators. Needs, of the operators, those that
/// graph.cc names; float32 and float16.
extern const BackendRuntime backend_xnnpack;

}  // namespace glint
