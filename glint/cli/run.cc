#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "glint/cli/inputs.h"
#include "glint/cli/tensors.h"
#include "glint/cli/verb.h"
#include "glint/kernels/convert.h"
#include "glint/module/module.h"

namespace glint::cli {
namespace {

struct Flags {
  std::string program, method = "forward", output, labels;
  InputFlags in;
  std::vector<std::string> weights;
  size_t threads = 1;
  uint64_t seed = Generator::kDefaultSeed;
  bool json = false;
};

// ---- outputs ----

std::vector<double> elements(const OwnedTensor& t) {
  const OwnedTensor rows = t.row_major();
  std::vector<double> v(size_t(rows.numel()));
  kernels::load(rows.dtype(), rows.tensor().data, 1, rows.numel(), v.data());
  return v;
}

struct Class { size_t index; double probability; };

/// The five best of a row of scores; a row that is no distribution goes through softmax.
std::vector<Class> best_classes(std::vector<double> v) {
  const double sum = std::accumulate(v.begin(), v.end(), 0.0);
  const bool distribution = std::abs(sum - 1) < 1e-3 && *std::min_element(v.begin(), v.end()) >= 0;
  if (!distribution) {
    const double largest = *std::max_element(v.begin(), v.end());
    double total = 0;
    for (double& x : v) total += x = std::exp(x - largest);
    for (double& x : v) x /= total;
  }
  std::vector<Class> all;
  for (size_t i = 0; i < v.size(); ++i) all.push_back({i, v[i]});
  const size_t n = std::min<size_t>(5, all.size());
  std::partial_sort(all.begin(), all.begin() + long(n), all.end(), [](const Class& a, const Class& b) { return a.probability > b.probability; });
  all.resize(n);
  return all;
}

std::string summary(const ModuleValue& v) {
  if (const auto* t = std::get_if<OwnedTensor>(&v)) {
    const std::vector<double> e = elements(*t);
    std::string s = t->describe();
    if (e.size() <= 8) return s + fmt::format(" {}", fmt::join(e, " "));
    double low = INFINITY, high = -INFINITY, sum = 0;
    for (double x : e) low = std::min(low, x), high = std::max(high, x), sum += x;
    return s + fmt::format(" min {:.6g} mean {:.6g} max {:.6g}", low, sum / double(e.size()), high);
  }
  if (const auto* i = std::get_if<int64_t>(&v)) return fmt::format("int {}", *i);
  if (const auto* d = std::get_if<double>(&v)) return fmt::format("float {}", *d);
  if (const auto* b = std::get_if<bool>(&v)) return fmt::format("bool {}", *b);
  if (const auto* s = std::get_if<std::string>(&v)) return fmt::format("\"{}\"", *s);
  return "None";
}

int run(const Flags& f) {
  ModuleOptions options;
  options.threads = f.threads;
  options.weights = f.weights;
  Module module(f.program, options);
  if (!module.status().ok()) return fail(module.last_error());
  module.seed(f.seed);
  const auto info = module.method_info(f.method);
  if (!info.ok()) return fail(fmt::format("{}: there is no method {}; it has {}", f.program, f.method, fmt::join(module.method_names(), ", ")));
  std::vector<ModuleValue> inputs;
  std::string error;
  if (!f.in.gather(module, *info, inputs, error)) return fail(error);
  std::vector<std::string> labels;
  if (!f.labels.empty()) {
    std::ifstream in(f.labels);
    if (!in) return fail(f.labels + ": cannot be read");
    for (std::string line; std::getline(in, line);) labels.push_back(line);
  }
  if (const Status s = module.load_method(f.method); !s.ok()) return fail(module.last_error());
  const auto start = std::chrono::steady_clock::now();
  const auto outputs = module.execute(f.method, std::move(inputs));
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (!outputs.ok()) return fail(module.last_error());

  if (!f.output.empty()) {
    NamedTensors named;
    for (size_t i = 0; i < outputs->size(); ++i)
      if (const auto* t = std::get_if<OwnedTensor>(&(*outputs)[i])) named.emplace_back(fmt::format("output{}", i), *t);
    save_safetensors(f.output, named, error);
    if (!error.empty()) return fail(error);
  }
  std::vector<Class> best;
  if (!labels.empty()) {
    const auto* scores = outputs->empty() ? nullptr : std::get_if<OwnedTensor>(&(*outputs)[0]);
    const std::vector<double> v = scores != nullptr ? elements(*scores) : std::vector<double>();
    if (v.size() != labels.size()) return fail(fmt::format("{} has {} labels, but the first output has {} elements", f.labels, labels.size(), v.size()));
    best = best_classes(v);
  }
  if (f.json) {
    nlohmann::json j{{"ms", ms}};
    for (size_t i = 0; i < outputs->size(); ++i) j["outputs"].push_back(summary((*outputs)[i]));
    for (const Class& c : best) j["classes"].push_back({{"index", c.index}, {"label", labels[c.index]}, {"probability", c.probability}});
    fmt::print("{}\n", j.dump(2));
    return 0;
  }
  for (const Class& c : best) fmt::print("  {:6.3f}  {:4} {}\n", c.probability, c.index, labels[c.index]);
  if (best.empty())
    for (size_t i = 0; i < outputs->size(); ++i) fmt::print("output{} {}\n", i, summary((*outputs)[i]));
  fmt::print("  {:.1f} ms\n", ms);
  return 0;
}

}  // namespace

std::function<int()> setup_run(CLI::App& app) {
  auto f = std::make_shared<Flags>();
  app.add_option("program", f->program, "program (.pte)")->required();
  app.add_option("--method", f->method, "method to run")->capture_default_str();
  f->in.add(app);
  app.add_option("--weights", f->weights, "a .ptd or .safetensors file with the program's external weights")->allow_extra_args(false);
  app.add_option("--output", f->output, "write the outputs as output0, output1, ... to a .safetensors file");
  app.add_option("--labels", f->labels, "one class name a line: print the five best classes of the first output");
  app.add_option("--threads", f->threads, "threads; 0: one for each processor")->capture_default_str();
  app.add_option("--seed", f->seed, "of random operators, as torch.manual_seed")->capture_default_str();
  app.add_flag("--json", f->json, "as JSON");
  app.footer("Examples:\n"
             "  glint run model.pte --input x.npy\n"
             "  glint run model.pte --input all.safetensors --output out.safetensors\n"
             "  glint run net.pte --image cat.png --resize 256 --crop 224 --mean 123.7:116.3:103.5 --std 58.4:57.1:57.4 --labels names.txt");
  return [f] { return run(*f); };
}

}  // namespace glint::cli
