// Calls operators with random operands, most of them wrong: whatever comes, a call answers with results or a status.
//   op_fuzz [--op NAME] [--rounds N] [--seed S]
// To be built with sanitizers or run under valgrind.

#include <CLI/CLI.hpp>

#include <cstdio>
#include <random>

#include "glint/ops/ops.h"
#include "glint/testing/op_call.h"
#include "glint/testing/random.h"

namespace glint {
namespace {

using testing::HostTensor;
using testing::Operand;

class Source : public testing::Random {
 public:
  using Random::Random;
  bool chance(int percent) { return below(100) < percent; }

  int64_t integer() {
    static constexpr int64_t kOdd[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, int64_t(1) << 40, -(int64_t(1) << 40), INT32_MAX, INT32_MIN, 100};
    return chance(85) ? below(7) - 2 : kOdd[below(std::size(kOdd))];
  }
  DType dtype() {
    static constexpr DType kAll[] = {DType::kF32, DType::kF32, DType::kI64, DType::kI64, DType::kBool, DType::kF16, DType::kU8, DType::kI32, DType::kF64, DType::kC64, DType::kBF16, DType::kI8};
    return kAll[below(std::size(kAll))];
  }
  HostTensor tensor(DType dtype, int rank) {
    std::vector<int64_t> sizes;
    for (int d = 0; d < rank; ++d) sizes.push_back(chance(6) ? 0 : 1 + below(4));
    HostTensor t(dtype, sizes);
    std::vector<double> values(size_t(t.tensor().numel()));
    for (double& v : values) v = chance(3) ? NAN : double(below(6)) - (chance(20) ? 3 : 0);
    t = HostTensor(dtype, sizes, values);
    if (chance(30)) {
      std::vector<uint8_t> order;
      for (int d = rank; d-- > 0;) order.push_back(uint8_t(d));
      TensorMeta meta = t.tensor();
      meta.set_dim_order(order);
      t = t.with_strides({meta.stride.begin(), meta.stride.begin() + meta.rank});
    }
    return t;
  }
  Operand operand(const SchemaArg& arg, DType dtype_hint, int rank_hint) {
    if ((arg.optional && chance(50)) || is_ignored(arg.type)) return {};
    const auto one = [&] {
      DType d = chance(85) ? dtype_hint : dtype();
      if ((arg.name.find("ind") != arg.name.npos || arg.name == "offsets" || arg.name == "repeats") && chance(90)) d = chance(80) ? DType::kI64 : DType::kI32;
      if (arg.name == "mask" && chance(90)) d = DType::kBool;
      if (arg.optional_elements && chance(25)) d = DType::kBool;
      return tensor(d, chance(80) ? rank_hint : int(below(6)));
    };
    const size_t n = arg.list ? size_t(arg.list_size > 0 && chance(80) ? arg.list_size : below(5)) : 1;
    Operand o;
    switch (arg.type) {
      case ArgType::kTensor:
        if (!arg.list) return {one()};
        o.kind = Operand::Kind::kTensors;
        for (size_t i = 0; i < n; ++i) {
          o.absent.push_back(arg.optional_elements && chance(30));
          o.tensors.push_back(o.absent.back() ? HostTensor() : one());
        }
        return o;
      case ArgType::kInt: case ArgType::kMemoryFormat:
        if (!arg.list) return {integer()};
        o.kind = Operand::Kind::kInts;
        for (size_t i = 0; i < n; ++i) o.ints.push_back(integer());
        return o;
      case ArgType::kFloat:
        if (!arg.list) return {double(integer()) / 4};
        o.kind = Operand::Kind::kFloats;
        for (size_t i = 0; i < n; ++i) o.floats.push_back(double(integer()) / 4);
        return o;
      case ArgType::kBool:
        if (!arg.list) return {chance(50)};
        o.kind = Operand::Kind::kBools;
        for (size_t i = 0; i < n; ++i) o.bools.push_back(char(chance(50)));
        return o;
      case ArgType::kScalar: return chance(50) ? Operand(integer()) : chance(80) ? Operand(double(integer()) / 4) : Operand(chance(50));
      case ArgType::kDType: return chance(90) ? Operand(dtype()) : Operand(below(40));
      case ArgType::kString: {
        static constexpr const char* kWords[] = {"sum", "mean", "amax", "amin", "prod", "add", "multiply", "none", "tanh", "floor", "trunc", "reflect", "?"};
        return {kWords[below(std::size(kWords))]};
      }
      default: return {};
    }
  }

};

int main_(int argc, char** argv) {
  CLI::App app("Calls operators with random operands.");
  std::string only;
  int64_t rounds = 200, seed = 1;
  app.add_option("--op", only, "only operators whose name contains this");
  app.add_option("--rounds", rounds, "calls of each operator");
  app.add_option("--seed", seed, "of the random numbers");
  CLI11_PARSE(app, argc, argv);
  int64_t calls = 0, done = 0;
  for (const OpFamily* family : ops::all())
    for (const OpDef& def : family->defs) {
      if (!only.empty() && def.name().find(only) == std::string_view::npos) continue;
      Source source{uint64_t(seed)};
      for (int64_t round = 0; round < rounds; ++round, ++calls) {
        const DType dtype = source.dtype();
        const int rank = int(source.below(5));
        std::vector<Operand> operands;
        for (const SchemaArg& a : def.schema->args()) {
          Operand o;
          if (a.default_text.empty() || source.chance(60) || !testing::parse_default(a, o)) o = source.operand(a, dtype, rank);
          operands.push_back(std::move(o));
        }
        testing::CallOptions options;
        options.memory_limit = 4 << 20;
        options.list_results = uint32_t(1 + source.below(4));
        options.reversed_results = source.chance(30);
        done += testing::call(def, std::move(operands), options).status.ok();
      }
    }
  std::printf("%lld calls, %lld with results\n", (long long)calls, (long long)done);
  return 0;
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) { return glint::main_(argc, argv); }
