#include "glint/module/module.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "glint/base/platform.h"
#include "glint/format/safetensors.h"
#include "glint/module/recorded_programs.h"
#include "glint/module/thread_pool.h"
#include "glint/testing/program_builder.h"

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

TEST(Module, RunsStockOperatorsOfLanguageModels) { EXPECT_EQ(testing::run_recorded(GLINT_SOURCE_DIR "/tests/data/stock_operators"), 5u); }

/// y = x + w, with x [1..8, 2] called points and w external; count(x) = n.
std::string program_file() {
  testing::ProgramBuilder b;
  const int32_t x = b.dynamic({8, 2}), y = b.dynamic({8, 2});
  b.method.inputs = {x};
  b.method.input_names = {"points"};
  b.method.values[size_t(x)].tensor.ranges = {{1, 8, 1}, {2, 2, 1}};
  TensorSpec w = testing::tensor({2}, Storage::kExternal);
  w.name = "w";
  b.method.outputs = {b.sum(x, b.add(w), y)};
  b.method.instructions[0].origin = "model.py:7";
  b.finish();
  const int32_t n = b.number(0), seen = b.state({2}, "seen"), z = b.input({2}), sum = b.planned({2}, 0);
  b.method.inputs = {z, n};
  b.sum(seen, z, sum);
  b.op("aten::copy_", "", {seen, sum, b.flag(false), seen});
  b.method.outputs = {sum, n};
  b.finish("count");
  const std::string path = ::testing::TempDir() + "glint_module.pte";
  EXPECT_TRUE(write_program(b.program, path.c_str()).ok());
  return path;
}

std::string weights_file(const char* name, std::vector<float> v) {
  const NamedTensorSpec t{"w", DType::kF32, {int64_t(v.size())}, {}, DataSpec::of(std::as_bytes(std::span<const float>(v)))};
  const std::string path = ::testing::TempDir() + name;
  EXPECT_TRUE(write_tensors({&t, 1}, path.c_str()).ok());
  return path;
}

std::vector<float> floats(const Result<Module::Outputs>& out) { return out.ok() ? std::get<OwnedTensor>(out->at(0)).to_vector<float>() : std::vector<float>(); }

TEST(Module, RunsMethodsWithStatesAndWeights) {
  Module m(program_file(), {.weights = {weights_file("glint_a.ptd", {10, 20})}});
  ASSERT_TRUE(m.status().ok()) << m.last_error();
  EXPECT_EQ(m.method_names(), (std::vector<std::string>{"forward", "count"}));
  EXPECT_EQ(m.method_info("forward")->inputs[0].describe(), "points float32[1..8, 2]");
  EXPECT_EQ(floats(m.forward(OwnedTensor({1.f, 2.f, 3.f, 4.f}, {2, 2}))), (std::vector<float>{11, 22, 13, 24}));
  float mine[] = {5, 6};
  EXPECT_EQ(floats(m.forward(OwnedTensor::borrow(mine, DType::kF32, {1, 2}))), (std::vector<float>{15, 26}));
  ASSERT_TRUE(m.bind_weights({weights_file("glint_b.ptd", {1, 1})}).ok()) << m.last_error();
  EXPECT_EQ(floats(m.forward(OwnedTensor({1.f, 2.f}, {1, 2}))), (std::vector<float>{2, 3}));
  for (float expected : {1.f, 2.f}) {
    const auto out = m.execute("count", {OwnedTensor({1.f, 1.f}, {2}), int64_t(7)});
    EXPECT_EQ(floats(out)[0], expected) << m.last_error();
    EXPECT_EQ(std::get<int64_t>(out->at(1)), 7);
  }
  m.reset();
  EXPECT_EQ(floats(m.execute("count", {OwnedTensor({1.f, 1.f}, {2}), int64_t(7)}))[0], 1);
}

