#include "glint/backends/xnnpack/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "glint/backends/xnnpack/xnnpack_generated.h"
#include "glint/kernels/elementwise/tile_program.h"

namespace glint::xnnpack {
namespace {

using kernels::TileBuilder;
using kernels::TileMode;
using kernels::TileOp;
using Id = MethodBuilder::Id;
using Dims = flatbuffers::Vector<uint32_t>;

constexpr uint32_t kNoValue = UINT32_MAX;
constexpr size_t kMaxDims = kMaxRank;  // XNNPACK stops at 6

// Flags of nodes that change their meaning; each is known to some nodes only.
constexpr uint32_t kTransposeWeights = 1, kTransposeB = 1, kAlignCorners = 8, kKeepDims = 0x40;

/// A value as the file declares it.
struct Declared {
  const fb::TensorValue* tensor;
  bool quantized;
};

Result<Declared> declared(const fb::Value* v) {
  if (v == nullptr) return invalid_program("xnnpack: a value is missing");
  Declared d{v->value_as_TensorValue(), false};
  if (const auto* q = v->value_as_QuantizedTensorValue()) d = {q->tensor(), true};
  if (d.tensor == nullptr) return invalid_program("xnnpack: a value is of an unknown kind");
  return d;
}

Result<DType> dtype_of(fb::Datatype d) {
  switch (d) {
    case fb::Datatype::fp32: return DType::kF32;
    case fb::Datatype::fp16: return DType::kF16;
    default: return unsupported("xnnpack: values of this type (quantized, int32 or bfloat16) are not supported");
  }
}

Status read_dims(const Dims* dims, size_t rank, int64_t (&out)[kMaxDims]) {
  if (rank > kMaxDims || (dims == nullptr ? 0 : dims->size()) != rank) return invalid_program("xnnpack: a list of sizes has another length than its rank, or more than 16");
  for (size_t d = 0; d < rank; ++d) out[d] = dims->Get(uint32_t(d));
  return {};
}

Status read_meta(const Declared& d, TensorMeta& out) {
  GLINT_TRY_LET(const DType dtype, dtype_of(d.tensor->datatype()));
  if (d.quantized) return unsupported("xnnpack: quantized values are not supported");
  int64_t dims[kMaxDims];
  GLINT_TRY(read_dims(d.tensor->dims(), d.tensor->rank(), dims));
  if (!out.set(dtype, {dims, d.tensor->rank()})) return invalid_program("xnnpack: a value's size in bytes overflows");
  return {};
}

template <class T>
const T& as(const fb::Node& n) { return *static_cast<const T*>(n.node()); }
template <class T>
uint32_t count(const flatbuffers::Vector<T>* v) { return v == nullptr ? 0 : v->size(); }

/// Translates node by node. Sizes are those in memory, so images are [N, H, W, C]; the operators get views as [N, C, H, W].
class Translator {
 public:
  Translator(const Blob& blob, Weights& weights, MethodBuilder& b) : blob_(blob), graph_(blob.graph()), weights_(weights), b_(b) {}

  Status run(std::span<const TensorMeta> inputs, Arena& arena) {
    slots_ = {arena.make<Slot>(count(graph_.values()) + 1), count(graph_.values())};
    if (slots_.data() == nullptr) return out_of_memory("xnnpack: no memory for the graph");
    for (const auto* v : *graph_.values()) {
      GLINT_TRY_LET(const Declared d, declared(v));
      const uint32_t id = d.tensor->id();
      if (id >= slots_.size() || slots_[id].declared.tensor != nullptr) return invalid_program("xnnpack: a value's id is not below their number, or used twice");
      slots_[id].declared = d;
    }
    for (uint32_t i = 0; i < inputs.size(); ++i) GLINT_TRY(define(graph_.inputs()->Get(i), b_.input(inputs[i])));
    for (uint32_t id : *graph_.outputs()) slot(id).is_output = true;
    for (node_ = 0; node_ < count(graph_.nodes()); ++node_) GLINT_TRY(write_node(graph_.nodes()->Get(node_)).at(int32_t(node_)));
    for (uint32_t id : *graph_.outputs()) {
      if (slots_[id].value == MethodBuilder::kFailed) return invalid_program("xnnpack: nothing computes an output");
      b_.output(slots_[id].value);
    }
    return b_.status();
  }

