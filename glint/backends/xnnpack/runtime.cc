#include "glint/backends/xnnpack/runtime.h"

#include <algorithm>
#include <new>

#include "glint/backends/xnnpack/graph.h"
#include "glint/runtime/method.h"

namespace glint {
namespace {

using xnnpack::Blob;
using xnnpack::Port;

constexpr Status kNoMemory = out_of_memory("xnnpack: no memory for the graph");
constexpr uint8_t kContiguous[kMaxRank] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr uint8_t kChannelsLast[] = {0, 2, 3, 1};

/// An argument of the delegate call and the value of the graph that it is. The graph's sizes are those in memory: of an
/// argument that is channels-last they come in another order. A scalar is a vector of one element there.
struct Bound {
  Port port;
  const uint8_t* order = kContiguous;
  TensorMeta inside;  // as the graph sees it, of the method that was built last

  Status bind(const Value& v) {
    if (v.kind != Value::Kind::kTensor) return invalid_program("xnnpack: an argument of the call is no tensor");
    const Tensor& t = *v.tensor;
    if (t.dtype != port.declared.dtype || (t.rank != port.declared.rank && !is_scalar(t))) return invalid_program("xnnpack: an argument has another dtype or rank than the graph says");
    TensorMeta contiguous = t, channels_last = t;
    contiguous.set_contiguous();
    if (t.rank == 4) channels_last.set_dim_order(kChannelsLast);
    if (same_strides(t, contiguous)) order = kContiguous;
    else if (t.rank == 4 && same_strides(t, channels_last)) order = kChannelsLast;
    else return unsupported("xnnpack: an argument is neither contiguous nor channels-last");
    inside = in_memory(t);
    return {};
  }
  bool is_scalar(const Tensor& t) const { return t.rank == 0 && port.declared.rank == 1; }
  TensorMeta in_memory(const Tensor& t) const {
    int64_t sizes[kMaxRank] = {1};
    for (size_t d = 0; d < t.rank; ++d) sizes[d] = t.size[order[d]];
    TensorMeta m;
    (void)m.set(t.dtype, {sizes, port.declared.rank});
    return m;
  }
  /// Gives the argument the sizes of the graph's value.
  void resize(Tensor& t) const {
    for (size_t d = 0; d < t.rank; ++d) t.size[order[d]] = inside.size[d];
    t.set_dim_order({order, t.rank});
  }
  static bool same_strides(const TensorMeta& a, const TensorMeta& b) { return std::equal(a.stride.begin(), a.stride.begin() + a.rank, b.stride.begin()); }
};

/// The graph as a method of Glint's operators, built for the sizes of its inputs and again when they change.
class XnnpackDelegate final : public Delegate {
 public:
  XnnpackDelegate(const Blob& blob, const LoadContext& c)
      : blob_(blob), arena_(c.arena), ops_(c.ops), cpu_(c.cpu), parallel_(c.parallel), weights_{c.arena, {}, {}} {}

  Status load(std::span<const Value> arguments) {
    std::span<Port> inputs, outputs;
    GLINT_TRY(read_ports(blob_, arguments.size(), arena_, inputs, outputs));
    const uint32_t nodes = node_count(blob_);
    weights_.packed = {arena_.make<Tensor>(nodes + 1), nodes};
    weights_.made = {arena_.make<bool>(nodes + 1), nodes};
    inputs_ = {arena_.make<Bound>(inputs.size() + 1), inputs.size()};
    outputs_ = {arena_.make<Bound>(outputs.size() + 1), outputs.size()};
    if (weights_.packed.data() == nullptr || weights_.made.data() == nullptr || inputs_.data() == nullptr || outputs_.data() == nullptr) return kNoMemory;
    for (size_t i = 0; i < inputs.size(); ++i) inputs_[i].port = inputs[i];
    for (size_t i = 0; i < outputs.size(); ++i) outputs_[i].port = outputs[i];
    for (Bound& b : inputs_) GLINT_TRY(b.bind(arguments[b.port.argument]));
    for (Bound& b : outputs_) GLINT_TRY(b.bind(arguments[b.port.argument]));
    const size_t before = arena_.used();
    GLINT_TRY(build(arena_));
    method_bytes_ = arena_.used() - before;
    return {};
  }

  Status reshape(std::span<const Value> arguments) override {
    bool changed = method_ == nullptr;
    for (Bound& b : inputs_) {
      const TensorMeta now = b.in_memory(*arguments[b.port.argument].tensor);
      changed = changed || !now.same_sizes(b.inside);
      b.inside = now;
    }
    if (changed) GLINT_TRY(rebuild());
    for (const Bound& b : outputs_) b.resize(*arguments[b.port.argument].tensor);
    return {};
  }

