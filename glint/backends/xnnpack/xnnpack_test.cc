#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <gtest/gtest.h>

#include "glint/backends/xnnpack/blob.h"
#include "glint/base/platform.h"
#include "glint/format/pte.h"
#include "glint/format/safetensors.h"
#include "glint/module/module.h"

namespace glint {
namespace {

const std::filesystem::path kFolder = GLINT_SOURCE_DIR "/tests/data/xnnpack";

std::vector<std::filesystem::path> programs() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().extension() == ".pte") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// PyTorch's results, by name.
class Recorded {
 public:
  explicit Recorded(const std::string& path = kFolder / "tensors.safetensors") : mapped_(*MappedFile::open(path.c_str())), file_(*Safetensors::open(mapped_.bytes())) {}
  std::optional<OwnedTensor> find(const std::string& name) const {
    const auto entry = file_.find(name);
    if (!entry.ok()) return std::nullopt;
    OwnedTensor t(entry->meta.dtype, {entry->meta.size.begin(), entry->meta.size.begin() + entry->meta.rank});
    std::memcpy(t.tensor().data, entry->bytes.data(), entry->bytes.size());
    return t;
  }
  /// name/call/kind0, kind1, ...
  std::vector<OwnedTensor> list(const std::string& prefix) const {
    std::vector<OwnedTensor> tensors;
    while (auto t = find(prefix + std::to_string(tensors.size()))) tensors.push_back(std::move(*t));
    return tensors;
  }

 private:
  MappedFile mapped_;
  Safetensors file_;
};

void expect_close(const OwnedTensor& got, const OwnedTensor& wanted) {
  ASSERT_EQ(got.dtype(), wanted.dtype());
  ASSERT_EQ(got.sizes(), wanted.sizes());
  const std::vector<float> a = got.row_major().to_vector<float>(), b = wanted.to_vector<float>();
  float largest = 0;
  for (float x : b) largest = std::max(largest, std::abs(x));
  const float tolerance = (got.dtype() == DType::kF16 ? 4e-3f : 1e-5f) * std::max(largest, 1.0f);
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << "element " << i;
}

/// Every call of a program in turn, twice over.
void run_all(Module& m, const Recorded& recorded, const std::string& name) {
  for (int round = 0; round < 2; ++round) {
    for (int call = 0;; ++call) {
      const std::string prefix = name + "/" + std::to_string(call) + "/";
      std::vector<OwnedTensor> inputs = recorded.list(prefix + "input");
      if (inputs.empty()) {
        ASSERT_GT(call, 0);
        break;
      }
      SCOPED_TRACE(prefix);
      const auto out = m.execute("forward", {inputs.begin(), inputs.end()});
      ASSERT_TRUE(out.ok()) << m.last_error();
      const std::vector<OwnedTensor> wanted = recorded.list(prefix + "output");
      ASSERT_EQ(out->size(), wanted.size());
      for (size_t i = 0; i < wanted.size(); ++i) {
        SCOPED_TRACE("output " + std::to_string(i));
        expect_close(std::get<OwnedTensor>((*out)[i]), wanted[i]);
      }
    }
  }
}

TEST(Xnnpack, StockProgramsGivePyTorchsResults) {
  const Recorded recorded;
  ASSERT_GE(programs().size(), 60u);
  for (const auto& path : programs()) {
    for (const size_t threads : {1, 2}) {
      SCOPED_TRACE(path.stem().string() + " with " + std::to_string(threads) + " threads");
      Module m(path.string(), {.threads = threads});
      ASSERT_TRUE(m.status().ok()) << m.last_error();
      run_all(m, recorded, path.stem().string());
    }
  }
}

std::string models_folder() {
  const char* set = environment("GLINT_SHARED");
  return (set != nullptr ? std::string(set) : std::string(GLINT_SOURCE_DIR "/../shared")) + "/models/mobilenet_v2/";
}

TEST(Xnnpack, RunsTheStockMobileNet) {
  const std::string folder = models_folder();
  if (!std::filesystem::exists(folder + "model.pte")) GTEST_SKIP() << "no " << folder;
  const Recorded recorded(folder + "tensors.safetensors");
  Module m(folder + "model.pte");
  ASSERT_TRUE(m.status().ok()) << m.last_error();
  const auto out = m.forward(*recorded.find("input0"));
  ASSERT_TRUE(out.ok()) << m.last_error();
  expect_close(std::get<OwnedTensor>(out->at(0)), *recorded.find("output0"));
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