 private:
  struct Slot {
    Declared declared = {};
    Id value = MethodBuilder::kFailed;
    bool is_output = false;
  };

  // ---- values ----

  Slot& slot(uint32_t id) { return slots_[id]; }

  /// The value of a node's operand; constants become one at their first use.
  Result<Id> value(uint32_t id) {
    if (id >= slots_.size() || slots_[id].declared.tensor == nullptr) return invalid_program("xnnpack: a node names a value that does not exist");
    Slot& s = slots_[id];
    if (s.value == MethodBuilder::kFailed) {
      const uint32_t constant = s.declared.tensor->constant();
      if (constant == 0 || constant >= blob_.constant_count()) return invalid_program("xnnpack: a value is used before a node computes it");
      Tensor t;
      GLINT_TRY(read_meta(s.declared, t));
      if (blob_.constant(constant).size() < t.size_bytes()) return invalid_program("xnnpack: a constant has fewer bytes than its sizes need");
      t.data = const_cast<std::byte*>(blob_.constant(constant).data());
      s.value = b_.constant(t);
    }
    GLINT_TRY(b_.status());
    return s.value;
  }

  /// Operands of layers with weights: constants.
  Result<Id> weight(uint32_t id) {
    GLINT_TRY_LET(const Id v, value(id));
    if (slots_[id].declared.tensor->constant() == 0) return unsupported("xnnpack: a filter or bias that is no constant");
    return v;
  }
  Result<Id> bias(uint32_t id) {
    if (id == kNoValue) return b_.none();
    return weight(id);
  }

  /// Makes `v`, the result of a call, the value `id`.
  Status define(uint32_t id, Id v) {
    GLINT_TRY(b_.status());
    if (id >= slots_.size() || slots_[id].declared.tensor == nullptr) return invalid_program("xnnpack: a node names a value that does not exist");
    Slot& s = slots_[id];
    if (s.value != MethodBuilder::kFailed || s.declared.tensor->constant() != 0) return invalid_program("xnnpack: a value is computed twice");
    TensorMeta wanted;
    GLINT_TRY(read_meta(s.declared, wanted));
    if (b_.tensor(v).dtype != wanted.dtype) v = convert(v, wanted.dtype);
    if (b_.tensor(v).rank != wanted.rank) return invalid_program("xnnpack: a node's result has another rank than its value");
    s.value = v;
    return b_.status();
  }
  /// The same for what shares memory with another value: outputs of the graph have their own.
  Status define_view(uint32_t id, Id v) {
    const bool own = id < slots_.size() && slots_[id].is_output;
    return define(id, own ? b_.call("aten::clone", {v, b_.none()}) : v);
  }

  Id contiguous(Id v) { return b_.tensor(v).is_contiguous() ? v : b_.call("aten::clone", {v, b_.none()}); }
  Id convert(Id v, DType to) {
    TileBuilder t;
    t.load(b_.tensor(v).dtype, TileMode::kFull);
    return tile(t, {v}, to);
  }
  /// Layers compute in float32; define() narrows their results again.
  Id widened(Id v) { return b_.tensor(v).dtype == DType::kF32 ? v : convert(v, DType::kF32); }
  /// A constant, widened once.
  Id widened_weight(Id v) {
    if (!b_.is_tensor(v) || b_.tensor(v).dtype == DType::kF32) return v;
    const Id none = b_.none();
    const Tensor wide = b_.fold("aten::_to_copy", {v, b_.number(int64_t(DType::kF32)), none, none, none, b_.flag(false), none}, weights_.arena);
    return b_.constant(wide);
  }

  // ---- elementwise ----

  Id tile(TileBuilder& t, std::initializer_list<Id> operands, DType result) { return b_.call("glint::tile", {b_.tensors(operands), b_.text(t.finish(result))}); }

