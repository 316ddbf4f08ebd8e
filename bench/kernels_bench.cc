// Single operators on one thread, in GFLOP/s, for each instruction set this processor has.

#include <benchmark/benchmark.h>

#include <deque>
#include <random>

#include "glint/kernels/elementwise/tile_program.h"
#include "glint/kernels/isa.h"
#include "glint/ops/ops.h"
#include "glint/testing/op_call.h"

namespace glint {
namespace {

using testing::HostTensor;

HostTensor random_tensor(std::vector<int64_t> sizes) {
  HostTensor t(DType::kF32, std::move(sizes));
  std::mt19937 random(1);
  std::uniform_real_distribution<float> values(-1, 1);
  for (int64_t i = 0; i < t.tensor().numel(); ++i) t.tensor().as<float>()[i] = values(random);
  return t;
}

HostTensor channels_last(const HostTensor& t) {
  const auto& s = t.tensor().size;
  return t.with_strides({s[1] * s[2] * s[3], 1, s[3] * s[1], s[1]});
}

// An operator planned once, ready to run.
class Prepared {
 public:
  Prepared(const OpDef& op, std::vector<Value> in, const Cpu& cpu) : op_(op), in_(std::move(in)), cpu_(cpu) {
    out_.push_back(Value::of(&result_));
    if (!op.infer(in_, out_).ok()) std::abort();
    memory_.resize(result_.size_bytes() + 64);
    result_.data = align(memory_);
    if (op.plan != nullptr && !op.plan({cpu_}, in_, out_, plan_).ok()) std::abort();
    scratch_.resize(plan_.scratch_bytes + 64);
    worker_scratch_.resize(plan_.worker_scratch_bytes + 128);
  }
  void run() {
    OpContext context(plan_, {align(scratch_), plan_.scratch_bytes}, {align(worker_scratch_), plan_.worker_scratch_bytes}, nullptr, cpu_);
    if (!op_.run(context, in_, out_).ok()) std::abort();
  }
  const Plan& plan() const { return plan_; }

