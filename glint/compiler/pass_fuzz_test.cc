// Random graphs: what passes make of them computes the same.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "glint/compiler/decompose/decompose.h"
#include "glint/compiler/ir/interpret.h"
#include "glint/compiler/pass_manager.h"
#include "glint/ops/ops.h"
#include "glint/testing/random.h"

namespace glint::compiler {
extern constinit const PassDef* const kPasses[];
extern constinit const unsigned kPassesCount;

namespace {

using ir::Arg;
using ir::Builder;
using ir::Dim;
using ir::Graph;
using ir::Item;
using ir::Value;
using Ints64 = std::vector<int64_t>;

const ir::OpLookup& lookup() {
  static const ir::OpLookup ops(ops::all(), composite_schemas());
  return ops;
}

const PassDef* pass(std::string_view name) {
  for (unsigned i = 0; i < kPassesCount; ++i)
    if (kPasses[i]->name == name) return kPasses[i];
  return nullptr;
}

using testing::Random;

void expect_close(const Item& a, const Item& b, const std::string& text) {
  const std::vector<double> x = a.values(), y = b.values();
  ASSERT_EQ(x.size(), y.size()) << text;
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_TRUE(x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])) || std::abs(x[i] - y[i]) <= 1e-4 * (1 + std::abs(x[i]))) << x[i] << " " << y[i] << "\n" << text;
}

// --- functional graphs ---------------------------------------------------------

/// Grows a graph of elementwise operations, views and reductions over f32 values of rank 0 to 4, some sizes symbolic.
class GraphMaker {
 public:
  explicit GraphMaker(unsigned seed) : random_(seed) {
    const Dim s = random_.below(2) ? graph.symbols.dim(graph.symbols.add({"s", 2, 5})) : Dim(3);
    for (int i = 0; i < 2; ++i) pool_.push_back(graph.add_input("x", ir::Type::tensor(DType::kF32, {Dim(2), s, Dim(3)})));
    Builder b(graph, lookup(), nullptr);
    pool_.push_back(b.constant(DType::kF32, {2, 1, 3}, random_.numbers(6)));
    pool_.push_back(b.constant(DType::kF32, {3}, random_.numbers(3)));
    for (int i = 0; i < 25; ++i) step(b);
    for (int i = 0; i < 4; ++i) graph.outputs.emplace_back(pool_[pool_.size() - 1 - size_t(random_.below(8))]);
  }
  Graph graph;

 private:
  Value* any() { return pool_[size_t(random_.below(int64_t(pool_.size())))]; }
  int64_t axis(const Value* v) { return random_.below(int64_t(v->type.rank())); }

  void step(Builder& b) {
    Value* v = any();
    try {
      Value* made = nullptr;
      switch (random_.below(6)) {
        case 0: made = b.op(kUnary[random_.below(std::size(kUnary))], {v}); break;
        case 1: made = b.op(kBinary[random_.below(std::size(kBinary))], {v, any()}); break;
        case 2: made = b.op("aten::mul.Scalar", {v, random_.number()}); break;
        case 3: made = reduce(b, v); break;
        default: made = view(b, v); break;
      }
      if (made != nullptr && made->type.rank() <= 4) pool_.push_back(made);
    } catch (const ir::Error&) {
      // Operands that do not broadcast, sizes that do not fit: another step then.
    }
  }

  Value* reduce(Builder& b, Value* v) {
    if (v->type.rank() == 0) return nullptr;
    const char* const names[] = {"aten::sum.dim_IntList", "aten::mean.dim", "aten::amax"};
    return b.op(names[random_.below(3)], {v, Ints64{axis(v)}, random_.below(2) == 0});
  }