  /// min(max(step, lo), hi) with the node's bounds, if it has any.
  static int clamped(TileBuilder& t, int step, const fb::Node& n) {
    if (n.clamp() == nullptr || (std::isinf(n.clamp()->min()) && std::isinf(n.clamp()->max()))) return step;
    return t.clamp(step, n.clamp()->min(), n.clamp()->max());
  }
  Id epilogue(const fb::Node& n) {
    TileBuilder t(true);
    return b_.text(clamped(t, 0, n) == 0 ? std::string_view() : t.finish());
  }
  Id clamped(Id v, const fb::Node& n) {
    const DType dtype = b_.tensor(v).dtype;
    TileBuilder t;
    const int loaded = t.load(dtype, TileMode::kFull);
    return clamped(t, loaded, n) == loaded ? v : tile(t, {v}, dtype);
  }

  template <class F>
  Status unary(const fb::Node& n, F step, uint32_t input, uint32_t output) {
    GLINT_TRY_LET(const Id x, value(input));
    const DType dtype = b_.tensor(x).dtype;
    TileBuilder t;
    const int loaded = t.load(dtype, TileMode::kFull);
    clamped(t, step(t, loaded), n);
    return define(output, tile(t, {x}, dtype));
  }
  Status unary(const fb::Node& n, TileOp op) {
    const auto& u = as<fb::Unary>(n);
    return unary(n, [&](TileBuilder& t, int x) { return t.step(op, x); }, u.input(), u.output());
  }
  Status plain(const fb::Node& n, std::string_view op) {
    GLINT_TRY_LET(const Id x, value(as<fb::Unary>(n).input()));
    return define(as<fb::Unary>(n).output(), clamped(b_.call(op, {x}), n));
  }
  Status binary(const fb::Node& n, TileOp op) {
    const auto& u = as<fb::Binary>(n);
    GLINT_TRY_LET(const Id x, value(u.input1()));
    GLINT_TRY_LET(const Id y, value(u.input2()));
    TileBuilder t;
    const int a = t.load(b_.tensor(x).dtype, TileMode::kFull);
    const int b = t.load(b_.tensor(y).dtype, TileMode::kFull);
    clamped(t, t.step(op, a, b), n);
    return define(u.output(), tile(t, {x, y}, b_.tensor(x).dtype));
  }

  // ---- layers ----

  /// An image as operators take it: [N, C, H, W].
  Id image(Id v) { return b_.tensor(v).rank == 4 ? b_.permuted(v, {0, 3, 1, 2}) : b_.fail(invalid_program("xnnpack: an image has not four dimensions")); }
  /// Calls an operator that yields an image; gives it as [N, H, W, C].
  Id call_on_images(std::string_view op, std::initializer_list<Id> args) {
    const TensorMeta y = b_.infer(op, args);
    TensorMeta in_memory;
    const int64_t sizes[] = {y.size[0], y.size[2], y.size[3], y.size[1]};
    if (!in_memory.set(y.dtype, sizes)) return b_.fail(invalid_program("xnnpack: an image's size in bytes overflows"));
    const Id result = b_.temporary(in_memory);
    b_.call_into(op, args, image(result));
    return result;
  }

  /// Something made of weights, when the first method is built.
  template <class F>
  Id kept(F make) {
    if (!weights_.made[node_]) {
      weights_.packed[node_] = make();
      weights_.made[node_] = b_.status().ok();
    }
    return b_.status().ok() ? b_.constant(weights_.packed[node_]) : MethodBuilder::kFailed;
  }

