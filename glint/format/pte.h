#pragma once

#include <optional>

#include "glint/base/result.h"
#include "glint/format/method_view.h"

namespace glint {

class PteMethod;

/// A `.pte` file in memory: read in place, verified once. After open() succeeds
/// no accessor can read outside the bytes, whatever they say. A view, cheap to copy.
class PteFile {
 public:
  PteFile() = default;
  /// `file` stays alive and unchanged as long as this and its methods, and starts at an address divisible
  /// by 16. The status's `where` is the index of the value or instruction at fault, if one is.
  static Result<PteFile> open(std::span<const std::byte> file);

  uint32_t method_count() const;
  PteMethod method(uint32_t i) const;
  std::optional<PteMethod> find_method(std::string_view name) const;

  uint32_t named_data_count() const;
  std::string_view named_data_key(uint32_t i) const;
  std::span<const std::byte> named_data(uint32_t i) const;
  std::optional<std::span<const std::byte>> find_named_data(std::string_view key) const;

  /// Who wrote the file ("glint 0.1.0 cpu avx2"); empty when it does not say.
  std::string_view writer() const;

  /// For people: the size of the FlatBuffer in front and the segments behind it.
  uint64_t flatbuffer_size() const { return flatbuffer_size_; }
  uint32_t segment_count() const;
  std::span<const std::byte> segment(uint32_t i) const;
  std::span<const std::byte> bytes() const { return file_; }

 private:
  friend class PteMethod;
  friend struct PteCheck;
  std::span<const std::byte> file_;
  const void* root_ = nullptr;       // pte::Program
  const void* signature_ = nullptr;  // signature::Signature, or null
  uint64_t flatbuffer_size_ = 0, segment_base_ = 0, segment_bytes_ = 0;
};

/// What a program hands to a backend.
struct DelegateView {
  std::string_view id;              // the backend's name
  std::span<const std::byte> blob;
  uint32_t compile_spec_count = 0;
};

/// One method of a PteFile; a view, cheap to copy, valid as long as the file's bytes.
class PteMethod final : public MethodView {
 public:
  std::string_view name() const override;
  uint32_t value_count() const override;
  ValueView value(uint32_t i) const override;
  std::span<const int32_t> inputs() const override;
  std::span<const int32_t> outputs() const override;
  uint32_t instruction_count() const override { return instruction_count_; }
  InstructionView instruction(uint32_t i) const override;
  uint32_t operator_count() const override;
  OperatorView op(uint32_t i) const override;

  uint32_t delegate_count() const;
  DelegateView delegate(uint32_t i) const;
  CompileSpecView compile_spec(uint32_t delegate, uint32_t i) const;
  /// Bytes of each planned memory; [0] is reserved.
  std::span<const int64_t> memory_sizes() const;
  /// pytree strings; may be empty.
  std::string_view encoded_inputs() const;
  std::string_view encoded_outputs() const;

  /// From "glint.signature": empty (or a range of the sizes themselves) when the file does not say.
  std::string_view input_name(uint32_t i) const;
  std::string_view output_name(uint32_t i) const;
  std::optional<DimRangeView> input_range(uint32_t i, uint32_t dim) const;
  std::optional<DimRangeView> output_range(uint32_t i, uint32_t dim) const;
  std::string_view origin(uint32_t instruction) const;

 private:
  friend class PteFile;
  PteFile file_;
  const void* plan_ = nullptr;       // pte::ExecutionPlan
  const void* signature_ = nullptr;  // signature::Method, or null
  uint32_t instruction_count_ = 0;
};

}  // namespace glint
