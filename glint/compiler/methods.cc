#include "glint/compiler/methods.h"

#include <algorithm>
#include <map>

#include "glint/compiler/ir/match.h"

namespace glint::compiler {
namespace {

using ir::Error;
using ir::Graph;
using ir::State;
using ir::Value;

[[noreturn]] void refuse(const std::string& message, const std::string& hint = {}) { throw Error(Code::kInvalidArgument, message, {}, {}, hint); }

/// The options of one method: bounds of others are left out, its own lose the method's name.
ImportOptions options_of(const std::string& method, const ImportOptions& options) {
  ImportOptions own = options;
  own.bounds.clear();
  for (const auto& [size, most] : options.bounds) {
    const size_t dot = size.find('.');
    if (dot == size.npos) own.bounds.emplace_back(size, most);
    else if (size.substr(0, dot) == method) own.bounds.emplace_back(size.substr(dot + 1), most);
  }
  return own;
}

void check_bounds(const ir::Module& module, const ImportOptions& options) {
  for (const auto& [size, most] : options.bounds) {
    const std::string method = size.substr(0, std::min(size.find('.'), size.size()));
    if (size.find('.') == size.npos) continue;
    if (std::none_of(module.methods.begin(), module.methods.end(), [&](const auto& g) { return g->name == method; }))
      refuse("the bound of '" + size + "' is for a method that is not compiled: " + method);
  }
}

/// What torch.export calls the value of a buffer: "b_layers_0_cache" for "layers.0.cache".
bool is_value_of(const Value& v, std::string name, char kind) {
  std::replace(name.begin(), name.end(), '.', '_');
  return v.name.size() == name.size() + 2 && v.name[0] == kind && v.name[1] == '_' && v.name.compare(2, name.npos, name) == 0;
}

class Sharing {
 public:
  explicit Sharing(ir::Module& module) {
    for (const auto& g : module.methods)
      for (const State& s : g->states) check(*g, s.name, s.value->type, s.initial);
    for (const auto& g : module.methods)
      for (const auto& [name, first] : states_) find_reader(*g, name, first);
  }

 private:
  struct First {
    const Graph* graph;
    ir::Type type;
    ir::ConstantPtr initial;
  };

  void check(const Graph& g, const std::string& name, const ir::Type& type, const ir::ConstantPtr& initial) {
    const auto [found, is_new] = states_.try_emplace(name, First{&g, type, initial});
    const First& first = found->second;
    if (is_new) return;
    const std::string methods = "the methods " + first.graph->name + " and " + g.name + " share the state '" + name + "', which ";
    if (!ir::same_type(type, first.type))
      refuse(methods + "is " + ir::describe(first.type, first.graph->symbols) + " in the one and " + ir::describe(type, g.symbols) + " in the other");
    const bool same = (initial == nullptr) == (first.initial == nullptr) && (initial == nullptr || initial->hash() == first.initial->hash());
    if (!same) refuse(methods + "starts with another value in each", "export all methods before any of them runs");
  }

  /// A buffer that `g` only reads was imported as a constant.
  void find_reader(Graph& g, const std::string& name, const First& first) {
    if (std::any_of(g.states.begin(), g.states.end(), [&](const State& s) { return s.name == name; })) return;
    for (Value* v : g.constants()) {
      if (!is_value_of(*v, name, 'b') && !is_value_of(*v, name, 'p')) continue;
      check(g, name, v->type, v->constant);
      g.replace_uses(v, g.add_state(name, v->type, first.initial));
      g.prune_constants();
      return;
    }
  }

  std::map<std::string, First> states_;
};

/// Errors name the archive where there are others.
std::unique_ptr<ir::Module> import_one(const Source& source, const ir::OpLookup& ops, const ImportOptions& options, bool name_it) {
  try {
    return import_pt2(source.path, ops, options_of(source.method, options));
  } catch (Error& e) {
    if (name_it) e.diagnostic.message = source.path + ": " + e.diagnostic.message;
    throw;
  }
}

}  // namespace

std::unique_ptr<ir::Module> import_methods(const Sources& sources, const ir::OpLookup& ops, const ImportOptions& options) {
  auto all = std::make_unique<ir::Module>();
  for (const Source& source : sources) {
    auto module = import_one(source, ops, options, sources.size() > 1);
    if (!source.method.empty()) {
      if (module->methods.size() != 1) refuse(source.path + ": the archive holds several programs, so one method cannot be made of it");
      module->methods[0]->name = source.method;
    }
    for (auto& g : module->methods) {
      if (std::any_of(all->methods.begin(), all->methods.end(), [&](const auto& other) { return other->name == g->name; }))
        refuse("two methods are called " + g->name, "name each one: METHOD=ARCHIVE");
      all->methods.push_back(std::move(g));
    }
  }
  check_bounds(*all, options);
  Sharing share(*all);
  return all;
}

}  // namespace glint::compiler
