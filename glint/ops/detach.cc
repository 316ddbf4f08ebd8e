#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

constexpr OpDef kDefs[] = {
    define_op<"aten::detach(Tensor(a) self) -> Tensor(a)", Same::infer, Same::run>(),
    define_op<"aten::detach_copy(Tensor self) -> Tensor", Same::infer, Same::run>("aten::detach_copy.out"),
};

}  // namespace

extern constinit const OpFamily op_detach{kDefs};

}  // namespace glint::ops