  Value* view(Builder& b, Value* v) {
    const size_t rank = v->type.rank();
    if (rank == 0) return b.op("aten::unsqueeze", {v, 0});
    switch (random_.below(11)) {
      case 0: return b.op("aten::permute", {v, shuffled(rank)});
      case 1: return b.op("aten::transpose.int", {v, axis(v), axis(v) - int64_t(rank)});
      case 2: return b.op("aten::slice.Tensor", {v, axis(v), random_.below(3) - 1, random_.below(2) ? Arg(INT64_MAX) : Arg(random_.below(4)), random_.below(2) + 1});
      case 3: return b.op("aten::select.int", {v, axis(v), random_.below(2)});
      case 4: return b.op("aten::unsqueeze", {v, random_.below(int64_t(rank) + 1)});
      case 5: return b.op("aten::squeeze.dims", {v, Ints64{axis(v)}});
      case 6: return b.op("aten::view", {v, Ints64{-1}});
      case 7: return b.op("aten::view", {v, b.sizes(v->type.dims)});
      case 8: {
        std::vector<Dim> dims = v->type.dims;
        dims.insert(dims.begin(), Dim(1 + random_.below(2)));
        return b.op("aten::expand", {v, b.sizes(dims)});
      }
      case 9: return b.op("aten::cat", {random_.below(2) ? std::vector<Value*>{v} : std::vector<Value*>{v, v}, axis(v)});
      default: return b.op("aten::clone", {v});
    }
  }

  Ints64 shuffled(size_t n) {
    Ints64 v(n);
    for (size_t i = 0; i < n; ++i) v[i] = int64_t(i);
    for (size_t i = n; i > 1; --i) std::swap(v[i - 1], v[size_t(random_.below(int64_t(i)))]);
    return v;
  }

  static constexpr const char* kUnary[] = {"aten::neg", "aten::relu", "aten::abs", "aten::sigmoid", "aten::tanh"};
  static constexpr const char* kBinary[] = {"aten::add.Tensor", "aten::mul.Tensor", "aten::maximum", "aten::sub.Tensor"};
  Random random_;
  std::vector<Value*> pool_;
};

TEST(PassFuzz, PassesToCoreKeepTheMeaning) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    GraphMaker maker(seed);
    Graph& g = maker.graph;
    const std::string text = ir::print(g);
    ir::verify(g, ir::Stage::kCore);
    EXPECT_EQ(ir::print(*ir::parse(text, lookup())), text);
    Random random(seed);
    std::vector<Item> inputs;
    const int64_t s = 2 + random.below(4);
    for (const Value* v : g.inputs) {
      const int64_t size = g.symbols.evaluate(v->type.dims[1], {s});
      inputs.push_back(Item::tensor(DType::kF32, {2, size, 3}, random.numbers(size_t(6 * size))));
    }
    ir::StateStore states;
    const ir::Interpretation want = ir::interpret(g, inputs, states);
    Target target;
    PassContext context{lookup(), target};
    for (const char* name : {"decompose", "fold-constants", "simplify-views", "eliminate-common-subexpressions", "eliminate-dead-code", "simplify-views"}) {
      try {
        run_pass(*pass(name), g, context);
        const ir::Interpretation have = ir::interpret(g, inputs, states);
        for (size_t i = 0; i < want.outputs.size(); ++i) expect_close(want.outputs[i], have.outputs[i], text + "after " + name + "\n" + ir::print(g));
      } catch (const ir::Error& e) {
        FAIL() << name << ": " << e.diagnostic.text() << "\n" << text << "\n" << ir::print(g);
      }
      if (HasFatalFailure()) return;
    }
  }
}

// --- operations in place ---------------------------------------------------------

/// A tensor over memory that others may share: what PyTorch has.
struct Strided {
  std::shared_ptr<std::vector<float>> memory;
  int64_t offset = 0;
  Ints64 sizes, strides;

  int64_t count() const {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    return n;
  }
  float& at(int64_t index) const {
    int64_t place = offset;
    for (size_t d = sizes.size(); d-- > 0;) {
      place += index % sizes[d] * strides[d];
      index /= sizes[d];
    }
    return (*memory)[size_t(place)];
  }
  bool row_major() const {
    int64_t step = 1;
    for (size_t d = sizes.size(); d-- > 0;) {
      if (sizes[d] != 1 && strides[d] != step) return false;
      step *= sizes[d];
    }
    return true;
  }
  /// The step between elements in their order, when it is always the same; else 0.
  int64_t even_step() const {
    int64_t step = 0, next = 0;
    for (size_t d = sizes.size(); d-- > 0;) {
      if (sizes[d] == 1) continue;
      if (step == 0) step = next = strides[d];
      if (strides[d] != next) return 0;
      next *= sizes[d];
    }
    return step == 0 ? 1 : step;
  }
  static Strided make(const Ints64& sizes) {
    Strided t{std::make_shared<std::vector<float>>(), 0, sizes, Ints64(sizes.size(), 1)};
    for (size_t d = sizes.size(); d-- > 1;) t.strides[d - 1] = t.strides[d] * sizes[d];
    t.memory->resize(size_t(t.count()));
    return t;
  }
};

