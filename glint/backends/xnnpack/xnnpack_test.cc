#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <gtest/gtest.h>

#include "glint/backends/xnnpack/blob.h"
#include "glint/base/platform.h"
#include "glint/format/pte.h"
#include "glint/format/safetensors.h"
#include "glint/module/recorded_programs.h"

namespace glint {
namespace {

const std::filesystem::path kFolder = GLINT_SOURCE_DIR "/tests/data/xnnpack";

TEST(Xnnpack, StockProgramsGivePyTorchsResults) {
  EXPECT_GE(testing::run_recorded(kFolder), 60u);
}

std::string models_folder() {
  const char* set = environment("GLINT_SHARED");
  return (set != nullptr ? std::string(set) : std::string(GLINT_SOURCE_DIR "/../shared")) + "/models/mobilenet_v2/";
}

TEST(Xnnpack, RunsTheStockMobileNet) {
  const std::string folder = models_folder();
  if (!std::filesystem::exists(folder + "model.pte")) GTEST_SKIP() << "no " << folder;
  const testing::Recorded recorded(folder + "tensors.safetensors");
  Module m(folder + "model.pte");
  ASSERT_TRUE(m.status().ok()) << m.last_error();
  const auto out = m.forward(*recorded.find("input0"));
  ASSERT_TRUE(out.ok()) << m.last_error();
  testing::expect_close(std::get<OwnedTensor>(out->at(0)), *recorded.find("output0"));
}

TEST(Xnnpack, RefusesQuantizedValuesByName) {
  const std::string folder = models_folder();
  if (!std::filesystem::exists(folder + "model_int8.pte")) GTEST_SKIP() << "no " << folder;
  Module m(folder + "model_int8.pte");
  EXPECT_EQ(m.load_method("forward").code(), Code::kUnsupported);
  EXPECT_NE(m.last_error().find("quantized"), std::string::npos) << m.last_error();
}

TEST(Xnnpack, RefusesWhatIsNoBlob) {
  const struct None final : NamedData {
    std::optional<NamedBytes> find(std::string_view) const override { return std::nullopt; }
  } none;
  std::vector<std::byte> memory(4096);
  for (const size_t size : {0, 4, 8, 29, 30, 64}) {
    for (const char* magic : {"XH00", "XN00", "XN01", "XN02"}) {
      Arena arena(memory);
      std::vector<std::byte> bytes(size, std::byte{1});
      if (size >= 8) std::memcpy(bytes.data() + 4, magic, 4);
      EXPECT_FALSE(xnnpack::Blob::open(bytes, none, arena).ok()) << magic << " " << size;
    }
  }
}

}  // namespace
}  // namespace glint
