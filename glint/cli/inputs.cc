#include "glint/cli/inputs.h"

#include <cstdlib>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include "glint/cli/image.h"
#include "glint/cli/tensors.h"
#include "glint/kernels/convert.h"

namespace glint::cli {

std::vector<ModuleValue> random_inputs(const MethodInfo& info, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<ModuleValue> values;
  for (const PortInfo& port : info.inputs) {
    if (port.kind != Value::Kind::kTensor) {
      values.push_back(port.kind == Value::Kind::kFloat ? ModuleValue(1.0) : port.kind == Value::Kind::kBool ? ModuleValue(true) : port.kind == Value::Kind::kInt ? ModuleValue(int64_t(1)) : ModuleValue());
      continue;
    }
    OwnedTensor t(port.tensor.dtype, {port.tensor.sizes().begin(), port.tensor.sizes().end()});
    std::vector<double> elements(size_t(t.numel()));
    const bool real = is_floating(t.dtype()) || is_complex(t.dtype());
    for (double& e : elements) e = real ? normal(engine) : double(engine() & 1);
    kernels::store(t.dtype(), t.tensor().data, 1, t.numel(), elements.data());
    values.push_back(std::move(t));
  }
  return values;
}

namespace {

/// Settings from the command line, else those in the program, else none.
bool image_settings(const InputFlags& f, const Module& module, ImageSettings& settings, std::string& error) {
  std::string text;
  if (f.resize == 0 && f.crop == 0 && f.mean.empty() && f.std.empty() && f.layout.empty()) {
    if (const auto kept = module.program()->file().find_named_data("glint.preprocess")) text.assign(reinterpret_cast<const char*>(kept->data()), kept->size());
  } else {
    // As torchvision does: shorter side first, then the centre; without --crop the centre square is resized.
    if (f.crop > 0) text += fmt::format("{}crop={},", f.resize > 0 ? fmt::format("shorter={},", f.resize) : "", f.crop);
    else if (f.resize > 0) text += fmt::format("crop=square,resize={},", f.resize);
    if (!f.mean.empty()) text += "mean=" + f.mean + ",";
    if (!f.std.empty()) text += "std=" + f.std + ",";
    if (!f.layout.empty()) text += "layout=" + f.layout;
  }
  settings = ImageSettings::parse(text, error);
  return error.empty();
}

/// One value of the type that the program takes, from text ("3", "true", "0.5").
bool parse_number(const std::string& text, Value::Kind kind, ModuleValue& out) {
  char* end = nullptr;
  if (kind == Value::Kind::kBool && (text == "true" || text == "false")) return out = (text == "true"), true;
  if (kind == Value::Kind::kFloat) return out = std::strtod(text.c_str(), &end), *end == 0 && !text.empty();
  if (kind == Value::Kind::kInt) return out = int64_t(std::strtoll(text.c_str(), &end, 10)), *end == 0 && !text.empty();
  return false;
}

}  // namespace

void InputFlags::add(CLI::App& app) {
  app.add_option("--input", inputs, "a .npy file, a .safetensors file (tensors input0, input1, ... or with the inputs' names), or a number; repeat for more")->allow_extra_args(false);
  app.add_option("--image", images, "a PNG or JPEG photograph as input, RGB")->allow_extra_args(false);
  app.add_option("--resize", resize, "with --crop: shorter side to N; alone: the centre square to N x N")->check(CLI::Range(1, 16384));
  app.add_option("--crop", crop, "cut out the centre N x N")->check(CLI::Range(1, 16384));
  app.add_option("--mean", mean, "subtracted from 0..255 values: V or R:G:B");
  app.add_option("--std", std, "then divided by: V or R:G:B");
  app.add_option("--layout", layout, "nchw or nhwc")->check(CLI::IsMember({"nchw", "nhwc"}));
}

bool InputFlags::gather(const Module& module, const MethodInfo& info, std::vector<ModuleValue>& values, std::string& error) const {
  values.assign(info.inputs.size(), {});
  std::vector<bool> given(info.inputs.size());
  size_t next = 0;
  const auto put = [&](ModuleValue v) {
    while (next < given.size() && given[next]) ++next;
    if (next == given.size()) return error = fmt::format("too many inputs: the method takes {}", given.size()), false;
    values[next] = std::move(v);
    given[next] = true;
    return true;
  };
  for (const std::string& path : inputs) {
    const bool is_file = std::ifstream(path).good();
    if (!is_file) {  // a number for an input that is one
      while (next < given.size() && given[next]) ++next;
      ModuleValue v;
      if (next < given.size() && parse_number(path, info.inputs[next].kind, v)) {
        if (!put(std::move(v))) return false;
        continue;
      }
    }
    NamedTensors tensors = load_tensors(path, error);
    if (!error.empty()) return false;
    if (tensors.size() == 1 && tensors[0].first.empty()) {
      if (!put(std::move(tensors[0].second))) return false;
      continue;
    }
    size_t used = 0;
    for (size_t i = 0; i < given.size(); ++i)
      for (auto& [name, t] : tensors)
        if (!given[i] && (name == fmt::format("input{}", i) || (!info.inputs[i].name.empty() && name == info.inputs[i].name))) values[i] = t, given[i] = true, ++used;
    if (used == 0) return error = fmt::format("{}: none of its {} tensors is called input0, ... or has the name of an input", path, tensors.size()), false;
  }
  for (const std::string& path : images) {
    ImageSettings settings;
    if (!image_settings(*this, module, settings, error)) return false;
    int width = 0, height = 0;
    std::vector<float> pixels = load_image(path, settings, width, height, error);
    if (!error.empty()) return false;
    if (!put(settings.nhwc ? OwnedTensor(std::move(pixels), {1, height, width, 3}) : OwnedTensor(std::move(pixels), {1, 3, height, width}))) return false;
  }
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i]) return error = fmt::format("input {} is missing: {}", i, info.inputs[i].describe()), false;
  return true;
}

}  // namespace glint::cli
