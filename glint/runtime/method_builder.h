#pragma once

#include <initializer_list>

#include "glint/base/arena.h"
#include "glint/core/op_def.h"
#include "glint/format/method_view.h"

namespace glint {

/// A growing array in an arena. What it outgrows stays in the arena.
template <class T>
class ArenaList {
 public:
  size_t size() const { return count_; }
  T& operator[](size_t i) { return items_[i]; }
  const T& operator[](size_t i) const { return items_[i]; }
  T& back() { return items_[count_ - 1]; }
  std::span<const T> items() const { return {items_, count_}; }
  /// False when the arena is full.
  bool push(Arena& arena, const T& item) {
    if (count_ == capacity_) {
      const size_t wanted = capacity_ == 0 ? 16 : capacity_ * 2;
      T* grown = arena.make<T>(wanted);
      if (grown == nullptr) return false;
      for (size_t i = 0; i < count_; ++i) grown[i] = items_[i];
      items_ = grown;
      capacity_ = wanted;
    }
    items_[count_++] = item;
    return true;
  }

 private:
  T* items_ = nullptr;
  size_t count_ = 0, capacity_ = 0;
};

/// Writes a method call by call, for delegates that are made of operators: Method::build() then plans and runs it. Every
/// call is inferred as it is written, so the sizes of all tensors are known and fixed. Tensors that calls yield are row-major.
///
/// The first error stays (status()); calls after it do nothing and yield kFailed, which every function accepts.
/// The builder and what it lies in outlive the method.
class MethodBuilder final : public MethodView {
 public:
  using Id = int32_t;  // of a value
  static constexpr Id kFailed = -1;

  MethodBuilder(std::string_view name, OpTable ops, const Cpu& cpu, Arena& arena) : name_(name), ops_(ops), cpu_(cpu), arena_(arena) {}

  Status status() const { return status_; }
  /// Makes `s` the error, unless there is one already.
  Id fail(Status s);

  // ---- values ----

  Id none();
  Id number(int64_t v);
  Id real(double v);
  Id flag(bool v);
  Id text(std::string_view v);  // copied
  Id ints(std::span<const int64_t> v);
  Id ints(std::initializer_list<int64_t> v) { return ints(std::span(v.begin(), v.size())); }
  Id tensors(std::span<const Id> v);
  Id tensors(std::initializer_list<Id> v) { return tensors(std::span(v.begin(), v.size())); }
  /// A row-major tensor that the caller of the method gives.
  Id input(const TensorMeta& meta);
  /// Memory that is read where it lies and outlives the method, of any strides.
  Id constant(const Tensor& t);
  /// A row-major tensor that a call shall write.
  Id temporary(const TensorMeta& meta);
  /// Yields value `v`: a tensor that call() or temporary() made. Once a value.
  void output(Id v);
  /// dtype, sizes and strides; data only of constants. Of kFailed: an empty tensor.
  const Tensor& tensor(Id v) const;
  bool is_tensor(Id v) const { return v >= 0 && entries_[size_t(v)].kind == ValueView::Kind::kTensor; }

  // ---- instructions ----

  /// The elements of `x` from `offset` on, with these sizes and strides: costs nothing, and what is written to it is written to x.
  Id view(Id x, std::span<const int64_t> sizes, std::span<const int64_t> strides, int64_t offset = 0);
  /// The dimensions of `x` in the order `dims`.
  Id permuted(Id x, std::span<const int64_t> dims);
  Id permuted(Id x, std::initializer_list<int64_t> dims) { return permuted(x, std::span(dims.begin(), dims.size())); }
  /// What the only result of operator `op` ("aten::add.Tensor") would be.
  TensorMeta infer(std::string_view op, std::initializer_list<Id> args);
  /// Calls it; the result is a new tensor.
  Id call(std::string_view op, std::initializer_list<Id> args);
  /// The same into `result`, which has the sizes that are inferred.
  void call_into(std::string_view op, std::initializer_list<Id> args, Id result);
  /// Calls a pure operator now, on constants; its result lies in `keep`.
  Tensor fold(std::string_view op, std::initializer_list<Id> args, Arena& keep);

  // ---- MethodView ----

  std::string_view name() const override { return name_; }
  uint32_t value_count() const override { return uint32_t(entries_.size()); }
  ValueView value(uint32_t i) const override;
  std::span<const int32_t> inputs() const override { return inputs_.items(); }
  std::span<const int32_t> outputs() const override { return outputs_.items(); }
  uint32_t instruction_count() const override { return uint32_t(calls_.size()); }
  InstructionView instruction(uint32_t i) const override { return {InstructionView::Kind::kKernel, calls_[i].op, calls_[i].args}; }
  uint32_t operator_count() const override { return uint32_t(operators_.size()); }
  OperatorView op(uint32_t i) const override { return {operators_[i].name, operators_[i].overload}; }
  /// Null: glint::view.
  const OpDef* definition(uint32_t i) const { return operators_[i].def; }

 private:
  struct Entry {
    ValueView::Kind kind = ValueView::Kind::kNone;
    uint32_t index = 0;             // kTensor: of tensors_
    uint32_t count = 0;             // lists and text
    const void* items = nullptr;    // kIntList: int64_t, ids of numbers; kTensorList: Id; kString: char
    const void* unboxed = nullptr;  // kIntList: int64_t; kTensorList: Tensor*
    int64_t i = 0;
    double d = 0;
  };
  struct TensorEntry {
    Tensor tensor;
    TensorView::Storage storage = TensorView::Storage::kNone;
    int32_t sizes[kMaxRank] = {};
    uint8_t order[kMaxRank] = {};
  };
  struct Operator {
    std::string_view name, overload;
    const OpDef* def = nullptr;     // null: glint::view
  };
  struct Call {
    int32_t op = -1;
    std::span<const int32_t> args;
  };

  Id add(const Entry& e);
  Id add_tensor(const Tensor& t, TensorView::Storage storage);
  int32_t find(std::string_view op);
  void append(int32_t op, std::initializer_list<Id> args, Id result);
  bool unbox(const OpDef& def, std::initializer_list<Id> args, std::span<Value> in);
  template <class T>
  T* copy(std::span<const T> items);

  std::string_view name_;
  OpTable ops_;
  const Cpu& cpu_;
  Arena& arena_;
  Status status_;
  ArenaList<Entry> entries_;
  ArenaList<TensorEntry*> tensors_;
  ArenaList<Operator> operators_;
  ArenaList<Call> calls_;
  ArenaList<Id> inputs_, outputs_;
};

}  // namespace glint
