#include <cstring>
#include <map>

#include "glint/base/checked.h"
#include "glint/core/tensor.h"
#include "glint/format/flat_tensor_generated.h"
#include "glint/format/output_file.h"

namespace glint {
namespace {

constexpr uint64_t kHeaderBytes = 48, kSegmentAlignment = 128;  // the header of 40 bytes, padded to the FlatBuffer's alignment

Status write(std::span<const NamedTensorSpec> tensors, OutputFile& out, std::string* detail) {
  flatbuffers::FlatBufferBuilder fbb;
  DataPool pool;
  std::vector<flatbuffers::Offset<ptd::NamedData>> named;
  for (const NamedTensorSpec& t : tensors) pool.expect(t.data);
  for (const NamedTensorSpec& t : tensors) {
    TensorMeta meta;
    if (detail != nullptr) *detail = t.name;
    if (!meta.set(t.dtype, t.sizes) || meta.size_bytes() != t.data.size) return invalid_argument("a tensor's sizes do not fit its data");
    if (!t.dim_order.empty() && t.dim_order.size() != t.sizes.size()) return invalid_argument("a tensor's dim_order is not a permutation");
    GLINT_TRY_LET(const size_t segment, pool.add(t.data));
    const std::vector<int32_t> sizes(t.sizes.begin(), t.sizes.end());
    std::vector<uint8_t> order = t.dim_order;
    if (order.empty())
      for (size_t d = 0; d < sizes.size(); ++d) order.push_back(uint8_t(d));
    const auto key = fbb.CreateString(t.name);
    const auto s = fbb.CreateVector(sizes);
    const auto layout = ptd::CreateTensorLayout(fbb, int8_t(t.dtype), s, fbb.CreateVector(order));
    named.push_back(ptd::CreateNamedData(fbb, key, uint32_t(segment), layout));
  }
  if (detail != nullptr) detail->clear();
  std::vector<uint64_t> offsets;
  std::vector<flatbuffers::Offset<ptd::DataSegment>> segments;
  uint64_t end = 0;
  for (const DataSpec* d : pool.unique()) {
    offsets.push_back(align_up(end, kSegmentAlignment));
    segments.push_back(ptd::CreateDataSegment(fbb, offsets.back(), d->size));
    end = offsets.back() + d->size;
  }
  const auto s = fbb.CreateVector(segments);
  ptd::FinishFlatTensorBuffer(fbb, ptd::CreateFlatTensor(fbb, 0, s, fbb.CreateVector(named)));

  const auto flat = std::as_bytes(std::span(fbb.GetBufferPointer(), fbb.GetSize()));
  const uint64_t base = align_up(flat.size() + kHeaderBytes, kSegmentAlignment), flat_size = flat.size(), flat_offset = kHeaderBytes;
  std::byte head[8 + kHeaderBytes] = {};
  uint32_t root;
  std::memcpy(&root, flat.data(), 4);
  root += uint32_t(kHeaderBytes);
  const uint32_t length = 40;
  std::memcpy(head, &root, 4);
  std::memcpy(head + 4, flat.data() + 4, 4);
  std::memcpy(head + 8, "FH01", 4);
  std::memcpy(head + 12, &length, 4);
  std::memcpy(head + 16, &flat_offset, 8);
  std::memcpy(head + 24, &flat_size, 8);
  std::memcpy(head + 32, &base, 8);
  std::memcpy(head + 40, &end, 8);
  GLINT_TRY(out.write(head));
  GLINT_TRY(out.write(flat.subspan(8)));
  for (size_t i = 0; i < offsets.size(); ++i) {
    GLINT_TRY(out.pad_to(base + offsets[i]));
    GLINT_TRY(out.write(*pool.unique()[i]));
  }
  return out.finish();
}

}  // namespace

Status write_tensors(std::span<const NamedTensorSpec> tensors, const char* path, std::string* detail) {
  OutputFile out(path);
  return write(tensors, out, detail);
}

Status write_tensors(std::span<const NamedTensorSpec> tensors, std::vector<std::byte>& bytes, std::string* detail) {
  OutputFile out(bytes);
  return write(tensors, out, detail);
}

}  // namespace glint
