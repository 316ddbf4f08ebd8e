#include "glint/kernels/gemm/gemm.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "glint/core/cpu.h"
#include "glint/kernels/conv/depthwise.h"
#include "glint/kernels/gemm/packed.h"

namespace glint::kernels {
namespace {

std::vector<float> random_floats(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> v(n);
  for (float& x : v) x = values(random);
  return v;
}

// One micro-tile against the definition: all columns, guards on both sides of what it may write.
void check_tile(GemmKernels::Tile tile, int panels, int rows, bool gather, int64_t cols, int64_t taps, int64_t depth) {
  const int64_t k = taps * depth, pitch = 40;
  const std::vector<float> x = random_floats(size_t(rows * taps * depth + 8), 1), w = random_floats(size_t(panels * (1 + k) * 16), 2), r = random_floats(size_t(rows * pitch), 3);
  std::vector<float> out(size_t(rows * pitch), 77);
  std::vector<const float*> in, residual;
  std::vector<float*> to;
  std::vector<int32_t> offsets;
  for (int64_t i = 0; i < k; ++i) offsets.push_back(int32_t((i * 7) % k));
  for (int64_t t = 0; t < (gather ? 1 : taps); ++t)
    for (int i = 0; i < rows; ++i) in.push_back(x.data() + (i * taps + t) * depth);
  for (int i = 0; i < rows; ++i) residual.push_back(r.data() + i * pitch), to.push_back(out.data() + i * pitch);
  for (bool add : {false, true}) {
    GemmTile t{};
    t.rows = in.data();
    t.taps = gather ? 1 : taps;
    t.depth = gather ? k : depth;
    t.row_offset = 1;
    t.gather = gather ? offsets.data() : nullptr;
    t.panel = w.data();
    t.panel_floats = (1 + k) * 16;
    t.out = to.data();
    t.out_offset = 3;
    t.cols = cols;
    t.residual = add ? residual.data() : nullptr;
    t.lo = -0.75f;
    t.hi = 0.5f;
    tile(t);
    for (int i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < pitch; ++j) {
        const int64_t col = j - 3;
        if (col < 0 || col >= cols) {
          ASSERT_EQ(out[size_t(i * pitch + j)], 77) << "written outside, row " << i << " column " << col;
          continue;
        }
        const float* panel = w.data() + col / 16 * t.panel_floats + col % 16;
        double sum = panel[0];
        for (int64_t q = 0; q < k; ++q) sum += double(x[size_t(i * k + 1 + (gather ? offsets[size_t(q)] : q))]) * panel[(1 + q) * 16];
        if (add) sum += r[size_t(i * pitch + j)];
        ASSERT_NEAR(out[size_t(i * pitch + j)], std::min(0.5, std::max(-0.75, sum)), 1e-5) << "row " << i << " column " << col;
      }
    }
  }
}

TEST(Gemm, EveryMicroKernel) {
  for (Isa isa : kBuiltIsas) {
    if (!detect_cpu().supports(isa)) {
      std::printf("not run here: %s\n", isa_name(isa));
      continue;
    }
    const GemmKernels& table = gemm_f32(isa);
    for (int panels = 1; panels <= table.panels; ++panels) {
      for (int rows = 1; rows <= table.rows; ++rows) {
        SCOPED_TRACE(::testing::Message() << isa_name(isa) << " " << panels << " panels, " << rows << " rows");
        for (int64_t cols = 16 * (panels - 1) + 1; cols <= 16 * panels; ++cols) {
          check_tile(table.direct[panels - 1][rows - 1], panels, rows, false, cols, 2, 5);
          check_tile(table.gather[panels - 1][rows - 1], panels, rows, true, cols, 1, 9);
        }
        check_tile(table.direct[panels - 1][rows - 1], panels, rows, false, 16 * panels, 1, 1);
      }
    }
  }
}

TEST(Depthwise, EveryMicroKernel) {
  for (Isa isa : kBuiltIsas) {
    if (!detect_cpu().supports(isa)) continue;
    for (int width : {3, 5, 0}) {
      for (int stride : {1, 2}) {
        for (int pixels = 1; pixels <= (width == 0 ? 1 : kMaxDepthwisePixels); ++pixels) {
          for (int64_t channels : {1, 5, 8, 15, 16, 17, 31, 35, 64}) {
            SCOPED_TRACE(::testing::Message() << isa_name(isa) << " width " << width << " stride " << stride << " pixels " << pixels << " channels " << channels);
            const int64_t height = 3, taps_wide = width == 0 ? 4 : width, columns = width == 0 ? 4 : (pixels - 1) * stride + width, taps = height * taps_wide;
            const std::vector<float> x = random_floats(size_t(height * columns * channels), 1), w = random_floats(size_t(((channels + 15) / 16) * (1 + taps) * 16), 2);
            const std::vector<float> r = random_floats(size_t(pixels * channels), 3);
            std::vector<float> out(size_t(pixels * (channels + 1)), 77);
            std::vector<const float*> in, residual;
            std::vector<float*> to;
            for (int64_t i = 0; i < height * columns; ++i) in.push_back(x.data() + i * channels);
            for (int i = 0; i < pixels; ++i) residual.push_back(r.data() + i * channels), to.push_back(out.data() + i * (channels + 1));
            const DepthwiseKernels& table = depthwise_f32(isa);
            const auto tile = width == 0 ? table.any : table.fixed[width == 5][stride == 2][pixels - 1];
            tile({in.data(), width == 0 ? taps : height, w.data(), (1 + taps) * 16, channels, to.data(), residual.data(), -1, 1});
            for (int64_t i = 0; i < pixels; ++i) {
              ASSERT_EQ(out[size_t(i * (channels + 1) + channels)], 77);
              for (int64_t c = 0; c < channels; ++c) {
                const float* panel = w.data() + c / 16 * (1 + taps) * 16 + c % 16;
                double sum = panel[0] + r[size_t(i * channels + c)];
                for (int64_t y = 0; y < height; ++y)
                  for (int64_t k = 0; k < taps_wide; ++k) sum += double(x[size_t((y * columns + i * stride + k) * channels + c)]) * panel[(1 + y * taps_wide + k) * 16];
                ASSERT_NEAR(out[size_t(i * (channels + 1) + c)], std::min(1.0, std::max(-1.0, sum)), 1e-5);
              }
            }
          }
        }
      }
    }
  }
}

TEST(Packed, UnpackInverts) {
  struct { int64_t outputs, depth, taps, groups; } const cases[] = {{1, 1, 1, 1}, {16, 3, 9, 1}, {33, 5, 4, 3}, {40, 2, 1, 2}};
  for (const auto& c : cases) {
    const std::vector<float> w = random_floats(size_t(c.outputs * c.depth * c.taps), 1), bias = random_floats(size_t(c.outputs), 2);
    WeightView view{w.data(), c.outputs, c.depth, c.taps, c.depth * c.taps, c.taps, nullptr, nullptr, bias.data(), 1, c.groups};
    std::vector<float> packed(size_t(n16_panels(c.outputs, c.groups) * n16_panel_bytes(c.depth * c.taps) / 4)), w2(w.size()), bias2(bias.size());
    pack_f32_n16(view, packed.data());
    unpack_f32_n16(packed.data(), c.outputs, c.depth, c.taps, c.groups, w2.data(), bias2.data());
    EXPECT_EQ(w, w2);
    EXPECT_EQ(bias, bias2);
  }
  const std::vector<float> w = random_floats(19 * 9, 1), bias = random_floats(19, 2);
  std::vector<float> packed(2 * 10 * 16), w2(w.size()), bias2(bias.size());
  pack_f32_dw16({w.data(), 19, 1, 9, 9, 9, nullptr, nullptr, bias.data(), 1, 19}, packed.data());
  unpack_f32_dw16(packed.data(), 19, 9, w2.data(), bias2.data());
  EXPECT_EQ(w, w2);
  EXPECT_EQ(bias, bias2);
}

}  // namespace
}  // namespace glint::kernels
