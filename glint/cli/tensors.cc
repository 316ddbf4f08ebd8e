#include "glint/cli/tensors.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "glint/base/platform.h"
#include "glint/format/safetensors.h"

namespace glint::cli {

namespace {

/// The value of `key` in the header of an .npy file, a Python dictionary literal.
std::string header_field(const std::string& header, const std::string& key) {
  const size_t at = header.find("'" + key + "'");
  if (at == header.npos) return "";
  size_t start = header.find(':', at);
  if (start == header.npos) return "";
  start = header.find_first_not_of(' ', start + 1);
  const size_t end = header[start] == '(' ? header.find(')', start) + 1 : header[start] == '\'' ? header.find('\'', start + 1) + 1 : header.find_first_of(",}", start);
  return end == 0 || end == header.npos ? "" : header.substr(start, end - start);
}

NamedTensors load_npy(std::span<const std::byte> file, std::string& error) {
  const auto bad = [&](const char* why) { error = why; return NamedTensors(); };
  if (file.size() < 12) return bad("the NumPy file is too short");
  const int major = int(file[6]);
  uint32_t length = uint32_t(file[8]) | uint32_t(file[9]) << 8;
  size_t start = 10;
  if (major >= 2) {
    length |= uint32_t(file[10]) << 16 | uint32_t(file[11]) << 24;
    start = 12;
  }
  if (major < 1 || major > 3 || length > file.size() - start) return bad("the NumPy header is malformed");
  const std::string header(reinterpret_cast<const char*>(file.data()) + start, length);
  const std::string descr = header_field(header, "descr"), fortran = header_field(header, "fortran_order"), shape = header_field(header, "shape");
  struct { const char* descr; DType dtype; } constexpr kTypes[] = {
      {"'<f4'", DType::kF32}, {"'<f8'", DType::kF64}, {"'<f2'", DType::kF16}, {"'<i8'", DType::kI64}, {"'<i4'", DType::kI32}, {"'<i2'", DType::kI16}, {"'|i1'", DType::kI8},
      {"'|u1'", DType::kU8},  {"'<u2'", DType::kU16}, {"'<u4'", DType::kU32}, {"'<u8'", DType::kU64}, {"'|b1'", DType::kBool}, {"'<c8'", DType::kC64}, {"'<c16'", DType::kC128}};
  const DType* dtype = nullptr;
  for (const auto& t : kTypes)
    if (descr == t.descr) dtype = &t.dtype;
  if (dtype == nullptr) return bad("the NumPy file has a dtype that Glint has not");
  std::vector<int64_t> sizes;
  for (size_t i = 1; i < shape.size();) {
    char* end;
    const long long v = std::strtoll(shape.c_str() + i, &end, 10);
    if (end == shape.c_str() + i) break;
    sizes.push_back(v);
    i = size_t(end - shape.c_str());
    while (i < shape.size() && (shape[i] == ',' || shape[i] == ' ')) ++i;
  }
  TensorMeta meta;
  if (shape.empty() || !meta.set(*dtype, sizes)) return bad("the NumPy file's shape is malformed");
  if (meta.size_bytes() != file.size() - start - length) return bad("the NumPy file's length does not match its shape");
  Tensor t;
  static_cast<TensorMeta&>(t) = meta;
  if (fortran == "True") {
    uint8_t order[kMaxRank];
    for (int d = 0; d < t.rank; ++d) order[d] = uint8_t(t.rank - 1 - d);
    t.set_dim_order({order, t.rank});
  }
  t.data = const_cast<std::byte*>(file.data() + start + length);
  return {{"", OwnedTensor::copy(t).row_major()}};
}

NamedTensors load_safetensors(std::span<const std::byte> file, std::string& error) {
  NamedTensors out;
  const auto st = Safetensors::open(file);
  if (!st.ok()) return error = st.status().why(), std::move(out);
  size_t cursor = 0;
  for (Safetensors::Entry e; st->next(cursor, e);) {
    OwnedTensor t(e.meta.dtype, {e.meta.sizes().begin(), e.meta.sizes().end()});
    if (!e.bytes.empty()) std::memcpy(t.tensor().data, e.bytes.data(), e.bytes.size());
    out.emplace_back(std::string(e.name), std::move(t));
  }
  return out;
}

const char* safetensors_dtype(DType d) {
  switch (d) {
    case DType::kF32: return "F32"; case DType::kF64: return "F64"; case DType::kF16: return "F16"; case DType::kBF16: return "BF16";
    case DType::kI64: return "I64"; case DType::kI32: return "I32"; case DType::kI16: return "I16"; case DType::kI8: return "I8";
    case DType::kU8: return "U8"; case DType::kU16: return "U16"; case DType::kU32: return "U32"; case DType::kU64: return "U64";
    case DType::kBool: return "BOOL"; case DType::kC64: return "C64";
    default: return nullptr;
  }
}

}  // namespace

NamedTensors load_tensors(const std::string& path, std::string& error) {
  auto file = MappedFile::open(path.c_str());
  if (!file.ok()) return error = path + ": " + file.status().why(), NamedTensors();
  const auto bytes = file->bytes();
  auto out = bytes.size() >= 6 && std::memcmp(bytes.data(), "\x93NUMPY", 6) == 0 ? load_npy(bytes, error) : load_safetensors(bytes, error);
  if (!error.empty()) error = path + ": " + error;
  return out;
}

void save_safetensors(const std::string& path, const NamedTensors& tensors, std::string& error) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  uint64_t at = 0;
  for (const auto& [name, t] : tensors) {
    const char* dtype = safetensors_dtype(t.dtype());
    if (dtype == nullptr) return void(error = fmt::format("{}: safetensors has no dtype for {} ({})", path, name, dtype_name(t.dtype())));
    const uint64_t bytes = t.tensor().size_bytes();
    header[name] = {{"dtype", dtype}, {"shape", t.sizes()}, {"data_offsets", {at, at + bytes}}};
    at += bytes;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::string temporary = path + ".tmp";
  {
    std::ofstream out(temporary, std::ios::binary);
    const uint64_t length = text.size();
    out.write(reinterpret_cast<const char*>(&length), 8);
    out.write(text.data(), std::streamsize(text.size()));
    for (const auto& [name, t] : tensors) {
      const OwnedTensor rows = t.row_major();
      out.write(static_cast<const char*>(rows.tensor().data), std::streamsize(rows.tensor().size_bytes()));
    }
    if (!out) error = path + ": cannot be written";
  }
  if (error.empty() && std::rename(temporary.c_str(), path.c_str()) != 0) error = path + ": cannot be written";
  if (!error.empty()) std::remove(temporary.c_str());
}

}  // namespace glint::cli
