#pragma once

#include <array>
#include <string>
#include <vector>

#include "glint/base/result.h"

namespace glint::cli {

/// How a photograph becomes an input: the steps in order, then numbers. As text: "crop=square,resize=224,mean=127,std=128,layout=nchw".
struct ImageSettings {
  struct Step {
    enum class Kind { kCropSquare, kCrop, kResize, kResizeShorter } kind;
    int size = 0;   // pixels; kCropSquare needs none
  };
  std::vector<Step> steps;
  std::array<float, 3> mean{0, 0, 0}, std{1, 1, 1};
  bool nhwc = false;

  /// Reads the text form: crop=square|N (centre), resize=N (to N x N), shorter=N (shorter side to N), mean=V[:V:V], std=V[:V:V],
  /// layout=nchw|nhwc. An empty `error` when it worked.
  static ImageSettings parse(const std::string& text, std::string& error);
};

/// Loads a PNG or JPEG as RGB and applies the settings; bicubic with antialiasing, in 8 bits, as Pillow resizes.
/// values are [1,3,H,W] or [1,H,W,3]; `width` and `height` are set.
std::vector<float> load_image(const std::string& path, const ImageSettings& settings, int& width, int& height, std::string& error);

}  // namespace glint::cli
