// Compiles a model, runs it, and compares every instruction's results with the unfused interpretation of the imported graph.

#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "glint/cli/inputs.h"
#include "glint/cli/options.h"
#include "glint/cli/verb.h"
#include "glint/compiler/ir/interpret.h"
#include "glint/core/shape.h"
#include "glint/kernels/convert.h"

namespace glint::cli {
namespace {

struct Flags {
  CompileFlags compile;
  InputFlags in;
  std::string model;
  double tolerance = 1e-4;
  unsigned seed = 0;
  bool json = false, all = false;
};

using Elements = std::vector<double>;

Elements elements_of(const Tensor& t) {
  Elements v(size_t(t.numel()));
  for (size_t i = 0; i < v.size(); ++i) v[i] = kernels::load_one<double>(t.dtype, t.data, element_offset(t, int64_t(i)));
  return v;
}

/// |got - want| over the largest magnitude of want; infinite when one is NaN or infinite where the other is not.
double relative_error(const Elements& got, const Elements& want) {
  double worst = 0, largest = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    if (!std::isfinite(want[i]) || !std::isfinite(got[i])) {
      if (!(got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i])))) return INFINITY;
      continue;
    }
    largest = std::max(largest, std::abs(want[i]));
    worst = std::max(worst, std::abs(got[i] - want[i]));
  }
  return largest > 0 ? worst / largest : worst;
}

/// What the reference computed for each value of the imported graph: the last result that came of it.
struct Reference {
  struct Row { Elements elements; DType dtype; };
  std::map<std::string, Row> rows;
};

/// Compares the results of every instruction while the program runs.
class Comparison final : public Trace {
 public:
  struct Row { std::string value, op, origin; double error; };
  Comparison(const Reference& reference) : reference_(reference) {}
  void ran(const Event& e) override {
    if (!method || e.results.empty() || e.results[0].kind != Value::Kind::kTensor) return;
    const std::string origin(method->origin(uint32_t(e.instruction)));
    const std::string value = origin.substr(0, origin.find(' '));
    const auto found = reference_.rows.find(value);
    if (found == reference_.rows.end()) return;
    const Tensor& t = *e.results[0].tensor;
    // An instruction on the way to the value may have as many elements too: the last one counts. Sizes may differ by a reshape.
    if (t.dtype != found->second.dtype || size_t(t.numel()) != found->second.elements.size()) return;
    const Row row{value, std::string(e.name), origin, relative_error(elements_of(t), found->second.elements)};
    if (const auto at = index_.find(value); at != index_.end()) rows[at->second] = row;
    else index_[value] = rows.size(), rows.push_back(row);
  }
  std::optional<PteMethod> method;
  std::vector<Row> rows;

 private:
  const Reference& reference_;
  std::map<std::string, size_t> index_;
};

ir::Item to_item(const ModuleValue& v) {
  if (const auto* t = std::get_if<OwnedTensor>(&v)) {
    const OwnedTensor rows = t->row_major();
    return ir::Item::tensor(rows.dtype(), rows.sizes(), {static_cast<const std::byte*>(rows.tensor().data), rows.tensor().size_bytes()});
  }
  if (const auto* i = std::get_if<int64_t>(&v)) return ir::Item::of(*i);
  if (const auto* d = std::get_if<double>(&v)) return ir::Item::of(*d);
  if (const auto* b = std::get_if<bool>(&v)) return ir::Item::of(*b);
  ir::Item none;
  none.none = true;
  return none;
}

