#include "glint/compiler/import/weights.h"

#include <algorithm>
#include <cstring>

#include "glint/base/checked.h"
#include "glint/compiler/import/export_names.h"
#include "glint/compiler/import/pickle.h"
#include "glint/core/tensor.h"

namespace glint::compiler {
namespace {

constexpr uint64_t kMaxConfigBytes = uint64_t(1) << 28;
constexpr uint64_t kMaxPickleBytes = uint64_t(1) << 28;
constexpr size_t kGatherBytes = 1 << 20;  // of storage held at once while elements are gathered

[[noreturn]] void fail(Code code, const std::string& message) { throw ir::Error(code, message); }

bool is_row_major(const StoredView& v) {
  int64_t expected = 1;
  for (size_t d = v.sizes.size(); d-- > 0;) {
    if (v.sizes[d] != 1 && v.strides[d] != expected) return false;
    expected *= v.sizes[d];
  }
  return true;
}

int64_t element_count(const StoredView& v) {
  int64_t n = 1;
  for (int64_t size : v.sizes) n *= size;
  return n;
}

/// The elements of a view, read from the archive when asked for.
class StoredConstant final : public ir::ConstantData {
 public:
  StoredConstant(std::shared_ptr<const ZipArchive> archive, size_t entry, StoredView view)
      : archive_(std::move(archive)), entry_(entry), view_(std::move(view)), count_(element_count(view_)),
          row_major_(is_row_major(view_)) {}

  size_t size() const override { return size_t(count_) * dtype_size(view_.dtype); }

  Status read(std::span<std::byte> out) const override {
    if (out.size() != size()) return invalid_argument("a constant needs as many bytes as it has");
    if (count_ == 0) return {};
    const size_t width = dtype_size(view_.dtype);
    const uint64_t begin = uint64_t(view_.offset) * width;
    if (row_major_) return archive_->read_at(entry_, begin, out);
    return gather(out, begin, width);
  }

 private:
  /// Walks the view in row-major order. The storage is read whole (it is about as large as the tensor itself) unless
  /// the innermost rows are far apart.
  Status gather(std::span<std::byte> out, uint64_t begin, size_t width) const {
    uint64_t extent = 0;
    for (size_t d = 0; d < view_.sizes.size(); ++d) extent += uint64_t(view_.sizes[d] - 1) * uint64_t(view_.strides[d]);
    const uint64_t bytes = (extent + 1) * width;
    // A few elements spread over a large storage are read one row at a time.
    const bool whole = bytes <= kGatherBytes || bytes / 4 <= out.size();
    std::vector<std::byte> storage;
    if (whole) {
      storage.resize(bytes);
      GLINT_TRY(archive_->read_at(entry_, begin, storage));
    }
    const size_t rank = view_.sizes.size();
    const int64_t row = view_.sizes[rank - 1], step = view_.strides[rank - 1];
    const uint64_t row_bytes = (uint64_t(row - 1) * uint64_t(step) + 1) * width;
    if (!whole) storage.resize(row_bytes);
    std::vector<int64_t> index(rank, 0);
    std::byte* to = out.data();
    for (int64_t rows = count_ / row; rows-- > 0;) {
      uint64_t at = 0;
      for (size_t d = 0; d + 1 < rank; ++d) at += uint64_t(index[d]) * uint64_t(view_.strides[d]);
      const std::byte* from = storage.data();
      if (whole) from += at * width;
      else GLINT_TRY(archive_->read_at(entry_, begin + at * width, storage));
      for (int64_t i = 0; i < row; ++i, to += width) std::memcpy(to, from + uint64_t(i * step) * width, width);
      for (size_t d = rank - 1; d-- > 0;) {
        if (++index[d] < view_.sizes[d]) break;
        index[d] = 0;
      }
    }
    return {};
  }