  Status convolution(const fb::Node& n, bool depthwise) {
    const auto& c = as<fb::Convolution>(n);
    GLINT_TRY(known_flags(c.flags(), 0));
    GLINT_TRY_LET(const Id x, value(c.input()));
    GLINT_TRY_LET(const Id filter, weight(c.filter()));
    GLINT_TRY_LET(const Id bias_or_none, bias(c.bias()));
    const TensorMeta f = b_.tensor(filter);
    if (f.rank != 4) return invalid_program("xnnpack: a convolution's filter has not four dimensions");
    const int64_t outputs = f.size[depthwise ? 3 : 0], inputs = f.size[depthwise ? 0 : 3], groups = c.groups();
    if (f.size[1] != c.kernel_height() || f.size[2] != c.kernel_width() || inputs != (depthwise ? 1 : c.group_inputs()) || groups < 1 || outputs != groups * c.group_outputs())
      return invalid_program("xnnpack: a convolution's filter has other sizes than its node says");
    const bool one_channel_groups = groups > 1 && outputs == groups && inputs == 1;
    const Id packed = kept([&] {
      const Id w = widened_weight(depthwise ? b_.permuted(filter, {3, 0, 1, 2}) : b_.permuted(filter, {0, 3, 1, 2}));
      return b_.fold("glint::pack", {w, widened_weight(bias_or_none), b_.text(one_channel_groups ? "f32.dw16" : "f32.n16"), b_.number(groups)}, weights_.arena);
    });
    return define(c.output(), call_on_images("glint::conv", {image(widened(x)), packed, b_.ints({outputs, inputs, f.size[1], f.size[2]}), b_.ints({c.stride_height(), c.stride_width()}),
                                                            b_.ints({c.pad_top(), c.pad_left(), c.pad_bottom(), c.pad_right()}), b_.ints({c.dilation_height(), c.dilation_width()}),
                                                            b_.number(groups), epilogue(n), b_.tensors({}), b_.flag(true)}));
  }

  Status transposed_convolution(const fb::Node& n) {
    const auto& c = as<fb::Convolution>(n);
    GLINT_TRY(known_flags(c.flags(), 0));
    if (c.pad_top() != c.pad_bottom() || c.pad_left() != c.pad_right()) return unsupported("xnnpack: a transposed convolution with different paddings before and after");
    GLINT_TRY_LET(const Id x, value(c.input()));
    GLINT_TRY_LET(const Id filter, weight(c.filter()));
    GLINT_TRY_LET(const Id bias_or_none, bias(c.bias()));
    const TensorMeta f = b_.tensor(filter);
    const int64_t groups = c.groups(), inputs = c.group_inputs(), outputs = c.group_outputs(), height = c.kernel_height(), width = c.kernel_width();
    const int64_t wanted[] = {groups * outputs, height, width, inputs};
    if (groups < 1 || f.rank != 4 || !std::equal(wanted, wanted + 4, f.size.begin())) return invalid_program("xnnpack: a convolution's filter has other sizes than its node says");
    // [G O, H, W, I] becomes [G I, O, H, W].
    const Id weight = kept([&] {
      const int64_t sizes[] = {groups, inputs, outputs, height, width}, strides[] = {outputs * height * width * inputs, 1, height * width * inputs, width * inputs, inputs};
      Tensor w = b_.fold("aten::_to_copy", {b_.view(filter, sizes, strides), b_.number(int64_t(DType::kF32)), b_.none(), b_.none(), b_.none(), b_.flag(false), b_.number(0)}, weights_.arena);
      const int64_t flat[] = {groups * inputs, outputs, height, width};
      if (b_.status().ok()) (void)w.set(DType::kF32, flat);
      return w;
    });
    const Id y = call_on_images("aten::convolution", {image(widened(x)), weight, widened_weight(bias_or_none), b_.ints({c.stride_height(), c.stride_width()}),
                                                      b_.ints({c.pad_top(), c.pad_left()}), b_.ints({c.dilation_height(), c.dilation_width()}), b_.flag(true),
                                                      b_.ints({c.adjustment_height(), c.adjustment_width()}), b_.number(groups)});
    return define(c.output(), clamped(y, n));
  }

