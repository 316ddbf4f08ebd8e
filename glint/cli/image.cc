#include "glint/cli/image.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <sstream>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_FAILURE_USERMSG
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

namespace glint::cli {
namespace {

struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;  // [height, width, 3]
};

bool parse_numbers(const std::string& text, std::array<float, 3>& out) {
  std::istringstream in(text);
  std::string word;
  int n = 0;
  while (n < 3 && std::getline(in, word, ':')) {
    char* end;
    out[size_t(n++)] = std::strtof(word.c_str(), &end);
    if (*end != 0 || word.empty()) return false;
  }
  if (n == 1) out[1] = out[2] = out[0];
  return n == 1 || n == 3;
}

bool parse_size(const std::string& text, int& out) {
  char* end;
  const long v = std::strtol(text.c_str(), &end, 10);
  out = int(v);
  return *end == 0 && v >= 1 && v <= 16384;
}

Image crop(const Image& in, int width, int height) {
  Image out;
  out.width = std::min(width, in.width);
  out.height = std::min(height, in.height);
  const int left = (in.width - out.width) / 2, top = (in.height - out.height) / 2;
  out.rgb.resize(size_t(out.width) * size_t(out.height) * 3);
  for (int y = 0; y < out.height; ++y)
    std::copy_n(&in.rgb[(size_t(y + top) * size_t(in.width) + size_t(left)) * 3], size_t(out.width) * 3, &out.rgb[size_t(y) * size_t(out.width) * 3]);
  return out;
}

double cubic(double x) {  // Keys' kernel, a = -0.5
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

/// For each output pixel along one axis: where its window starts and its weights in fixed point.
struct Window { int start; std::vector<int32_t> weights; };
constexpr int kPrecision = 22;

std::vector<Window> windows(int in, int out) {
  const double scale = double(in) / out, filter = std::max(scale, 1.0), support = 2.0 * filter;
  std::vector<Window> all;
  for (int i = 0; i < out; ++i) {
    const double center = (i + 0.5) * scale;
    const int first = std::max(0, int(center - support + 0.5)), last = std::min(in, int(center + support + 0.5));
    std::vector<double> w;
    double sum = 0;
    for (int x = first; x < last; ++x) sum += w.emplace_back(cubic((x - center + 0.5) / filter));
    Window window{first, {}};
    for (double v : w) window.weights.push_back(int32_t(std::lround(v / sum * (1 << kPrecision))));
    all.push_back(std::move(window));
  }
  return all;
}

/// One pass: resamples along rows of `count` pixels; element (line, i) is at in[line * line_step + i * step].
Image resize(const Image& in, int width, int height) {
  const auto pass = [](const std::vector<uint8_t>& from, int lines, int out, int64_t line_step, int64_t step, int64_t to_line_step, int64_t to_step, const std::vector<Window>& all) {
    std::vector<uint8_t> to(size_t(lines) * size_t(out) * 3);
    for (int line = 0; line < lines; ++line)
      for (int i = 0; i < out; ++i)
        for (int c = 0; c < 3; ++c) {
          const Window& w = all[size_t(i)];
          int64_t sum = int64_t(1) << (kPrecision - 1);
          for (size_t k = 0; k < w.weights.size(); ++k) sum += int64_t(from[size_t(line * line_step + (w.start + int64_t(k)) * step + c)]) * w.weights[k];
          to[size_t(line * to_line_step + i * to_step + c)] = uint8_t(std::clamp<int64_t>(sum >> kPrecision, 0, 255));
        }
    return to;
  };
  Image out = in;
  if (width != in.width) {
    out.rgb = pass(out.rgb, in.height, width, int64_t(in.width) * 3, 3, int64_t(width) * 3, 3, windows(in.width, width));
    out.width = width;
  }
  if (height != in.height) {
    out.rgb = pass(out.rgb, width, height, 3, int64_t(width) * 3, 3, int64_t(width) * 3, windows(in.height, height));
    out.height = height;
  }
  return out;
}

}  // namespace

ImageSettings ImageSettings::parse(const std::string& text, std::string& error) {
  ImageSettings s;
  std::istringstream in(text);
  std::string item;
  while (std::getline(in, item, ',')) {
    const size_t equals = item.find('=');
    const std::string key = item.substr(0, equals), value = equals == item.npos ? "" : item.substr(equals + 1);
    Step step{};
    bool ok = true;
    if (key == "crop" && value == "square") s.steps.push_back({Step::Kind::kCropSquare, 0});
    else if (key == "crop" || key == "resize" || key == "shorter") {
      ok = parse_size(value, step.size);
      step.kind = key == "crop" ? Step::Kind::kCrop : key == "resize" ? Step::Kind::kResize : Step::Kind::kResizeShorter;
      s.steps.push_back(step);
    } else if (key == "mean") ok = parse_numbers(value, s.mean);
    else if (key == "std") ok = parse_numbers(value, s.std) && s.std[0] != 0 && s.std[1] != 0 && s.std[2] != 0;
    else if (key == "layout" && (value == "nchw" || value == "nhwc")) s.nhwc = value == "nhwc";
    else ok = false;
    if (!ok) {
      error = "image settings: '" + item + "' is not understood; expected crop=square|N, resize=N, shorter=N, mean=V[:V:V], std=V[:V:V], layout=nchw|nhwc";
      return s;
    }
  }
  return s;
}

std::vector<float> load_image(const std::string& path, const ImageSettings& settings, int& width, int& height, std::string& error) {
  Image image;
  int channels;
  uint8_t* pixels = stbi_load(path.c_str(), &image.width, &image.height, &channels, 3);
  if (pixels == nullptr) {
    error = path + ": " + stbi_failure_reason();
    return {};
  }
  image.rgb.assign(pixels, pixels + size_t(image.width) * size_t(image.height) * 3);
  stbi_image_free(pixels);
  using Kind = ImageSettings::Step::Kind;
  for (const auto& step : settings.steps) {
    const int shorter = std::min(image.width, image.height);
    switch (step.kind) {
      case Kind::kCropSquare: image = crop(image, shorter, shorter); break;
      case Kind::kCrop: image = crop(image, step.size, step.size); break;
      case Kind::kResize: image = resize(image, step.size, step.size); break;
      case Kind::kResizeShorter:
        image = image.width < image.height ? resize(image, step.size, int(int64_t(step.size) * image.height / image.width))
                                           : resize(image, int(int64_t(step.size) * image.width / image.height), step.size);
        break;
    }
  }
  width = image.width;
  height = image.height;
  const size_t plane = size_t(width) * size_t(height);
  std::vector<float> out(plane * 3);
  for (size_t i = 0; i < plane; ++i)
    for (size_t c = 0; c < 3; ++c)
      out[settings.nhwc ? i * 3 + c : c * plane + i] = (float(image.rgb[i * 3 + c]) - settings.mean[c]) / settings.std[c];
  return out;
}

}  // namespace glint::cli
