#include "glint/format/ptd.h"

#include <array>
#include <cstring>

#include "glint/format/flat_tensor_generated.h"

namespace glint {
namespace {

constexpr uint32_t kMaxDepth = 16, kMaxTables = 4'000'000;

uint64_t read_u64(const std::byte* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

const ptd::FlatTensor* root(const void* p) { return static_cast<const ptd::FlatTensor*>(p); }

/// The layout's meta; false when it is no valid one.
bool to_meta(const ptd::TensorLayout& layout, TensorMeta& meta) {
  const uint32_t rank = layout.sizes() == nullptr ? 0 : layout.sizes()->size();
  const uint32_t order_size = layout.dim_order() == nullptr ? 0 : layout.dim_order()->size();
  if (!is_valid_dtype(layout.scalar_type()) || rank > uint32_t(kMaxRank) || order_size != rank) return false;
  std::array<int64_t, kMaxRank> sizes{};
  uint32_t seen = 0;
  for (uint32_t d = 0; d < rank; ++d) {
    sizes[d] = layout.sizes()->Get(d);
    const uint8_t o = layout.dim_order()->Get(d);
    if (o >= rank || (seen >> o & 1) != 0) return false;
    seen |= 1u << o;
  }
  if (!meta.set(DType(layout.scalar_type()), {sizes.data(), rank})) return false;
  if (rank > 0) meta.set_dim_order({layout.dim_order()->data(), rank});
  return true;
}

Status check(const ptd::FlatTensor& t, uint64_t segment_bytes) {
  const uint32_t segments = t.segments() == nullptr ? 0 : t.segments()->size();
  for (uint32_t i = 0; i < segments; ++i) {
    const auto* s = t.segments()->Get(i);
    if (s->offset() > segment_bytes || s->size() > segment_bytes - s->offset()) return invalid_program("a segment lies outside the file", int32_t(i));
  }
  if (t.named_data() == nullptr) return {};
  int32_t i = 0;
  for (const auto* n : *t.named_data()) {
    if (n->key() == nullptr) return invalid_program("an entry has no name", i);
    if (n->segment_index() >= segments) return invalid_program("an entry names a segment that does not exist", i);
    TensorMeta meta;
    if (n->tensor_layout() != nullptr) {
      if (!to_meta(*n->tensor_layout(), meta)) return invalid_program("an entry's tensor layout is not valid", i);
      if (meta.size_bytes() > t.segments()->Get(n->segment_index())->size()) return invalid_program("a tensor is larger than its data", i);
    }
    ++i;
  }
  return {};
}

}  // namespace

Result<PtdFile> PtdFile::open(std::span<const std::byte> bytes) {
  if (bytes.size() < 48) return invalid_program("too short for a tensor file");
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 16 != 0) return invalid_argument("the file's bytes must be aligned to 16 in memory");
  if (std::memcmp(bytes.data() + 4, "FT01", 4) != 0) return invalid_program("not a tensor file: it does not start with FT01");
  if (std::memcmp(bytes.data() + 8, "FH01", 4) != 0) return invalid_program("the tensor file has no header");
  PtdFile f;
  f.file_ = bytes;
  // The FlatBuffer starts at the file's start: the header was inserted after its identifier.
  const uint64_t offset = read_u64(bytes.data() + 16), size = read_u64(bytes.data() + 24);
  f.segment_base_ = read_u64(bytes.data() + 32);
  if (offset > bytes.size() || size > bytes.size() - offset) return invalid_program("the file is shorter than its header says");
  if (f.segment_base_ > bytes.size() || f.segment_base_ < size) return invalid_program("the segments start outside the file");
  if (offset + size >= FLATBUFFERS_MAX_BUFFER_SIZE) return unsupported("the file's table is larger than 2 GB");
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes.data()), size_t(offset + size), kMaxDepth, kMaxTables);
  if (!ptd::VerifyFlatTensorBuffer(verifier)) return invalid_program("the tensor file is damaged: its tables point outside of it");
  f.root_ = ptd::GetFlatTensor(bytes.data());
  GLINT_TRY(check(*root(f.root_), bytes.size() - f.segment_base_));
  return f;
}

uint32_t PtdFile::count() const { return root_ == nullptr || root(root_)->named_data() == nullptr ? 0 : root(root_)->named_data()->size(); }

std::string_view PtdFile::name(uint32_t i) const {
  const auto* key = root(root_)->named_data()->Get(i)->key();
  return {key->c_str(), key->size()};
}

NamedBytes PtdFile::entry(uint32_t i) const {
  const auto* n = root(root_)->named_data()->Get(i);
  const auto* s = root(root_)->segments()->Get(n->segment_index());
  NamedBytes b{file_.subspan(size_t(segment_base_ + s->offset()), size_t(s->size())), std::nullopt};
  TensorMeta meta;
  if (n->tensor_layout() != nullptr && to_meta(*n->tensor_layout(), meta)) b.meta = meta;
  return b;
}

std::optional<NamedBytes> PtdFile::find(std::string_view wanted) const {
  for (uint32_t i = 0; i < count(); ++i)
    if (name(i) == wanted) return entry(i);
  return std::nullopt;
}

}  // namespace glint