  Status fully_connected(const fb::Node& n) {
    const auto& c = as<fb::FullyConnected>(n);
    GLINT_TRY(known_flags(c.flags(), kTransposeWeights));
    GLINT_TRY_LET(const Id x, value(c.input()));
    GLINT_TRY_LET(const Id filter, value(c.filter()));
    const bool transposed = (c.flags() & kTransposeWeights) != 0;
    if (b_.tensor(filter).rank != 2) return invalid_program("xnnpack: a fully connected layer's filter has not two dimensions");
    if (slots_[c.filter()].declared.tensor->constant() == 0) {
      Id y = b_.call("glint::matmul", {widened(x), widened(filter), b_.flag(!transposed), b_.real(1)});
      if (c.bias() != kNoValue) {
        GLINT_TRY_LET(const Id bias, value(c.bias()));
        y = b_.call("aten::add.Tensor", {y, widened(bias), b_.number(1)});
      }
      return define(c.output(), clamped(y, n));
    }
    GLINT_TRY_LET(const Id bias_or_none, bias(c.bias()));
    const Id packed = kept([&] {
      const Id w = widened_weight(transposed ? b_.permuted(filter, {1, 0}) : filter);
      return b_.fold("glint::pack", {w, widened_weight(bias_or_none), b_.text("f32.n16"), b_.number(1)}, weights_.arena);
    });
    const int64_t outputs = b_.tensor(filter).size[transposed ? 1 : 0];
    return define(c.output(), b_.call("glint::linear", {widened(x), packed, b_.number(outputs), epilogue(n), b_.tensors({})}));
  }

  Id product(Id a, Id b, bool transpose_b) { return b_.call("glint::matmul", {widened(a), widened(b), b_.flag(transpose_b), b_.real(1)}); }

  Status batch_matrix_multiply(const fb::Node& n) {
    const auto& u = as<fb::Binary>(n);
    GLINT_TRY(known_flags(u.flags(), kTransposeB));
    GLINT_TRY_LET(const Id a, value(u.input1()));
    GLINT_TRY_LET(const Id b, value(u.input2()));
    return define(u.output(), clamped(product(a, b, (u.flags() & kTransposeB) != 0), n));
  }

  Id softmax(Id v) { return b_.call("aten::_softmax", {v, b_.number(-1), b_.flag(false)}); }

  /// softmax(query * scale @ key^T + mask) @ value, with a scale for each channel.
  Status attention(const fb::Node& n) {
    const auto& a = as<fb::Attention>(n);
    GLINT_TRY(known_flags(a.flags(), 0));
    GLINT_TRY_LET(const Id query, value(a.query()));
    GLINT_TRY_LET(const Id key, value(a.key()));
    GLINT_TRY_LET(const Id values, value(a.value()));
    GLINT_TRY_LET(const Id scale, value(a.scale()));
    GLINT_TRY_LET(const Id mask, value(a.mask()));
    const Id scores = product(b_.call("aten::mul.Tensor", {widened(query), widened(scale)}), key, true);
    const Id masked = b_.call("aten::add.Tensor", {scores, widened(mask), b_.number(1)});
    return define(a.output(), product(softmax(masked), values, false));
  }

  // ---- pooling and resizing ----

  Status pooling(const fb::Node& n, bool max) {
    const auto& p = as<fb::Pooling>(n);
    GLINT_TRY(known_flags(p.flags(), kKeepDims));  // says nothing here
    GLINT_TRY_LET(Id x, value(p.input()));
    int64_t pad_y = p.pad_top(), pad_x = p.pad_left();
    x = widened(x);
    // The operator pads alike on both sides and by half a window at most; the rest is written out.
    if (p.pad_top() != p.pad_bottom() || p.pad_left() != p.pad_right() || pad_y > p.kernel_height() / 2 || pad_x > p.kernel_width() / 2) {
      if (!max) return unsupported("xnnpack: an average pool with different paddings before and after, or of more than half its window");
      x = b_.call("aten::constant_pad_nd", {x, b_.ints({0, 0, p.pad_left(), p.pad_right(), p.pad_top(), p.pad_bottom()}), b_.real(-std::numeric_limits<double>::infinity())});
      pad_y = pad_x = 0;
    }
    const Id y = call_on_images("glint::pool", {image(x), b_.text(max ? "max" : "avg"), b_.ints({p.kernel_height(), p.kernel_width()}), b_.ints({p.stride_height(), p.stride_width()}),
                                                b_.ints({pad_y, pad_x}), max ? b_.ints({p.dilation_height(), p.dilation_width()}) : b_.ints({1, 1}), b_.flag(false), b_.flag(false),
                                                b_.none(), b_.flag(true)});
    return define(p.output(), clamped(y, n));
  }

