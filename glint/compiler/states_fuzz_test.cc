// Random programs that write to a state in every way and read it at every time: compiled equals interpreted.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "glint/compiler/compiler.h"
#include "glint/compiler/ir/interpret.h"
#include "glint/compiler/ir/ir.h"
#include "glint/module/module.h"
#include "glint/testing/random.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Builder;
using ir::Item;
using ir::Value;

using testing::Random;

ir::Type floats(std::vector<ir::Dim> dims) { return ir::Type::tensor(DType::kF32, std::move(dims)); }

/// A state of 3 layers of 8 rows of 4.
class Writer {
 public:
  Writer(ir::Graph& graph, Random& random) : graph_(graph), random_(random), b_(graph, op_lookup(), nullptr) {
    rows_ = graph.add_input("rows", floats({2, 4}));
    layer_ = graph.add_input("layer", floats({8, 4}));
    index_ = graph.add_input("index", ir::Type::tensor(DType::kI64, {2}));
    state_ = graph.add_state("state", floats({3, 8, 4}), nullptr);
    seen_ = {state_};
  }

  void run() {
    for (int64_t i = 0, n = 1 + random_.below(6); i < n; ++i) {
      if (random_.below(3) == 0) graph_.outputs.emplace_back(read());
      state_ = write(state_);
      seen_.push_back(state_);
    }
    for (int64_t i = 0, n = 1 + random_.below(2); i < n; ++i) graph_.outputs.emplace_back(read());
    graph_.output_names.resize(graph_.outputs.size());
    graph_.states[0].final = state_;
  }

 private:
  Value* op(std::string_view name, std::vector<Arg> args) { return b_.op(name, std::move(args)); }
  /// Something of what was there at any time, sometimes as it is.
  Value* read() {
    Value* v = seen_[size_t(random_.below(int64_t(seen_.size())))];
    if (random_.below(4) == 0) return v;
    return op("aten::sum.dim_IntList", {v, std::vector<int64_t>{-1}});
  }
  Value* put(Value* to) { return op("aten::index_put", {to, Arg::List{index_}, rows_, random_.below(2) == 0}); }
  Value* scatter_rows(Value* layer) {
    const int64_t at = random_.below(7);
    Value* source = rows_;
    if (random_.below(2) == 0) source = op("aten::add.Tensor", {op("aten::slice.Tensor", {layer, 0, at, at + 2}), rows_});
    Value* r = op("aten::slice_scatter", {layer, source, 0, at, at + 2});
    return random_.below(3) == 0 ? op("aten::slice_scatter", {r, source, 0, at, at + 2}) : r;
  }
  Value* write_layer(Value* layer, Value* state) {
    switch (random_.below(5)) {
      case 0: return put(layer);
      case 1: return scatter_rows(layer);
      case 2: return op("aten::mul.Tensor", {layer, layer_});
      case 3: return op("aten::copy", {layer, op("aten::select.int", {state, 0, random_.below(3)})});
      default: return layer_;
    }
  }
  Value* write(Value* state) {
    switch (random_.below(6)) {
      case 0: return op("aten::index_put", {state, Arg::List{Arg(), index_}, rows_, false});
      case 1: {
        const int64_t at = random_.below(3);
        Value* layer = op("aten::select.int", {state, 0, at});
        Value* written = write_layer(layer, state);
        seen_.push_back(layer);
        seen_.push_back(written);
        return op("aten::select_scatter", {state, written, 0, at});
      }
      case 2: {
        const int64_t at = random_.below(7), from = random_.below(7);
        Value* part = op("aten::slice.Tensor", {state, 1, from, from + 2});
        if (random_.below(2) == 0) part = op("aten::mul.Scalar", {part, 2});
        return op("aten::slice_scatter", {state, part, 1, at, at + 2});
      }
      case 3: {
        Value* turned = op("aten::permute", {state, std::vector<int64_t>{1, 0, 2}});
        Value* written = op("aten::select_scatter", {turned, op("aten::slice.Tensor", {layer_, 0, 0, 3}), 0, random_.below(8)});
        seen_.push_back(written);
        return op("aten::permute", {written, std::vector<int64_t>{1, 0, 2}});
      }
      case 4: {
        Value* written = put(op("aten::view", {state, std::vector<int64_t>{24, 4}}));
        seen_.push_back(written);
        return op("aten::view", {written, std::vector<int64_t>{3, 8, 4}});
      }
      default: return op("aten::add.Tensor", {state, layer_});
    }
  }

  ir::Graph& graph_;
  Random& random_;
  Builder b_;
  Value *rows_, *layer_, *index_, *state_;
  std::vector<Value*> seen_;
};

void expect_same(const Result<Module::Outputs>& got, const std::vector<Item>& want, const std::string& text) {
  ASSERT_TRUE(got.ok()) << text;
  for (size_t i = 0; i < want.size(); ++i) {
    const std::vector<float> a = std::get<OwnedTensor>((*got)[i]).row_major().to_vector<float>();
    const std::vector<double> b = want[i].values();
    ASSERT_EQ(a.size(), b.size());
    for (size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], 1e-4 * (1 + std::abs(b[k]))) << "output " << i << " element " << k << "\n" << text;
  }
}

TEST(StatesFuzz, CompiledEqualsInterpreted) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    Random random(seed);
    ir::Module module;
    module.methods.push_back(std::make_unique<ir::Graph>());
    Writer(*module.methods[0], random).run();
    const std::string text = "seed " + std::to_string(seed) + "\n" + ir::print(*module.methods[0]);
    const auto reference = ir::parse(ir::print(*module.methods[0]), op_lookup());
    CompileOptions options;
    if (seed % 3 == 0) options.target.kind = Target::Kind::kPortable;
    std::vector<std::byte> bytes;
    try {
      lower(module, options);
      ASSERT_TRUE(write_program(emit(module, op_lookup(), options.target), bytes).ok()) << text;
    } catch (const ir::Error& e) {
      FAIL() << e.diagnostic.text() << text;
    }
    Module program(bytes);
    ir::StateStore states;
    for (int call = 0; call < 3; ++call) {
      const std::vector<double> rows = random.numbers(8), layer = random.numbers(32);
      const std::vector<double> index = {double(random.below(8)), double(random.below(8))};
      const Item inputs[] = {Item::tensor(DType::kF32, {2, 4}, rows), Item::tensor(DType::kF32, {8, 4}, layer), Item::tensor(DType::kI64, {2}, index)};
      const auto got = program.execute("forward", {OwnedTensor(std::vector<float>(rows.begin(), rows.end()), {2, 4}), OwnedTensor(std::vector<float>(layer.begin(), layer.end()), {8, 4}),
                                                   OwnedTensor(std::vector<int64_t>(index.begin(), index.end()), {2})});
      ASSERT_NO_FATAL_FAILURE(expect_same(got, ir::interpret(*reference, inputs, states).outputs, text + program.last_error()));
    }
  }
}

}  // namespace
}  // namespace glint::compiler
