#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

constexpr OpDef kDefs[] = {
    define_op<"aten::alias(Tensor(a) self) -> Tensor(a)", Same::infer, Same::run>(),
    define_op<"aten::alias_copy(Tensor self) -> Tensor", Same::infer, Same::run>("aten::alias_copy.out"),
};

}  // namespace

extern constinit const OpFamily op_alias{kDefs};

}  // namespace glint::ops