  Status global_average(const fb::Node& n) {
    const auto& u = as<fb::Unary>(n);
    GLINT_TRY(known_flags(u.flags(), kKeepDims));
    GLINT_TRY_LET(const Id x, value(u.input()));
    Id y = call_on_images("glint::pool", {image(widened(x)), b_.text("adaptive_avg"), b_.ints({1, 1}), b_.ints({}), b_.ints({0, 0}), b_.ints({1, 1}), b_.flag(false), b_.flag(true),
                                          b_.none(), b_.flag(true)});
    y = clamped(y, n);
    if ((u.flags() & kKeepDims) != 0) return define(u.output(), y);
    const TensorMeta t = b_.tensor(y);
    const int64_t sizes[] = {t.size[0], t.size[3]}, strides[] = {t.size[3], 1};
    return define_view(u.output(), b_.view(y, sizes, strides));
  }

  Status resize(const fb::Node& n) {
    const auto& r = as<fb::ResizeBilinear>(n);
    GLINT_TRY(known_flags(r.flags(), kAlignCorners));
    GLINT_TRY_LET(const Id x, value(r.input()));
    const Id none = b_.none();
    return define(r.output(), call_on_images("aten::upsample_bilinear2d", {image(x), b_.ints({r.height(), r.width()}), b_.flag((r.flags() & kAlignCorners) != 0), none, none}));
  }

  // ---- movement ----

  Status transpose(const fb::Node& n) {
    const auto& t = as<fb::Transpose>(n);
    GLINT_TRY_LET(const Id x, value(t.input()));
    int64_t order[kMaxDims];
    GLINT_TRY(read_dims(t.order(), t.rank(), order));
    return define_view(t.output(), b_.permuted(x, {order, t.rank()}));
  }

  Status reshape(const fb::Node& n) {
    const auto& r = as<fb::Reshape>(n);
    GLINT_TRY_LET(const Id x, value(r.input()));
    int64_t sizes[kMaxDims];
    GLINT_TRY(read_dims(r.shape(), r.rank(), sizes));
    // One size may be 0: what is left.
    const int64_t total = b_.tensor(x).numel();
    int64_t known = 1, open = -1;
    for (size_t d = 0; d < r.rank(); ++d) {
      if (sizes[d] == 0 && open < 0 && total != 0) open = int64_t(d);
      else if (!checked_mul(known, sizes[d], &known)) return invalid_program("xnnpack: a reshape's sizes overflow");
    }
    if (open >= 0) sizes[open] = known == 0 ? 0 : total / known, known *= sizes[open];
    if (known != total) return invalid_program("xnnpack: a reshape changes the number of elements");
    TensorMeta shape;
    if (!shape.set(b_.tensor(x).dtype, {sizes, r.rank()})) return invalid_program("xnnpack: a reshape's sizes overflow");
    return define_view(r.output(), b_.view(contiguous(x), shape.sizes(), shape.strides()));
  }

  Status slice(const fb::Node& n) {
    const auto& s = as<fb::Slice>(n);
    GLINT_TRY_LET(const Id x, value(s.input()));
    int64_t offsets[kMaxDims], sizes[kMaxDims], start = 0;
    GLINT_TRY(read_dims(s.offsets(), s.rank(), offsets));
    GLINT_TRY(read_dims(s.sizes(), s.rank(), sizes));
    const TensorMeta t = b_.tensor(x);
    if (t.rank != s.rank()) return invalid_program("xnnpack: a slice has another rank than its input");
    for (size_t d = 0; d < t.rank; ++d) {
      if (offsets[d] > t.size[d]) return invalid_program("xnnpack: a slice starts beyond its input");
      if (sizes[d] == 0) sizes[d] = t.size[d] - offsets[d];  // to the end
      if (sizes[d] > t.size[d] - offsets[d]) return invalid_program("xnnpack: a slice reaches beyond its input");
      start += sizes[d] == 0 ? 0 : offsets[d] * t.stride[d];
    }
    return define_view(s.output(), b_.view(x, {sizes, t.rank}, t.strides(), start));
  }

