#pragma once

#include "glint/backends/xnnpack/blob.h"
#include "glint/runtime/method_builder.h"

namespace glint::xnnpack {

/// Weights as operators want them, made once for all methods that are built from one blob.
struct Weights {
  Arena& arena;              // where they lie
  std::span<Tensor> packed;  // of each node; dtype and sizes are set once it was made
  std::span<bool> made;
};

/// Where values of the graph meet arguments of the delegate call.
struct Port {
  uint32_t argument = 0;  // index
  Tensor declared;        // dtype and sizes in memory as the blob says, at the bounds
};

/// The graph's inputs and outputs, in its order; checked to be different arguments below `argument_count`.
Status read_ports(const Blob& blob, size_t argument_count, Arena& arena, std::span<Port>& inputs, std::span<Port>& outputs);

/// How many entries Weights::packed and Weights::made need.
uint32_t node_count(const Blob& blob);

/// Writes the graph as calls of Glint's operators into `builder`, for inputs of these sizes (as in memory, row-major).
/// float32 and float16 graphs; quantized ones are refused (kUnsupported), damaged ones too (kInvalidProgram). `arena` is for the
/// time of the call and may be the one that the builder lies in.
Status write_graph(const Blob& blob, std::span<const TensorMeta> inputs, Weights& weights, MethodBuilder& builder, Arena& arena);

}  // namespace glint::xnnpack
