#include "glint/compiler/import/origin.h"

#include <gtest/gtest.h>

namespace glint::compiler {
namespace {

TEST(Origin, TheInnermostLineOfTheModelItself) {
  const std::string own = "  File \"net.py\", line 8, in forward\n    return self.conv(x)\n";
  EXPECT_EQ(source_of_stack_trace(own), "net.py:8 in forward: return self.conv(x)");
  const std::string torch = "  File \"/usr/lib/python3/site-packages/torch/nn/modules/conv.py\", line 3, in forward\n    return f()\n";
  EXPECT_EQ(source_of_stack_trace(own + torch), "net.py:8 in forward: return self.conv(x)");
  EXPECT_EQ(source_of_stack_trace(torch), "torch/nn/modules/conv.py:3 in forward: return f()");
  const std::string vision = "  File \"/x/site-packages/torchvision/models/resnet.py\", line 9, in f\n";
  EXPECT_EQ(source_of_stack_trace(own + vision + torch), "torchvision/models/resnet.py:9 in f");
  EXPECT_EQ(source_of_stack_trace(own + "  File \"site-packages/conv.py\", line 5, in forward\n"),
      "net.py:8 in forward: return self.conv(x)");
  EXPECT_EQ(source_of_stack_trace(""), "");
  EXPECT_EQ(source_of_stack_trace("File \""), ":");
  EXPECT_LT(source_of_stack_trace("File \"a\", line 1, in f\n" + std::string(100000, 'x')).size(), 1000u);
}

TEST(Origin, TheInnermostModule) {
  EXPECT_EQ(module_of_stack("L__self__,,net.Net;L__self___c,c,torch.nn.Conv2d"), "c (torch.nn.Conv2d)");
  EXPECT_EQ(module_of_stack("L__self__,,net.Net"), "(net.Net)");
  EXPECT_EQ(module_of_stack("k,L['self'].features.0,T"), "features.0 (T)");
  EXPECT_EQ(module_of_stack("k,getattr(L['self'].f, '0'),T"), "getattr(L['self'].f, '0') (T)");
  EXPECT_EQ(module_of_stack(""), "");
  EXPECT_EQ(module_of_stack(";"), "");
  EXPECT_EQ(module_of_stack("a,b"), "");
}

}  // namespace
}  // namespace glint::compiler