  Status pad(const fb::Node& n) {
    const auto& p = as<fb::ConstantPad>(n);
    GLINT_TRY_LET(const Id x, value(p.input()));
    const size_t rank = b_.tensor(x).rank;
    int64_t before[kMaxDims], after[kMaxDims], pads[2 * kMaxDims];
    GLINT_TRY(read_dims(p.before(), rank, before));
    GLINT_TRY(read_dims(p.after(), rank, after));
    for (size_t d = 0; d < rank; ++d) {  // the last dimension first
      pads[2 * d] = before[rank - 1 - d];
      pads[2 * d + 1] = after[rank - 1 - d];
    }
    return define(p.output(), b_.call("aten::constant_pad_nd", {x, b_.ints(std::span<const int64_t>(pads, 2 * rank)), b_.real(p.padding())}));
  }

  Status concatenate(const fb::Node& n, size_t inputs) {
    const auto& c = as<fb::Concatenation>(n);
    const uint32_t ids[] = {c.input1(), c.input2(), c.input3(), c.input4(), c.input5()};
    Id list[5];
    for (size_t i = 0; i < inputs; ++i) {
      GLINT_TRY_LET(list[i], value(ids[i]));
    }
    if (c.axis() >= b_.tensor(list[0]).rank) return invalid_program("xnnpack: a concatenation's axis does not exist");
    return define(c.output(), b_.call("aten::cat", {b_.tensors(std::span<const Id>(list, inputs)), b_.number(c.axis())}));
  }

  Status copy(const fb::Node& n) {
    GLINT_TRY_LET(const Id x, value(as<fb::Unary>(n).input()));
    return define_view(as<fb::Unary>(n).output(), x);
  }
  /// define() converts to the dtype of the output.
  Status convert(const fb::Node& n) {
    GLINT_TRY_LET(const Id x, value(as<fb::Unary>(n).input()));
    return define(as<fb::Unary>(n).output(), b_.call("aten::clone", {x, b_.none()}));
  }

  static Status known_flags(uint32_t flags, uint32_t known) { return (flags & ~known) == 0 ? Status() : unsupported("xnnpack: a node has a flag that is not known here"); }

  Status write_node(const fb::Node* node) {
    if (node == nullptr || node->node() == nullptr) return invalid_program("xnnpack: a node is missing");
    const fb::Node& n = *node;
    using K = fb::NodeUnion;
    switch (n.node_type()) {
      case K::Add: return binary(n, TileOp::kAdd);
      case K::Subtract: return binary(n, TileOp::kSub);
      case K::Multiply: return binary(n, TileOp::kMul);
      case K::Divide: return binary(n, TileOp::kDiv);
      case K::Minimum: return binary(n, TileOp::kMin);
      case K::Maximum: return binary(n, TileOp::kMax);
      case K::PRelu: return binary(n, TileOp::kLeakyRelu);
      case K::Clamp: return unary(n, [](TileBuilder&, int x) { return x; }, as<fb::Unary>(n).input(), as<fb::Unary>(n).output());
      case K::Sigmoid: return unary(n, TileOp::kSigmoid);
      case K::Floor: return unary(n, TileOp::kFloor);
      case K::Ceiling: return unary(n, TileOp::kCeil);
      case K::SquareRoot: return unary(n, TileOp::kSqrt);
      case K::ReciprocalSquareRoot: return unary(n, TileOp::kRsqrt);
      case K::HardSwish: return unary(n, TileOp::kHardSwish);
      case K::Negate: return unary(n, TileOp::kNeg);
      case K::Square: return unary(n, TileOp::kSquare);
      case K::Abs: return unary(n, TileOp::kAbs);
      case K::Log: return unary(n, TileOp::kLog);
      case K::Exp: return unary(n, TileOp::kExp);
      case K::Gelu: return unary(n, TileOp::kGelu);
      case K::Tanh: return unary(n, TileOp::kTanh);
      case K::Sin: return plain(n, "aten::sin");
      case K::Cos: return plain(n, "aten::cos");
      case K::Elu: {
        const auto& e = as<fb::Elu>(n);
        return unary(n, [&](TileBuilder& t, int x) { return t.step(TileOp::kElu, x, t.constant(e.alpha())); }, e.input(), e.output());
      }
      case K::LeakyRelu: {
        const auto& e = as<fb::LeakyRelu>(n);
        return unary(n, [&](TileBuilder& t, int x) { return t.step(TileOp::kLeakyRelu, x, t.constant(e.slope())); }, e.input(), e.output());
      }
      case K::Softmax: {
        GLINT_TRY_LET(const Id x, value(as<fb::Unary>(n).input()));
        return define(as<fb::Unary>(n).output(), softmax(x));
      }
      case K::Copy: return copy(n);
      case K::Convert: return convert(n);
      case K::StaticTranspose: return transpose(n);
      case K::StaticReshape: return reshape(n);
      case K::StaticSlice: return slice(n);
      case K::StaticConstantPad: return pad(n);
      case K::Concatenate2: return concatenate(n, 2);
      case K::Concatenate3: return concatenate(n, 3);
      case K::Concatenate4: return concatenate(n, 4);
      case K::Concatenate5: return concatenate(n, 5);
      case K::FullyConnected: return fully_connected(n);
      case K::BatchMatrixMultiply: return batch_matrix_multiply(n);
      case K::ScaledDotProductAttention: return attention(n);
      case K::Conv2d: return convolution(n, false);
      case K::DepthwiseConv2d: return convolution(n, true);
      case K::ConvTranspose2d: return transposed_convolution(n);
      case K::AvgPooling2d: return pooling(n, false);
      case K::MaxPooling2d: return pooling(n, true);
      case K::GlobalAvgPooling2d: return global_average(n);
      case K::StaticResizeBilinear2d: return resize(n);
      case K::ArgMaxPooling2d: return unsupported("xnnpack: ArgMaxPooling2d nodes are not supported");
      case K::NONE: break;
    }
    return unsupported("xnnpack: a node of an unknown kind");
  }