  Status run(std::span<const Value> arguments, Trace* trace) override {
    // Another call of the same delegate may have left other sizes.
    bool changed = method_ == nullptr;
    for (const Bound& b : inputs_) changed = changed || !b.in_memory(*arguments[b.port.argument].tensor).same_sizes(b.inside);
    if (changed) GLINT_TRY(reshape(arguments));
    for (uint32_t i = 0; i < inputs_.size(); ++i) {
      Tensor t;
      static_cast<TensorMeta&>(t) = inputs_[i].inside;
      t.data = arguments[inputs_[i].port.argument].tensor->data;
      GLINT_TRY(method_->set_input(i, Value::of(&t)));
    }
    for (uint32_t i = 0; i < outputs_.size(); ++i) {
      const Tensor& t = *arguments[outputs_[i].port.argument].tensor;
      if (!outputs_[i].in_memory(t).same_sizes(outputs_[i].inside)) return invalid_argument("xnnpack: an output has other sizes than its argument");
      for (const Bound& b : inputs_)
        if (overlap(t, *arguments[b.port.argument].tensor)) return invalid_program("xnnpack: an output lies over an input, which the graph may still read");
      if (t.numel() != 0) GLINT_TRY(method_->set_output(i, {static_cast<std::byte*>(t.data), t.size_bytes()}));
    }
    method_->set_trace(trace);
    return method_->execute();
  }

  uint32_t definition_count() const override { return builder_ != nullptr ? uint32_t(builder_->operator_count()) : 0; }
  const OpDef* definition(uint32_t i) const override { return builder_->definition(i); }

  void close() override {
    if (method_ != nullptr) method_->close();
  }

 private:
  /// Whether the memory of two dense tensors meets.
  static bool overlap(const Tensor& a, const Tensor& b) {
    const uintptr_t x = reinterpret_cast<uintptr_t>(a.data), y = reinterpret_cast<uintptr_t>(b.data);
    return a.numel() != 0 && b.numel() != 0 && x < y + b.size_bytes() && y < x + a.size_bytes();
  }

  Status build(Arena& arena) {
    method_ = nullptr;
    auto* sizes = arena.make<TensorMeta>(inputs_.size() + 1);
    void* place = arena.allocate(sizeof(MethodBuilder), alignof(MethodBuilder));
    if (sizes == nullptr || place == nullptr) return kNoMemory;
    for (size_t i = 0; i < inputs_.size(); ++i) sizes[i] = inputs_[i].inside;
    auto* builder = builder_ = ::new (place) MethodBuilder("xnnpack", ops_, cpu_, arena);
    GLINT_TRY(write_graph(blob_, {sizes, inputs_.size()}, weights_, *builder, arena));
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const Tensor& t = builder->tensor(builder->outputs()[i]);
      if (t.dtype != outputs_[i].port.declared.dtype || t.rank != outputs_[i].port.declared.rank) return invalid_program("xnnpack: an output has another dtype or rank than the graph says");
      outputs_[i].inside = t;
    }
    MethodOptions options;
    options.parallel = parallel_;
    GLINT_TRY_LET(method_, Method::build(*builder, ops_, cpu_, arena, options));
    return {};
  }

  /// Methods for other sizes than the first take turns in one piece of memory.
  Status rebuild() {
    if (room_.capacity() == 0) GLINT_TRY(make_room(method_bytes_ + method_bytes_ / 2));
    room_.rewind(0);
    Status s = build(room_);
    if (s.code() != Code::kOutOfMemory) return s;
    GLINT_TRY(make_room(room_.capacity() * 2));
    return build(room_);
  }
  Status make_room(size_t bytes) {
    auto* p = static_cast<std::byte*>(arena_.allocate(bytes, 64));
    if (p == nullptr) return kNoMemory;
    room_ = Arena({p, bytes});
    return {};
  }

  Blob blob_;
  Arena& arena_;
  Arena room_;
  OpTable ops_;
  const Cpu& cpu_;
  Parallel* parallel_;
  xnnpack::Weights weights_;
  std::span<Bound> inputs_, outputs_;
  MethodBuilder* builder_ = nullptr;
  Method* method_ = nullptr;
  size_t method_bytes_ = 0;
};

Result<Delegate*> load(LoadContext& c) {
  GLINT_TRY_LET(const Blob blob, Blob::open(c.blob, c.named_data, c.arena));
  void* place = c.arena.allocate(sizeof(XnnpackDelegate), alignof(XnnpackDelegate));
  if (place == nullptr) return kNoMemory;
  auto* delegate = ::new (place) XnnpackDelegate(blob, c);
  GLINT_TRY(delegate->load(c.arguments));
  return delegate;
}

}  // namespace

extern constinit const BackendRuntime backend_xnnpack{"XnnpackBackend", nullptr, load};

}  // namespace glint