TEST(Module, ErrorsSayWhatIsWrong) {
  Module missing("/nowhere/model.pte");
  EXPECT_FALSE(missing.status().ok());
  EXPECT_EQ(missing.last_error(), "/nowhere/model.pte: cannot open the file");
  EXPECT_FALSE(missing.forward(1).ok());
  Module m(program_file());
  ASSERT_TRUE(m.status().ok());
  EXPECT_FALSE(m.forward(OwnedTensor({1.f, 2.f}, {1, 2})).ok());
  EXPECT_EQ(m.last_error(), "forward: 'w': an external tensor is in none of the weight files");
  ASSERT_TRUE(m.bind_weights({weights_file("glint_a.ptd", {10, 20})}).ok());
  EXPECT_FALSE(m.forward(OwnedTensor(DType::kF32, {9, 2})).ok());
  EXPECT_EQ(m.last_error(),
            "forward: input 0 'points': a size of the input is outside its range: dimension 0 is 9, allowed are 1 to 8: expected float32[8, 2], got float32[9, 2]");
  EXPECT_FALSE(m.forward(OwnedTensor(DType::kI32, {1, 2})).ok());
  EXPECT_EQ(m.last_error(), "forward: input 0 'points': the input has another dtype: expected float32[8, 2], got int32[1, 2]");
  EXPECT_FALSE(m.forward(OwnedTensor({1.f}, {3, 2})).ok());
  EXPECT_FALSE(m.forward().ok());
  EXPECT_EQ(m.last_error(), "forward: takes 1 inputs, got 0");
  EXPECT_FALSE(m.execute("backward", {}).ok());
  EXPECT_EQ(m.last_error(), "backward: 'backward': the program has no method of this name");

  testing::ProgramBuilder b;
  const int32_t x = b.input({2});
  b.sum(x, x, b.planned({3}, 0));
  b.method.instructions[0].origin = "model.py:7";
  b.finish();
  const std::string path = ::testing::TempDir() + "glint_wrong.pte";
  ASSERT_TRUE(write_program(b.program, path.c_str()).ok());
  Module wrong(path);
  EXPECT_FALSE(wrong.load_method("forward").ok());
  EXPECT_EQ(wrong.last_error(),
            "forward: aten::add.out (instruction 0, model.py:7), result 0: the result has other sizes than the program says: expected float32[2], got float32[3]");
}

/// The outputs of a program for inputs of ones, as text.
std::string outputs_of(Module& m) {
  const auto info = m.method_info("forward");
  if (!info.ok()) return m.last_error();
  std::vector<ModuleValue> inputs;
  for (const PortInfo& port : info->inputs) {
    OwnedTensor t(port.tensor.dtype, {port.tensor.size.begin(), port.tensor.size.begin() + port.tensor.rank});
    if (t.dtype() == DType::kF32) std::fill_n(t.data<float>(), t.numel(), 1.0f);
    inputs.emplace_back(std::move(t));
  }
  const auto out = m.execute("forward", std::move(inputs));
  if (!out.ok()) return m.last_error();
  std::string text;
  for (const ModuleValue& v : *out)
    for (float x : std::get<OwnedTensor>(v).to_vector<float>()) text += std::to_string(x) + " ";
  return text;
}

TEST(Module, LoadsAndRunsOnManyThreadsAtOnce) {
  // The first loads of the process happen here, together, if this test runs alone.
  const std::string data = GLINT_SOURCE_DIR "/tests/data/";
  const std::string paths[] = {data + "interop/conv.pte", data + "interop/softmax.pte", data + "xnnpack/block.pte"};
  std::vector<std::string> results[8];
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 10; ++round)
        for (const std::string& path : paths) {
          Module m(path, {.threads = 1 + t % 2});
          results[t].push_back(m.status().ok() ? outputs_of(m) : m.last_error());
        }
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& path : paths) {
    Module m(path);
    ASSERT_TRUE(m.status().ok()) << m.last_error();
    const std::string alone = outputs_of(m);
    EXPECT_NE(alone.find('.'), std::string::npos) << alone;
    for (const auto& r : results)
      for (size_t i = size_t(&path - paths); i < r.size(); i += 3) ASSERT_EQ(r[i], alone) << path;
  }
}

TEST(Module, ManySessionsOfOneProgramRunAtOnce) {
  // A program is immutable: sessions over it share its bytes, and nothing else.
  const auto file = MappedFile::open(GLINT_SOURCE_DIR "/tests/data/xnnpack/block.pte");
  ASSERT_TRUE(file.ok());
  std::string results[4];
  std::vector<std::thread> threads;
  for (std::string& result : results)
    threads.emplace_back([&] {
      Module m(file->bytes());
      for (int i = 0; i < 20; ++i) result = outputs_of(m);
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& result : results) EXPECT_EQ(result, results[0]);
}

TEST(ThreadPool, EachTaskRunsOnceAndWorkersAreNeverShared) {
  ThreadPool pool(3);
  EXPECT_EQ(pool.workers(), 3u);
  std::vector<int> ran(1000, 0);
  std::vector<int> busy(3, 0);
  for (int round = 0; round < 20; ++round)
    parallel_for(&pool, ran.size(), [&](size_t task, size_t worker) {
      EXPECT_EQ(busy[worker]++, 0);
      ++ran[task];
      --busy[worker];
    });
  for (int n : ran) EXPECT_EQ(n, 20);
}

}  // namespace
}  // namespace glint