/// A random program of views and writes, as a graph and run on shared memory at once.
class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) {
    for (int i = 0; i < 2; ++i) input();
    graph.states.reserve(1);
    Value* s = graph.add_state("s", ir::Type::tensor(DType::kF32, {Dim(2), Dim(3), Dim(4)}), nullptr);
    add(s, Strided::make({2, 3, 4}));
    state = 2;
    for (int i = 0; i < 20; ++i) step();
    for (const auto& [v, t] : values_) graph.outputs.emplace_back(v);
  }
  Graph graph;
  std::vector<Item> inputs;
  size_t state = 0;

  const Strided& tensor(size_t i) const { return values_[i].second; }
  size_t size() const { return values_.size(); }

 private:
  void add(Value* v, Strided t) { values_.emplace_back(v, std::move(t)); }
  void input() {
    const std::vector<double> elements = random_.numbers(24);
    Value* v = graph.add_input("x", ir::Type::tensor(DType::kF32, {Dim(2), Dim(3), Dim(4)}));
    Strided t = Strided::make({2, 3, 4});
    for (size_t i = 0; i < 24; ++i) (*t.memory)[i] = float(elements[i]);
    inputs.push_back(Item::tensor(DType::kF32, {2, 3, 4}, elements));
    add(v, t);
  }
  Value* node(const char* op, std::vector<Arg> args, const Ints64& sizes) {
    return Builder(graph, lookup(), nullptr).composite(op, std::move(args), ir::Type::tensor(DType::kF32, {sizes.begin(), sizes.end()}));
  }

  void step() {
    const auto [v, t] = values_[size_t(random_.below(int64_t(values_.size())))];
    if (random_.below(3) == 0) write(v, t);
    else view(v, t);
  }

  void view(Value* v, Strided t) {
    const size_t rank = t.sizes.size();
    if (rank == 0) return;
    const int64_t d = random_.below(int64_t(rank));
    Strided r = t;
    switch (random_.below(8)) {
      case 0: {
        const int64_t e = random_.below(int64_t(rank));
        std::swap(r.sizes[size_t(d)], r.sizes[size_t(e)]);
        std::swap(r.strides[size_t(d)], r.strides[size_t(e)]);
        return add(node("aten::transpose.int", {v, d, e}, r.sizes), r);
      }
      case 1: {
        if (t.sizes[size_t(d)] < 2) return;
        const int64_t start = random_.below(t.sizes[size_t(d)] - 1), step = 1 + random_.below(2);
        r.offset += start * r.strides[size_t(d)];
        r.sizes[size_t(d)] = (t.sizes[size_t(d)] - start + step - 1) / step;
        r.strides[size_t(d)] *= step;
        return add(node("aten::slice.Tensor", {v, d, start, INT64_MAX, step}, r.sizes), r);
      }
      case 2: {
        const int64_t i = random_.below(t.sizes[size_t(d)]);
        r.offset += i * r.strides[size_t(d)];
        r.sizes.erase(r.sizes.begin() + d);
        r.strides.erase(r.strides.begin() + d);
        return add(node("aten::select.int", {v, d, i}, r.sizes), r);
      }
      case 3:
        if (rank >= 4) return;
        r.strides.insert(r.strides.begin() + d, r.strides[size_t(d)] * r.sizes[size_t(d)]);
        r.sizes.insert(r.sizes.begin() + d, 1);
        return add(node("aten::unsqueeze", {v, d}, r.sizes), r);
      case 4: {  // reshape: a view only where the elements lie in order
        Ints64 sizes = {t.count()};
        Strided flat = Strided::make(sizes);
        if (const int64_t step = t.even_step(); step > 0) {
          flat = {t.memory, t.offset, sizes, {step}};
        } else {
          for (int64_t i = 0; i < t.count(); ++i) flat.at(i) = t.at(i);
        }
        return add(node(t.row_major() ? "aten::view" : "aten::reshape", {v, sizes}, sizes), flat);
      }
      case 5: {
        if (rank < 2) return;
        const int64_t n = std::min(r.sizes[0], r.sizes[1]);
        const int64_t stride = r.strides[0] + r.strides[1];
        r.sizes.erase(r.sizes.begin(), r.sizes.begin() + 2);
        r.strides.erase(r.strides.begin(), r.strides.begin() + 2);
        r.sizes.push_back(n);
        r.strides.push_back(stride);
        return add(node("aten::diagonal", {v, 0, 0, 1}, r.sizes), r);
      }
      case 6: {
        Strided fresh = Strided::make(t.sizes);
        for (int64_t i = 0; i < t.count(); ++i) fresh.at(i) = -t.at(i);
        return add(node("aten::neg", {v}, t.sizes), fresh);
      }
      default: {
        const std::string name = "aten::unbind.int";
        if (t.sizes[0] > 3) return;
        r.sizes.erase(r.sizes.begin());
        r.strides.erase(r.strides.begin());
        ir::Type type = ir::Type::tensor(DType::kF32, {r.sizes.begin(), r.sizes.end()});
        ir::Node* n = graph.add_node(nullptr, name, {v, 0}, std::vector<ir::Type>(size_t(t.sizes[0]), type));
        n->schema = lookup().schema(name);
        n->def = lookup().def(name);
        for (int64_t i = 0; i < t.sizes[0]; ++i) {
          Strided part = r;
          part.offset = t.offset + i * t.strides[0];
          add(n->result(size_t(i)), part);
        }
      }
    }
  }

  void write(Value* v, const Strided& t) {
    switch (random_.below(5)) {
      case 0:
        for (int64_t i = 0; i < t.count(); ++i) t.at(i) += 1;
        return add(node("aten::add_.Scalar", {v, 1}, t.sizes), t);
      case 1:
        for (int64_t i = 0; i < t.count(); ++i) t.at(i) = 0;
        return add(node("aten::zero_", {v}, t.sizes), t);
      case 2:
        for (int64_t i = 0; i < t.count(); ++i) t.at(i) *= 0.5f;
        return add(node("aten::mul_.Scalar", {v, 0.5}, t.sizes), t);
      default: {  // copy_ from a tensor of the same sizes, perhaps of the same memory
        const auto [from, f] = values_[size_t(random_.below(int64_t(values_.size())))];
        if (f.sizes != t.sizes) return;
        std::vector<float> elements;
        for (int64_t i = 0; i < f.count(); ++i) elements.push_back(f.at(i));
        for (int64_t i = 0; i < t.count(); ++i) t.at(i) = elements[size_t(i)];
        return add(node("aten::copy_", {v, from}, t.sizes), t);
      }
    }
  }

  Random random_;
  std::vector<std::pair<Value*, Strided>> values_;
};