  const Blob& blob_;
  const fb::Graph& graph_;
  Weights& weights_;
  MethodBuilder& b_;
  std::span<Slot> slots_;
  uint32_t node_ = 0;
};

}  // namespace

Status read_ports(const Blob& blob, size_t argument_count, Arena& arena, std::span<Port>& inputs, std::span<Port>& outputs) {
  const fb::Graph& graph = blob.graph();
  const uint32_t values = count(graph.values());
  auto* by_id = arena.make<const fb::Value*>(values + 1);
  auto* used = arena.make<bool>(argument_count + 1);
  auto* ports = arena.make<Port>(argument_count + 1);
  if (by_id == nullptr || used == nullptr || ports == nullptr) return out_of_memory("xnnpack: no memory for the graph");
  for (uint32_t i = 0; i < values; ++i) {
    GLINT_TRY_LET(const Declared d, declared(graph.values()->Get(i)));
    if (d.tensor->id() < values) by_id[d.tensor->id()] = graph.values()->Get(i);
  }
  size_t next = 0;
  const auto read = [&](const Dims* ids, std::span<Port>& out) -> Status {
    out = {ports + next, size_t(count(ids))};
    for (uint32_t i = 0; i < count(ids); ++i) {
      if (ids->Get(i) >= values || by_id[ids->Get(i)] == nullptr) return invalid_program("xnnpack: an input or output of the graph is no value");
      GLINT_TRY_LET(const Declared d, declared(by_id[ids->Get(i)]));
      const uint32_t argument = d.tensor->external_id();
      if (argument >= argument_count || used[argument]) return invalid_program("xnnpack: an input or output of the graph is no argument of the call, or the same as another");
      used[argument] = true;
      ports[next].argument = argument;
      GLINT_TRY(read_meta(d, ports[next].declared));
      ++next;
    }
    return {};
  };
  if (count(graph.inputs()) > argument_count || count(graph.outputs()) > argument_count - count(graph.inputs())) return invalid_program("xnnpack: the graph has more inputs and outputs than the call arguments");
  GLINT_TRY(read(graph.inputs(), inputs));
  return read(graph.outputs(), outputs);
}

uint32_t node_count(const Blob& blob) { return count(blob.graph().nodes()); }

Status write_graph(const Blob& blob, std::span<const TensorMeta> inputs, Weights& weights, MethodBuilder& builder, Arena& arena) {
  return Translator(blob, weights, builder).run(inputs, arena);
}

}  // namespace glint::xnnpack
