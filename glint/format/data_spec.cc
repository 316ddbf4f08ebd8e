#include <algorithm>
#include <cstring>
#include <memory>

#include "glint/format/program_spec.h"

namespace glint {

DataSpec DataSpec::of(std::span<const std::byte> bytes) {
  auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  DataSpec d;
  d.size = copy->size();
  d.write = [copy](const DataSink& sink) { return sink(*copy); };
  return d;
}

DataSpec DataSpec::borrowed(std::span<const std::byte> bytes) {
  DataSpec d;
  d.size = bytes.size();
  d.write = [bytes](const DataSink& sink) { return sink(bytes); };
  return d;
}

void ContentHash::block(uint64_t a, uint64_t b) {
  // Two multiply-and-fold lanes that feed each other.
  const unsigned __int128 x = (unsigned __int128)(a ^ state_[0]) * 0xa0761d6478bd642fu;
  const unsigned __int128 y = (unsigned __int128)(b ^ state_[1]) * 0xe7037ed1a0b428dbu;
  const uint64_t fx = uint64_t(x) ^ uint64_t(x >> 64), fy = uint64_t(y) ^ uint64_t(y >> 64);
  state_[0] = (state_[0] ^ fx ^ b) * 0x9fb21c651e98df25u + fy;
  state_[1] = (state_[1] ^ fy ^ (a << 32 | a >> 32)) * 0xd6e8feb86659fd93u + fx;
}

void ContentHash::add(std::span<const std::byte> bytes) {
  const auto take = [&](const std::byte* p) {
    uint64_t a, b;
    std::memcpy(&a, p, 8);
    std::memcpy(&b, p + 8, 8);
    block(a, b);
  };
  size_t held = size_t(size_ % 16);
  size_ += bytes.size();
  if (held != 0) {
    const size_t n = std::min(bytes.size(), 16 - held);
    std::copy_n(bytes.begin(), n, pending_ + held);
    bytes = bytes.subspan(n);
    if (held + n < 16) return;
    take(pending_);
  }
  for (; bytes.size() >= 16; bytes = bytes.subspan(16)) take(bytes.data());
  std::copy_n(bytes.begin(), bytes.size(), pending_);
}

std::array<uint64_t, 2> ContentHash::get() const {
  ContentHash last = *this;
  const size_t held = size_t(size_ % 16);
  std::fill(last.pending_ + held, last.pending_ + 16, std::byte(0));
  uint64_t a, b;
  std::memcpy(&a, last.pending_, 8);
  std::memcpy(&b, last.pending_ + 8, 8);
  last.block(a, b);
  last.block(size_, ~size_);
  if (last.state_[0] == 0 && last.state_[1] == 0) last.state_[0] = 1;  // zero means "not computed"
  return {last.state_[0], last.state_[1]};
}

}  // namespace glint
