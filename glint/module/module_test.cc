#include "glint/module/module.h"

#include <cmath>
#include <cstring>
#include <filesystem>

#include <gtest/gtest.h>

#include "glint/base/platform.h"
#include "glint/format/safetensors.h"

namespace glint {
namespace {

std::string shared_folder() {
  const char* set = environment("GLINT_SHARED");
  return set != nullptr ? std::string(set) : std::string(GLINT_SOURCE_DIR "/../shared");
}

TEST(Module, RunsAStockProgram) {
  const std::string folder = shared_folder().append("/models/mobilenet_v2/");
  if (!std::filesystem::exists(folder + "model_portable.pte")) GTEST_SKIP() << "no " << folder;
  const auto tensors = MappedFile::open((folder + "tensors.safetensors").c_str());
  ASSERT_TRUE(tensors.ok());
  const auto file = Safetensors::open(tensors->bytes());
  ASSERT_TRUE(file.ok());
  const auto input = file->find("input0"), expected = file->find("output0");
  ASSERT_TRUE(input.ok() && expected.ok());
  for (const auto loading : {ModuleOptions::Loading::kMap, ModuleOptions::Loading::kRead}) {
    Module m(folder + "model_portable.pte", {.loading = loading});
    ASSERT_TRUE(m.status().ok()) << m.last_error();
    OwnedTensor x(input->meta.dtype, {1, 3, 224, 224});
    std::memcpy(x.tensor().data, input->bytes.data(), input->bytes.size());
    const auto out = m.forward(x);
    ASSERT_TRUE(out.ok()) << m.last_error();
    const std::vector<float> got = std::get<OwnedTensor>(out->at(0)).to_vector<float>();
    ASSERT_EQ(got.size(), 1000u);
    float worst = 0, largest = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      float want;
      std::memcpy(&want, expected->bytes.data() + i * 4, 4);
      worst = std::max(worst, std::abs(got[i] - want));
      largest = std::max(largest, std::abs(want));
    }
    EXPECT_LT(worst, 1e-4f * largest);
  }
}

}  // namespace
}  // namespace glint
