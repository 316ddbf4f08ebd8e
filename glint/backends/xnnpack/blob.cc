#include "glint/backends/xnnpack/blob.h"

#include <bit>
#include <cstring>

#include "glint/backends/xnnpack/xnnpack_generated.h"

namespace glint::xnnpack {

static_assert(std::endian::native == std::endian::little, "blobs are read in place");

namespace {

using Bytes = std::span<const std::byte>;

constexpr uint32_t kMaxDepth = 16, kMaxTables = 4'000'000;
constexpr uint64_t kNoOffset = UINT64_MAX;

// The header: four zeros, "XH00", its length (16 bits), then these.
constexpr size_t kHeaderLength = 30, kGraphOffset = 10, kGraphSize = 14, kDataOffset = 18, kDataSize = 22;

template <class T>
T read(Bytes bytes, size_t at) {
  T v;
  std::memcpy(&v, bytes.data() + at, sizeof v);
  return v;
}
bool has_magic(Bytes bytes, const char* magic) { return bytes.size() >= 8 && std::memcmp(bytes.data() + 4, magic, 4) == 0; }

/// Part of `bytes`; false when it does not lie within.
bool part(Bytes bytes, uint64_t offset, uint64_t size, Bytes& out) {
  if (offset > bytes.size() || size > bytes.size() - offset) return false;
  out = bytes.subspan(size_t(offset), size_t(size));
  return true;
}

/// The same bytes at an aligned address.
Result<Bytes> aligned(Bytes bytes, size_t alignment, Arena& arena) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignment == 0) return bytes;
  void* copy = arena.allocate(bytes.size(), 16);
  if (copy == nullptr) return out_of_memory("xnnpack: no memory for the blob");
  std::memcpy(copy, bytes.data(), bytes.size());
  return Bytes(static_cast<const std::byte*>(copy), bytes.size());
}

Result<Bytes> find_constant(const fb::ConstantData* c, Bytes data, const NamedData& named) {
  if (c == nullptr) return invalid_program("xnnpack: a constant is missing");
  if (c->key() != nullptr && c->key()->size() != 0) {
    const auto found = named.find({c->key()->c_str(), c->key()->size()});
    if (!found) return not_found("xnnpack: a constant is not in the program's named data");
    if (found->bytes.size() < c->size()) return invalid_program("xnnpack: a constant has fewer bytes than the blob says");
    return found->bytes;
  }
  Bytes bytes;
  if (c->offset() == kNoOffset || !part(data, c->offset(), c->size(), bytes)) return invalid_program("xnnpack: a constant lies outside of the blob");
  return bytes;
}

}  // namespace

Result<Blob> Blob::open(Bytes bytes, const NamedData& named, Arena& arena) {
  Bytes graph = bytes, data;
  if (has_magic(bytes, "XH00")) {
    if (bytes.size() < kHeaderLength || read<uint16_t>(bytes, 8) < kHeaderLength) return invalid_program("xnnpack: the header is too short");
    if (!part(bytes, read<uint32_t>(bytes, kGraphOffset), read<uint32_t>(bytes, kGraphSize), graph) ||
        !part(bytes, read<uint32_t>(bytes, kDataOffset), read<uint64_t>(bytes, kDataSize), data))
      return invalid_program("xnnpack: the header points outside of the blob");
  }
  if (!has_magic(graph, "XN00") && !has_magic(graph, "XN01")) return unsupported("xnnpack: the blob is of an unknown version (known: XN00, XN01)");
  GLINT_TRY_LET(graph, aligned(graph, 8, arena));
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(graph.data()), graph.size(), kMaxDepth, kMaxTables);
  if (graph.size() > FLATBUFFERS_MAX_BUFFER_SIZE || !fb::VerifyGraphBuffer(verifier)) return invalid_program("xnnpack: the graph is damaged");

  Blob blob;
  blob.graph_ = fb::GetGraph(graph.data());
  const fb::Graph& g = *blob.graph_;
  if (g.nodes() == nullptr || g.values() == nullptr || g.inputs() == nullptr || g.outputs() == nullptr) return invalid_program("xnnpack: the graph lacks a list");
  const auto* constants = g.constants();
  const auto* buffers = g.buffers();
  const bool inside = constants == nullptr || constants->size() == 0;
  const size_t count = !inside ? constants->size() : buffers != nullptr ? buffers->size() : 0;
  auto* found = arena.make<Bytes>(count + 1);
  if (found == nullptr) return out_of_memory("xnnpack: no memory for the blob");
  for (uint32_t i = 1; i < count; ++i) {
    if (inside) {
      const auto* storage = buffers->Get(i) == nullptr ? nullptr : buffers->Get(i)->storage();
      if (storage != nullptr) found[i] = std::as_bytes(std::span(storage->data(), storage->size()));
    } else {
      GLINT_TRY_LET(found[i], find_constant(constants->Get(i), data, named));
    }
    GLINT_TRY_LET(found[i], aligned(found[i], 8, arena));
  }
  blob.constants_ = {found, count};
  return blob;
}

}  // namespace glint::xnnpack