TEST(PassFuzz, WritesInPlaceMeanWhatSharedMemoryMeans) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Program p(seed);
    const std::string text = ir::print(p.graph);
    Target target;
    PassContext context{lookup(), target};
    try {
      run_pass(*pass("functionalize"), p.graph, context);
      run_pass(*pass("decompose"), p.graph, context);
      run_pass(*pass("simplify-views"), p.graph, context);
      run_pass(*pass("eliminate-dead-code"), p.graph, context);
      ir::StateStore states;
      const ir::Interpretation have = ir::interpret(p.graph, p.inputs, states);
      const auto compare = [&](const Item& item, const Strided& t, const std::string& what) {
        const std::vector<double> values = item.values();
        ASSERT_EQ(int64_t(values.size()), t.count()) << what << "\n" << text;
        for (int64_t i = 0; i < t.count(); ++i) ASSERT_EQ(float(values[size_t(i)]), t.at(i)) << what << " seed " << seed << "\n" << text << ir::print(p.graph);
      };
      for (size_t i = 0; i < p.size(); ++i) compare(have.outputs[i], p.tensor(i), "output " + std::to_string(i));
      for (size_t i = 0; i < 2; ++i) compare(have.inputs[i], p.tensor(i), "input");
      compare(states.at("s"), p.tensor(p.state), "state");
    } catch (const ir::Error& e) {
      FAIL() << e.diagnostic.text() << "\n" << text << "\n" << ir::print(p.graph);
    }
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace glint::compiler
