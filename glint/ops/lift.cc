#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

constexpr OpDef kDefs[] = {
    define_op<"aten::lift(Tensor self) -> Tensor", Same::infer, Same::run>(),
    define_op<"aten::lift_fresh(Tensor(a) self) -> Tensor(a)", Same::infer, Same::run>(),
    define_op<"aten::lift_fresh_copy(Tensor self) -> Tensor", Same::infer, Same::run>("aten::lift_fresh_copy.out"),
};

}  // namespace

extern constinit const OpFamily op_lift{kDefs};

}  // namespace glint::ops
