#include <algorithm>
#include <chrono>

#include <sys/resource.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "glint/cli/inputs.h"
#include "glint/cli/verb.h"

namespace glint::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Flags {
  std::string program, method = "forward";
  InputFlags in;
  std::vector<std::string> weights;
  size_t threads = 1;
  double seconds = 2;
  bool json = false, operators = false;
};

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

/// Time by operator name.
class OperatorTimes final : public Trace {
 public:
  struct Row { int calls = 0; double ms = 0; };
  void ran(const Event& e) override {
    Row& row = rows[std::string(e.name) + (e.plan != nullptr && e.plan->algorithm[0] != 0 ? fmt::format(" ({}, {})", e.plan->algorithm, e.plan->kernel) : "")];
    ++row.calls;
    row.ms += double(e.end_ns - e.begin_ns) / 1e6;
  }
  std::map<std::string, Row> rows;
};

int run(const Flags& f) {
  OperatorTimes times;
  ModuleOptions options;
  options.threads = f.threads;
  options.weights = f.weights;
  options.borrow_outputs = true;
  if (f.operators) options.trace = &times;
  auto start = Clock::now();
  Module module(f.program, options);
  if (!module.status().ok()) return fail(module.last_error());
  const auto info = module.method_info(f.method);
  if (!info.ok()) return fail(fmt::format("{}: there is no method {}; it has {}", f.program, f.method, fmt::join(module.method_names(), ", ")));
  if (!module.load_method(f.method).ok()) return fail(module.last_error());
  const double load_ms = ms_since(start);

  std::vector<ModuleValue> inputs;
  std::string error;
  if (f.in.inputs.empty() && f.in.images.empty()) inputs = random_inputs(*info);
  else if (!f.in.gather(module, *info, inputs, error)) return fail(error);
  start = Clock::now();
  if (!module.execute(f.method, inputs).ok()) return fail(module.last_error());
  const double first_ms = ms_since(start);

  times.rows.clear();
  std::vector<double> ms;
  const auto begin = Clock::now();
  do {
    start = Clock::now();
    if (!module.execute(f.method, inputs).ok()) return fail(module.last_error());
    ms.push_back(ms_since(start));
    if (ms.size() % 16 == 0) show_progress(fmt::format("{} runs", ms.size()));
  } while (ms_since(begin) < f.seconds * 1000 || ms.size() < 3);
  show_progress("");
  std::sort(ms.begin(), ms.end());
  const auto quantile = [&](double q) { return ms[std::min(ms.size() - 1, size_t(q * double(ms.size())))]; };
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const uint64_t peak = uint64_t(usage.ru_maxrss) * 1024;
  const Cpu cpu = detect_cpu();
  if (f.json) {
    nlohmann::json j{{"program", f.program}, {"method", f.method}, {"threads", f.threads}, {"isa", isa_name(cpu.isa)}, {"load_ms", load_ms}, {"first_ms", first_ms}, {"runs", ms.size()},
                     {"median_ms", quantile(0.5)}, {"p10_ms", quantile(0.1)}, {"p90_ms", quantile(0.9)}, {"peak_rss_bytes", peak}, {"memory_bytes", module.memory_bytes()}};
    for (const auto& [name, row] : times.rows) j["operators"].push_back({{"name", name}, {"calls", double(row.calls) / double(ms.size())}, {"ms", row.ms / double(ms.size())}});
    fmt::print("{}\n", j.dump(2));
    return 0;
  }
  fmt::print("{} {}: {} threads, {}\n", f.program, f.method, f.threads, isa_name(cpu.isa));
  fmt::print("  load {:.2f} ms, first inference {:.2f} ms\n", load_ms, first_ms);
  fmt::print("  median {:.3f} ms, p10 {:.3f}, p90 {:.3f} ({} runs)\n", quantile(0.5), quantile(0.1), quantile(0.9), ms.size());
  fmt::print("  peak memory {}, of which the module took {}\n", human_bytes(peak), human_bytes(module.memory_bytes()));
  std::vector<std::pair<double, std::string>> rows;
  for (const auto& [name, row] : times.rows) rows.emplace_back(row.ms / double(ms.size()), fmt::format("{:5.0f} {}", double(row.calls) / double(ms.size()), name));
  std::sort(rows.rbegin(), rows.rend());
  for (const auto& [t, name] : rows) fmt::print("  {:8.3f} ms {}\n", t, name);
  return 0;
}

}  // namespace

std::function<int()> setup_bench(CLI::App& app) {
  auto f = std::make_shared<Flags>();
  app.add_option("program", f->program, "program (.pte)")->required();
  app.add_option("--method", f->method, "method to run")->capture_default_str();
  app.add_option("--threads", f->threads, "threads; 0: one for each processor")->capture_default_str();
  app.add_option("--seconds", f->seconds, "how long to measure")->check(CLI::Range(0.0, 3600.0))->capture_default_str();
  f->in.add(app);
  app.add_option("--weights", f->weights, "a .ptd or .safetensors file with the program's external weights")->allow_extra_args(false);
  app.add_flag("--operators", f->operators, "time by operator");
  app.add_flag("--json", f->json, "as JSON");
  app.footer("Examples:\n  glint bench model.pte --threads 2 --seconds 3\n  glint bench model.pte --operators");
  return [f] { return run(*f); };
}

}  // namespace glint::cli