 private:
  static std::byte* align(std::vector<std::byte>& v) { return v.data() + (-reinterpret_cast<uintptr_t>(v.data()) & 63); }
  const OpDef& op_;
  std::vector<Value> in_, out_;
  Cpu cpu_;
  Tensor result_;
  Plan plan_;
  std::vector<std::byte> memory_, scratch_, worker_scratch_;
};

void measure(benchmark::State& state, Prepared& p) {
  p.run();
  for (auto _ : state) p.run();
  state.counters["GFLOPS"] = benchmark::Counter(p.plan().flops * 1e-9 * double(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["GB/s"] = benchmark::Counter(p.plan().bytes * 1e-9 * double(state.iterations()), benchmark::Counter::kIsRate);
  state.SetLabel(p.plan().algorithm);
}

HostTensor pack(const HostTensor& weight, int64_t groups, const char* format) {
  return testing::call(testing::op(ops::all(), "glint::pack"), {weight, HostTensor(DType::kF32, {weight.tensor().size[0]}), format, groups}).results[0];
}

struct Conv { int64_t size, in, out, kernel, stride, groups; };

void conv(benchmark::State& state, Isa isa, Conv c) {
  Cpu cpu = cpu_by_name(isa_name(isa));
  HostTensor x = random_tensor({1, c.in, c.size, c.size});
  if (c.in > 3) x = channels_last(x);
  const int64_t pad = c.kernel / 2, sizes[] = {c.out, c.in / c.groups, c.kernel, c.kernel}, stride[] = {c.stride, c.stride}, padding[] = {pad, pad}, dilation[] = {1, 1};
  HostTensor packed = pack(random_tensor({sizes[0], sizes[1], sizes[2], sizes[3]}), c.groups, c.groups > 1 ? "f32.dw16" : "f32.n16");
  kernels::TileBuilder relu6(true);
  relu6.clamp(0, 0, 6);
  Prepared p(testing::op(ops::all(), "glint::conv"),
             {Value::of(&x.tensor()), Value::of(&packed.tensor()), Value::of(Ints(sizes)), Value::of(Ints(stride)), Value::of(Ints(padding)), Value::of(Ints(dilation)),
              Value::of(c.groups), Value::of(relu6.finish()), Value::of(std::span<Tensor* const>()), Value::of(true)},
             cpu);
  measure(state, p);
}

void linear(benchmark::State& state, Isa isa, int64_t rows, int64_t depth, int64_t outputs) {
  HostTensor x = random_tensor({rows, depth}), packed = pack(random_tensor({outputs, depth}), 1, "f32.n16");
  Prepared p(testing::op(ops::all(), "glint::linear"),
             {Value::of(&x.tensor()), Value::of(&packed.tensor()), Value::of(outputs), Value::of(std::string_view()), Value::of(std::span<Tensor* const>())},
             cpu_by_name(isa_name(isa)));
  measure(state, p);
}

// The distinct convolutions of MobileNetV2 (size, in, out, kernel, stride, groups), then two of ResNet's.
constexpr Conv kConvs[] = {
    {224, 3, 32, 3, 2, 1},    {112, 32, 32, 3, 1, 32},  {112, 32, 16, 1, 1, 1},   {112, 16, 96, 1, 1, 1},   {112, 96, 96, 3, 2, 96},  {56, 96, 24, 1, 1, 1},
    {56, 24, 144, 1, 1, 1},   {56, 144, 144, 3, 1, 144}, {56, 144, 24, 1, 1, 1},  {56, 144, 144, 3, 2, 144}, {28, 144, 32, 1, 1, 1}, {28, 32, 192, 1, 1, 1},
    {28, 192, 192, 3, 1, 192}, {28, 192, 32, 1, 1, 1},  {28, 192, 192, 3, 2, 192}, {14, 192, 64, 1, 1, 1},  {14, 64, 384, 1, 1, 1},  {14, 384, 384, 3, 1, 384},
    {14, 384, 64, 1, 1, 1},   {14, 384, 96, 1, 1, 1},   {14, 96, 576, 1, 1, 1},   {14, 576, 576, 3, 1, 576}, {14, 576, 96, 1, 1, 1}, {14, 576, 576, 3, 2, 576},
    {7, 576, 160, 1, 1, 1},   {7, 160, 960, 1, 1, 1},   {7, 960, 960, 3, 1, 960}, {7, 960, 160, 1, 1, 1},   {7, 960, 320, 1, 1, 1},  {7, 320, 1280, 1, 1, 1},
    {56, 64, 64, 3, 1, 1},    {14, 256, 256, 3, 1, 1},
};
constexpr int64_t kLinears[][3] = {{1, 1280, 1000}, {197, 768, 3072}, {197, 3072, 768}, {512, 512, 512}};

[[maybe_unused]] const bool kRegistered = [] {
  for (Isa isa : kernels::kBuiltIsas) {
    if (!detect_cpu().supports(isa)) continue;
    for (const Conv& c : kConvs) {
      const std::string name = std::string("conv/") + isa_name(isa) + "/" + std::to_string(c.size) + "x" + std::to_string(c.in) + "x" + std::to_string(c.out) + "k" +
                               std::to_string(c.kernel) + "s" + std::to_string(c.stride) + (c.groups > 1 ? "dw" : "");
      benchmark::RegisterBenchmark(name.c_str(), conv, isa, c);
    }
    for (const auto& l : kLinears)
      benchmark::RegisterBenchmark((std::string("linear/") + isa_name(isa) + "/" + std::to_string(l[0]) + "x" + std::to_string(l[1]) + "x" + std::to_string(l[2])).c_str(),
                                   linear, isa, l[0], l[1], l[2]);
  }
  return true;
}();

}  // namespace
}  // namespace glint
