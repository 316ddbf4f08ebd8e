#pragma once

#include <string>
#include <string_view>

namespace glint::compiler {

/// The innermost line of the model's own code in a Python stack trace: "model.py:31 in forward: x = self.conv(x)".
/// Frames inside PyTorch are passed over; empty when there is no frame.
std::string source_of_stack_trace(std::string_view trace);

/// The innermost module of export's nn_module_stack ("key,path,class;key,path,class"): "features.0.0 (torch.nn.modules.conv.Conv2d)".
std::string module_of_stack(std::string_view stack);

}  // namespace glint::compiler
