#pragma once

// For tests: a folder of programs NAME.pte with tensors.safetensors, where the calls' inputs and PyTorch's results are called
// NAME/CALL/input0, ..., NAME/CALL/output0, ...

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "glint/base/platform.h"
#include "glint/format/safetensors.h"
#include "glint/module/module.h"

namespace glint::testing {

/// PyTorch's results, by name.
class Recorded {
 public:
  explicit Recorded(const std::string& path) : mapped_(*MappedFile::open(path.c_str())), file_(*Safetensors::open(mapped_.bytes())) {}
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

inline void expect_close(const OwnedTensor& got, const OwnedTensor& wanted) {
  ASSERT_EQ(got.dtype(), wanted.dtype());
  ASSERT_EQ(got.sizes(), wanted.sizes());
  const std::vector<float> a = got.row_major().to_vector<float>(), b = wanted.to_vector<float>();
  float largest = 0;
  for (float x : b) largest = std::max(largest, std::abs(x));
  const float tolerance = (got.dtype() == DType::kF16 ? 4e-3f : 1e-5f) * std::max(largest, 1.0f);
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << "element " << i;
}

/// Every call of a program in turn, twice over.
inline void run_all(Module& m, const Recorded& recorded, const std::string& name) {
  for (int round = 0; round < 2; ++round) {
    m.reset();
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

/// Runs every program of the folder with one and with two threads; how many there are.
inline size_t run_recorded(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> programs;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".pte") programs.push_back(entry.path());
  std::sort(programs.begin(), programs.end());
  const Recorded recorded(folder / "tensors.safetensors");
  for (const auto& path : programs) {
    for (const size_t threads : {1, 2}) {
      SCOPED_TRACE(path.stem().string() + " with " + std::to_string(threads) + " threads");
      Module m(path.string(), {.threads = threads});
      EXPECT_TRUE(m.status().ok()) << m.last_error();
      if (m.status().ok()) run_all(m, recorded, path.stem().string());
    }
  }
  return programs.size();
}

}  // namespace glint::testing
