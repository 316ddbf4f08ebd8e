#pragma once

#include <cstdint>
#include <string_view>

#include "glint/core/op_def.h"

namespace glint {

/// Told about every instruction that does work. Called between instructions on the executing thread.
class Trace {
 public:
  struct Event {
    std::string_view method;         // its name; delegates that are made of operators run methods of their own
    int32_t instruction;             // index in it
    std::string_view name;           // the operator's schema name, or the backend's name
    const Plan* plan;                // null for delegates, moves and operators without a plan
    uint64_t begin_ns, end_ns;
    std::span<const Value> operands, results;
  };
  virtual void ran(const Event& event) = 0;

 protected:
  ~Trace() = default;
};

}  // namespace glint