int verify(const Flags& f) {
  compiler::CompileOptions options;
  if (!f.compile.to_options(options)) return 2;
  compiler::CompileReport report;
  std::string message;
  std::vector<std::byte> bytes;
  show_progress("compiling");
  if (const Status s = compiler::compile(f.model, bytes, options, report, message); !s.ok()) return fail(fmt::format("{}: {}", f.model, message));
  const auto file = PteFile::open(bytes);
  if (!file.ok()) return fail(file.status().why());

  Reference reference;
  Comparison comparison(reference);
  ModuleOptions module_options;
  module_options.trace = &comparison;
  Module module(std::span<const std::byte>(bytes), module_options);
  if (!module.status().ok()) return fail(module.last_error());
  const auto graphs = compiler::import_pt2(f.model, compiler::op_lookup(), options.import);
  compiler::lower_to_core(*graphs, options);

  int diverging = 0;
  nlohmann::json j = nlohmann::json::array();
  Generator generator;  // the program's session starts from the same seed
  for (const auto& graph : graphs->methods) {
    const auto info = module.method_info(graph->name);
    if (!info.ok()) return fail(fmt::format("the program has no method {}", graph->name));
    std::vector<ModuleValue> inputs;
    std::string error;
    if (f.in.inputs.empty() && f.in.images.empty()) inputs = random_inputs(*info, f.seed);
    else if (!f.in.gather(module, *info, inputs, error)) return fail(error);
    std::vector<ir::Item> items;
    for (const ModuleValue& v : inputs) items.push_back(to_item(v));
    show_progress("interpreting the reference");
    reference.rows.clear();
    ir::StateStore states;
    const ir::Interpretation want = ir::interpret(*graph, items, states, [&](const ir::Node& n, std::span<const ir::Item> results) {
      if (n.origin == nullptr || n.origin->name.empty() || results.empty() || results[0].none || results[0].kind != ir::Type::Kind::kTensor) return;
      reference.rows[n.origin->name] = {results[0].values(), results[0].meta.dtype};
    }, &generator);
    comparison.method = file->find_method(graph->name);
    comparison.rows.clear();
    show_progress("running the program");
    const auto got = module.execute(graph->name, inputs);
    show_progress("");
    if (!got.ok()) return fail(module.last_error());

    double worst = 0;
    std::vector<double> output_errors;
    for (size_t i = 0; i < want.outputs.size() && i < got->size(); ++i) {
      const auto* t = std::get_if<OwnedTensor>(&(*got)[i]);
      if (t == nullptr || want.outputs[i].none || want.outputs[i].kind != ir::Type::Kind::kTensor) continue;
      const Elements e = elements_of(t->tensor()), w = want.outputs[i].values();
      output_errors.push_back(e.size() == w.size() ? relative_error(e, w) : INFINITY);
      worst = std::max(worst, output_errors.back());
    }
    const Comparison::Row* first = nullptr;
    for (const auto& row : comparison.rows) {
      if (first == nullptr && row.error > f.tolerance) first = &row;
    }
    const bool bad = worst > f.tolerance;
    diverging += bad;
    if (f.json) {
      nlohmann::json m{{"method", graph->name}, {"output_errors", output_errors}, {"compared", comparison.rows.size()}, {"diverges", bad}};
      for (const auto& row : comparison.rows)
        if (f.all || (bad && &row == first)) m["operators"].push_back({{"value", row.value}, {"operator", row.op}, {"error", row.error}, {"origin", row.origin}});
      j.push_back(m);
      continue;
    }
    if (f.all)
      for (const auto& row : comparison.rows) fmt::print("  {:9.2e} {:30} {}\n", row.error, row.op, row.origin);
    fmt::print("{}: {} outputs within {:.2e} of the reference, {} operators compared\n", graph->name, output_errors.size(), worst, comparison.rows.size());
    if (bad && first != nullptr)
      fmt::print("  first to diverge: {} of value {}, off by {:.3e} (allowed {:.0e})\n    {}\n", first->op, first->value, first->error, f.tolerance, first->origin);
    else if (bad) fmt::print("  no single operator diverges: the difference arises where instructions meet (memory, views, outputs)\n");
  }
  if (f.json) fmt::print("{}\n", j.dump(2));
  return diverging > 0 ? 1 : 0;
}

int run(const Flags& f) {
  try {
    return verify(f);
  } catch (const ir::Error& e) {
    return fail(fmt::format("{}: {}", f.model, e.diagnostic.text()));
  }
}

}  // namespace

std::function<int()> setup_verify(CLI::App& app) {
  auto f = std::make_shared<Flags>();
  app.add_option("model", f->model, "archive written by torch.export.save (.pt2)")->required();
  f->compile.add(app);
  f->in.add(app);
  app.add_option("--tolerance", f->tolerance, "largest error, relative to the largest magnitude of a result")->capture_default_str();
  app.add_option("--seed", f->seed, "of the random inputs")->capture_default_str();
  app.add_flag("--all", f->all, "list every operator that was compared");
  app.add_flag("--json", f->json, "as JSON");
  app.footer("Examples:\n  glint verify model.pt2\n  glint verify model.pt2 --input x.npy --all");
  return [f] { return run(*f); };
}

}  // namespace glint::cli