  std::shared_ptr<const ZipArchive> archive_;
  size_t entry_;
  StoredView view_;
  int64_t count_;
  bool row_major_;
};

int64_t static_int(Json sym_int, const std::string& name) {
  const auto [kind, value] = sym_int.only_member();
  if (kind != "as_int") fail(Code::kInvalidProgram, "weight '" + name + "' has a size that is no number");
  return value.as_int();
}

StoredView view_of_meta(Json meta, const std::string& name) {
  StoredView view;
  const int64_t number = meta.at("dtype").as_int();
  const auto dtype = dtype_of_export(number);
  if (!dtype) {
    const char* foreign = foreign_dtype_name(number);
    fail(foreign ? Code::kUnsupported : Code::kInvalidProgram,
         "weight '" + name + "' has " + (foreign ? std::string("element type ") + foreign : "an element type that does not exist"));
  }
  view.dtype = *dtype;
  if (meta.at("layout").as_int() != kExportStrided) fail(Code::kUnsupported, "weight '" + name + "' is sparse");
  for (Json size : meta.at("sizes").items()) view.sizes.push_back(static_int(size, name));
  for (Json stride : meta.at("strides").items()) view.strides.push_back(static_int(stride, name));
  view.offset = static_int(meta.at("storage_offset"), name);
  return view;
}

std::string view_key(const std::string& storage, const StoredView& v) {
  std::string key = storage + "|" + std::to_string(int(v.dtype)) + "|" + std::to_string(v.offset);
  for (size_t d = 0; d < v.sizes.size(); ++d) key += "," + std::to_string(v.sizes[d]) + ":" + std::to_string(v.strides[d]);
  return key;
}

/// A file of torch.save inside the archive, opened.
struct Pickle {
  Pickle(const std::shared_ptr<const ZipArchive>& archive, const std::string& entry)
      : inner(ZipArchive::open_inner(archive, need_entry(*archive, entry))) {
    constexpr std::string_view kData = "data.pkl";
    for (const ZipArchive::Entry& e : inner->entries())
      if (e.name == kData || e.name.ends_with("/data.pkl")) folder = e.name.substr(0, e.name.size() - kData.size());
    check_byte_order(*inner, folder + "byteorder");
    tensors = read_pickled_tensors(inner->read(need_entry(*inner, folder + std::string(kData)), kMaxPickleBytes));
  }
  std::shared_ptr<const ZipArchive> inner;
  std::string folder;  // of the inner archive, "archive/"
  PickledTensors tensors;
};

}  // namespace

void check_byte_order(const ZipArchive& archive, const std::string& entry) {
  const int64_t index = archive.find(entry);
  if (index < 0) return;
  const std::string order = archive.read(size_t(index), 64);
  if (order == "big") fail(Code::kUnsupported, "the archive was written on a big endian machine");
  if (order != "little") fail(Code::kInvalidProgram, "the archive states the byte order '" + order + "'");
}

uint64_t extent_bytes(const StoredView& v, const std::string& name) {
  const std::string what = "weight '" + name.substr(0, 200) + "'";
  if (v.sizes.size() != v.strides.size()) fail(Code::kInvalidProgram, what + " has another number of strides than of sizes");
  if (v.sizes.size() > size_t(kMaxRank)) fail(Code::kUnsupported, what + " has more than " + std::to_string(kMaxRank) + " dimensions");
  if (v.offset < 0) fail(Code::kInvalidProgram, what + " starts before its storage");
  int64_t count = 1, last = v.offset, bytes = 0;
  bool empty = false;
  for (size_t d = 0; d < v.sizes.size(); ++d) {
    if (v.sizes[d] < 0) fail(Code::kInvalidProgram, what + " has a negative size");
    if (v.strides[d] < 0) fail(Code::kInvalidProgram, what + " has a negative stride");
    int64_t step = 0;
    empty |= v.sizes[d] == 0;
    if (!checked_mul(count, std::max<int64_t>(v.sizes[d], 1), &count)) fail(Code::kInvalidProgram, what + " is too large");
    if (v.sizes[d] > 0 && (!checked_mul(v.sizes[d] - 1, v.strides[d], &step) || !checked_add(last, step, &last)))
      fail(Code::kInvalidProgram, what + " is too large");
  }
  const int64_t width = int64_t(dtype_size(v.dtype));
  if (!checked_add(last, 1, &last) || !checked_mul(last, width, &bytes) || !checked_mul(count, width, &count))
    fail(Code::kInvalidProgram, what + " is too large");
  return empty ? 0 : uint64_t(bytes);
}

size_t need_entry(const ZipArchive& archive, const std::string& name) {
  const int64_t index = archive.find(name);
  if (index < 0) fail(Code::kInvalidProgram, "the archive has no entry '" + name.substr(0, 200) + "'");
  return size_t(index);
}

const Weight* Weights::find(std::string_view name) const {
  const auto found = weights_.find(name);
  return found == weights_.end() ? nullptr : &found->second;
}

void Weights::add(const std::string& name, std::shared_ptr<const ZipArchive> archive, size_t entry, StoredView view) {
  const uint64_t extent = extent_bytes(view, name), have = archive->entries()[entry].size;
  if (extent > have)
    fail(Code::kInvalidProgram, "weight '" + name + "' needs " + std::to_string(extent) + " bytes of its storage, which has " +
                                  std::to_string(have));
  // A tensor that repeats few stored elements could claim any size; nothing real is a thousand times its storage.
  if (uint64_t(element_count(view)) * dtype_size(view.dtype) / 1024 > have)
    fail(Code::kUnsupported, "weight '" + name + "' repeats its storage more than 1024 times");
  Weight weight;
  weight.dtype = view.dtype;
  weight.sizes = view.sizes;
  weight.storage = std::to_string(reinterpret_cast<uintptr_t>(archive.get())) + "/" + std::to_string(entry);
  ir::ConstantPtr& shared = shared_[view_key(weight.storage, view)];
  if (shared == nullptr) shared = std::make_shared<StoredConstant>(std::move(archive), entry, std::move(view));
  weight.data = shared;
  if (!weights_.emplace(name, std::move(weight)).second) fail(Code::kInvalidProgram, "weight '" + name + "' is stored twice");
}

void Weights::add_config(const std::shared_ptr<const ZipArchive>& archive, const std::string& config_entry, const std::string& folder) {
  const std::string text = archive->read(need_entry(*archive, config_entry), kMaxConfigBytes);
  const JsonDocument document(text, config_entry);
  for (const auto& [name, meta] : document.root().at("config").members()) add_entry(archive, std::string(name), meta, folder);
}

void Weights::add_entry(const std::shared_ptr<const ZipArchive>& archive, const std::string& name, Json meta, const std::string& folder) {
  const std::string path = folder + std::string(meta.at("path_name").as_string());
  const auto pickled = meta.find("use_pickle");
  const auto tensor = meta.find("tensor_meta");
  if (!tensor) fail(Code::kUnsupported, "constant '" + name + "' is a custom object, not a tensor");
  if (pickled && pickled->as_bool()) {
    const Pickle pickle(archive, path);
    if (pickle.tensors.single.empty()) fail(Code::kUnsupported, "weight '" + name + "' is pickled as something other than one tensor");
    add_pickled_tensor(name, pickle.inner, pickle.folder, pickle.tensors.single[0]);
    return;
  }
  add(name, archive, need_entry(*archive, path), view_of_meta(*tensor, name));
}

void Weights::add_pickled(const std::shared_ptr<const ZipArchive>& archive, const std::string& entry) {
  if (archive->entries()[need_entry(*archive, entry)].size == 0) return;
  const Pickle pickle(archive, entry);
  if (!pickle.tensors.single.empty()) fail(Code::kInvalidProgram, entry + " holds one tensor instead of a dictionary");
  for (const auto& [name, tensor] : pickle.tensors.named) add_pickled_tensor(name, pickle.inner, pickle.folder, tensor);
}

void Weights::add_pickled_tensor(const std::string& name, const std::shared_ptr<const ZipArchive>& inner, const std::string& folder,
                                 const PickledTensor& tensor) {
  const size_t entry = need_entry(*inner, folder + "data/" + tensor.storage);
  const uint64_t have = inner->entries()[entry].size, width = dtype_size(tensor.dtype);
  if (tensor.storage_elements < 0 || uint64_t(tensor.storage_elements) != have / width)
    fail(Code::kInvalidProgram, "weight '" + name + "' has a storage of another size than stated");
  add(name, inner, entry, {tensor.dtype, tensor.offset, tensor.sizes, tensor.strides});
}

}  // namespace glint::compiler
