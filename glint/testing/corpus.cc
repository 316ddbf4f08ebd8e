#include "glint/testing/corpus.h"

#include <cmath>
#include <cstdio>

#include "glint/core/shape.h"
#include "glint/format/safetensors.h"
#include "glint/kernels/convert.h"

namespace glint::testing {

TensorFile TensorFile::open(const std::string& path, std::string& error) {
  TensorFile t;
  auto file = MappedFile::open(path.c_str());
  if (!file.ok()) {
    error = path + ": " + file.status().why();
    return t;
  }
  t.file_ = std::make_shared<MappedFile>(*std::move(file));
  const auto st = Safetensors::open(t.file_->bytes());
  if (!st.ok()) {
    error = path + ": " + st.status().why();
    return t;
  }
  size_t cursor = 0;
  for (Safetensors::Entry e; st->next(cursor, e);) t.entries_[std::string(e.name)] = {e.meta, e.bytes};
  return t;
}

HostTensor TensorFile::get(const std::string& key, bool complex) const {
  const Entry& e = entries_.at(key);
  std::vector<int64_t> sizes(e.meta.sizes().begin(), e.meta.sizes().end());
  DType dtype = e.meta.dtype;
  if (complex) {
    sizes.pop_back();
    dtype = dtype == DType::kF64 ? DType::kC128 : DType::kC64;
  }
  HostTensor t(dtype, sizes);
  if (!e.bytes.empty()) std::memcpy(t.tensor().data, e.bytes.data(), e.bytes.size());
  return t;
}

double epsilon(DType d) {
  switch (d) {
    case DType::kF64: case DType::kC128: return 0x1p-52;
    case DType::kF32: case DType::kC64: return 0x1p-23;
    case DType::kF16: return 0x1p-10;
    case DType::kBF16: return 0x1p-7;
    default: return 0;
  }
}

namespace {

std::vector<double> reals(const HostTensor& t) {
  if (!is_complex(t.tensor().dtype)) return t.values();
  std::vector<double> v;
  for (int64_t i = 0, n = t.tensor().numel(); i < n; ++i) {
    const c128 z = kernels::load_one<c128>(t.tensor().dtype, t.tensor().data, element_offset(t.tensor(), i));
    v.push_back(z.re);
    v.push_back(z.im);
  }
  return v;
}

std::string compare_integers(const HostTensor& got, const HostTensor& want) {
  for (int64_t i = 0, n = want.tensor().numel(); i < n; ++i) {
    const int64_t a = kernels::load_one<int64_t>(got.tensor().dtype, got.tensor().data, element_offset(got.tensor(), i));
    const int64_t b = kernels::load_one<int64_t>(want.tensor().dtype, want.tensor().data, element_offset(want.tensor(), i));
    if (a != b) return "element " + std::to_string(i) + " is " + std::to_string(a) + ", not " + std::to_string(b);
  }
  return "";
}

}  // namespace

std::string compare(const HostTensor& got, const HostTensor& want, double tolerance, double slack) {
  if (got.tensor().dtype != want.tensor().dtype || !got.tensor().same_sizes(want.tensor()))
    return "gives " + got.describe() + ", not " + want.describe();
  if (!is_floating(want.tensor().dtype) && !is_complex(want.tensor().dtype)) return compare_integers(got, want);
  const std::vector<double> a = reals(got), b = reals(want);
  double largest = 0;
  for (double v : b)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  char text[160];
  for (size_t i = 0; i < b.size(); ++i) {
    const bool same_special = std::isnan(b[i]) ? std::isnan(a[i]) : a[i] == b[i];
    if (!std::isfinite(b[i]) || !std::isfinite(a[i])) {
      if (same_special) continue;
      std::snprintf(text, sizeof text, "element %zu is %g, not %g", i, a[i], b[i]);
      return text;
    }
    const double error = std::abs(a[i] - b[i]);
    if (error > tolerance * largest + slack) {
      std::snprintf(text, sizeof text, "element %zu is %.9g, not %.9g: off by %.3g, allowed %.3g", i, a[i], b[i], error, tolerance * largest + slack);
      return text;
    }
  }
  return "";
}

}  // namespace glint::testing
