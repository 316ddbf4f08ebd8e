#include "glint/compiler/import/pt2.h"

#include <gtest/gtest.h>

#include <limits>

#include "glint/compiler/decompose/decompose.h"
#include "glint/compiler/import/export_names.h"
#include "glint/compiler/import/test_archive.h"
#include "glint/compiler/ir/ir.h"
#include "glint/ops/ops.h"

namespace glint::compiler {
namespace {

using test::Archive;

const std::string kData = GLINT_SOURCE_DIR "/tests/data/";

const ir::OpLookup& lookup() {
  static const ir::OpLookup ops(ops::all(), composite_schemas());
  return ops;
}

std::unique_ptr<ir::Graph> load(const std::string& file, const ImportOptions& options = {}) {
  auto module = import_pt2(kData + file, lookup(), options);
  EXPECT_EQ(module->methods.size(), 1u);
  ir::verify(*module->methods[0], ir::Stage::kImported);
  return std::move(module->methods[0]);
}

template <class T = float>
std::vector<T> elements(const ir::ConstantPtr& c) {
  std::vector<T> v(c->size() / sizeof(T));
  const Status s = c->read(std::as_writable_bytes(std::span(v)));
  EXPECT_TRUE(s.ok()) << s.why();
  return v;
}

ir::Node* node(const ir::Graph& g, std::string_view op, int skip = 0) {
  for (ir::Node* n : g.nodes())
    if (n->is(op) && skip-- == 0) return n;
  ADD_FAILURE() << "no " << op << " in\n" << ir::print(g);
  return nullptr;
}

std::string type(const ir::Graph& g, const ir::Value* v) { return ir::describe(v->type, g.symbols); }

// ---- Archives of three releases

class Releases : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, Releases, testing::Values("2.5", "2.13", "2.14"));

TEST_P(Releases, Net) {
  const auto g = load("archives/torch-" + std::string(GetParam()) + "/net.pt2");
  EXPECT_EQ(g->name, "forward");
  ASSERT_EQ(g->inputs.size(), 1u);
  EXPECT_EQ(g->inputs[0]->name, "x");
  EXPECT_EQ(type(*g, g->inputs[0]), "f32[1,3,16,16]");
  EXPECT_EQ(g->outputs.size(), 1u);
  EXPECT_TRUE(g->states.empty());
  EXPECT_NE(g->in_spec.find("builtins.tuple"), g->in_spec.npos);
  const ir::Node* conv = node(*g, "aten::conv2d");
  EXPECT_EQ(conv->arg("stride").ints(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(conv->arg("groups").as_int(), 1);  // a default, filled in
  EXPECT_EQ(type(*g, conv->input(1)), "f32[8,3,3,3]");
  EXPECT_EQ(conv->origin->source.substr(0, 20), "old.py:8 in forward:");
  EXPECT_EQ(conv->origin->module_path.substr(0, 3), "c (");
  const ir::Node* shift = node(*g, "aten::add.Tensor");
  EXPECT_EQ(elements(shift->input(1)->constant), (std::vector<float>{0, 1, 2, 3, 4}));
}

TEST_P(Releases, DynamicAttention) {
  const auto g = load("archives/torch-" + std::string(GetParam()) + "/attention_dynamic.pt2");
  ASSERT_EQ(g->symbols.size(), 1);
  EXPECT_EQ(g->symbols[0].min, 2);
  EXPECT_EQ(g->symbols[0].max, 32);
  EXPECT_FALSE(g->symbols[0].data_dependent);
  EXPECT_EQ(type(*g, g->inputs[0]), "i64[1," + g->symbols[0].name + "]");
  const auto narrow = load("archives/torch-" + std::string(GetParam()) + "/attention_dynamic.pt2", {{{g->symbols[0].name, 8}}});
  EXPECT_EQ(narrow->symbols[0].max, 8);
}

TEST_P(Releases, State) {
  const auto g = load("archives/torch-" + std::string(GetParam()) + "/state.pt2");
  ASSERT_EQ(g->states.size(), 1u);
  EXPECT_EQ(g->states[0].name, "h");
  EXPECT_EQ(elements(g->states[0].initial), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(g->outputs.size(), 2u);
  EXPECT_EQ(g->output_names, (std::vector<std::string>{"mul_1", "sum_1"}));
  if (std::string(GetParam()) == "2.5") EXPECT_EQ(g->states[0].final, node(*g, "aten::copy")->result());  // functional
  else EXPECT_EQ(node(*g, "aten::copy_")->input(0), g->states[0].value);
}

// ---- Corners

TEST(Pt2, WeightsAreViewsOfStorages) {
  const auto g = load("import/weights.pt2");
  const auto find = [&](const char* name) { return g->find_value(name); };
  EXPECT_EQ(elements(find("p_a")->constant), (std::vector<float>{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(elements(find("p_b")->constant), (std::vector<float>{4, 8, 12, 5, 9, 13, 6, 10, 14, 7, 11, 15}));
  EXPECT_EQ(find("p_a")->constant, find("p_tied")->constant);
  EXPECT_EQ(elements(find("b_spread")->constant), (std::vector<float>{1, 6, 11, 16, 21}));
  EXPECT_EQ(elements(find("b_row")->constant), std::vector<float>(6, 7.0f));
  EXPECT_EQ(elements(find("b_hidden")->constant), (std::vector<float>{1.5f, -2.5f}));
  EXPECT_EQ(elements<int64_t>(find("c_k")->constant), (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(elements<uint16_t>(find("b_bf")->constant), (std::vector<uint16_t>{0x3f00, 0xbf80}));
  EXPECT_EQ(find("b_empty")->constant->size(), 0u);
  const std::vector<float> b = elements(find("p_b")->constant);
  const std::string bytes(reinterpret_cast<const char*>(b.data()), b.size() * sizeof(float));
  EXPECT_EQ(find("p_b")->constant->hash(), ir::make_constant(test::bytes_of(bytes))->hash());
}

TEST(Pt2, NestedInputsAndConstantsAmongThem) {
  const auto g = load("import/inputs.pt2");
  std::vector<std::string> names;
  for (const ir::Value* v : g->inputs) names.push_back(v->name);
  EXPECT_EQ(names, (std::vector<std::string>{"pair_0", "pair_1_0", "n", "options_w"}));
  EXPECT_EQ(g->inputs[2]->type.kind, ir::Type::Kind::kInt);
  EXPECT_EQ(node(*g, "executorch_prim::add.Scalar")->input(0), g->inputs[2]);
  ASSERT_EQ(g->outputs.size(), 5u);
  EXPECT_EQ(g->outputs[1].value(), g->inputs[3]);
  EXPECT_EQ(g->outputs[3].as_int(), 3);
  EXPECT_TRUE(g->outputs[4].is_none());
  EXPECT_NE(g->out_spec.find("builtins.dict"), g->out_spec.npos);
  EXPECT_EQ(load("import/constant_inputs.pt2")->inputs.size(), 1u);
}

TEST(Pt2, BuffersThatChangeAreStates) {
  for (const char* file : {"import/mutation.pt2", "import/functional_mutation.pt2"}) {
    const auto g = load(file);
    std::vector<std::string> names;
    for (const ir::State& s : g->states) names.push_back(s.name);
    EXPECT_EQ(names, (std::vector<std::string>{"cache", "bn.running_mean", "bn.running_var", "bn.num_batches_tracked"})) << file;
    EXPECT_EQ(g->constants().size(), 1u) << file;
    EXPECT_EQ(g->outputs.size(), 2u) << file;
  }
  const auto g = load("import/functional_mutation.pt2");
  ASSERT_EQ(g->mutations.size(), 1u);
  EXPECT_EQ(g->mutations[0].input, 0u);
  EXPECT_EQ(g->mutations[0].final, g->nodes()[0]->result());
  for (const ir::State& s : g->states) EXPECT_NE(s.final, nullptr) << s.name;
}

TEST(Pt2, SymbolicSizes) {
  const auto g = load("import/symbols.pt2");
  const std::string n = g->symbols[0].name, m = g->symbols[1].name;
  EXPECT_EQ(type(*g, g->inputs[1]), "f32[2*" + m + "]");
  const auto at = [&](const ir::Arg& output) {
    const ir::Type& t = output.value()->type;
    return g->symbols.evaluate(t.is_tensor() ? t.dims.back() : t.number, {6, 4});
  };
  EXPECT_EQ(at(g->outputs[0]), 6 / 2 + 2);
  EXPECT_EQ(at(g->outputs[1]), 8 + 3);
  EXPECT_EQ(at(g->outputs[2]), 4);
  EXPECT_EQ(at(g->outputs[3]), 9 / 4 * 2 + 0);
  EXPECT_EQ(at(g->outputs[4]), 6 * 8 - 1);
  EXPECT_EQ(at(g->outputs[6]), 3);
}

TEST(Pt2, DataDependentSizes) {
  const auto g = load("import/data_dependent.pt2");
  const ir::Symbol& k = g->symbols[g->symbols.find("u0")];
  EXPECT_TRUE(k.data_dependent);
  EXPECT_EQ(k.min, 1);
  EXPECT_EQ(k.max, 6);
  EXPECT_EQ(type(*g, node(*g, "aten::item")->result()), "int(u0)");
  EXPECT_EQ(node(*g, "aten::_assert_scalar")->results().size(), 0u);
}

TEST(Pt2, ControlFlowHasRegions) {
  const auto g = load("import/control_flow.pt2");
  const ir::Node* cond = node(*g, "higher_order::cond");
  ASSERT_EQ(cond->regions.size(), 2u);
  EXPECT_EQ(cond->args().size(), 2u);  // the predicate; the operands, which are the regions' inputs
  EXPECT_EQ(cond->regions[0]->inputs.size(), cond->arg(1).list().size());
  EXPECT_EQ(cond->regions[0]->nodes()[0]->op, "aten::mul.Tensor");
  EXPECT_EQ(cond->regions[1]->nodes()[0]->op, "aten::sub.Tensor");
  const ir::Node* loop = node(*g, "higher_order::while_loop");
  EXPECT_EQ(loop->regions.size(), 2u);
  EXPECT_EQ(loop->results().size(), 2u);
  EXPECT_EQ(loop->regions[1]->outputs.size(), 2u);
  EXPECT_EQ(g->outputs[0].value()->producer->op, g->nodes().back()->op);  // no_grad left nothing behind
  EXPECT_EQ(load("import/loops.pt2")->nodes().size(), 2u);
}

TEST(Pt2, ArgumentsOfEveryKind) {
  const auto g = load("import/arguments.pt2");
  EXPECT_TRUE(g->inputs[0]->type.dim_order.empty());  // although the example was channels last
  EXPECT_EQ(node(*g, "aten::clamp")->arg("min").as_float(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(node(*g, "aten::to.dtype")->arg("dtype").as_dtype(), DType::kF64);
  EXPECT_TRUE(node(*g, "aten::index.Tensor")->arg("indices").list()[0].is_none());
  EXPECT_EQ(node(*g, "aten::mean.dim")->arg("dim").ints(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(node(*g, "aten::cat")->arg("tensors").list().size(), 2u);
  EXPECT_EQ(node(*g, "aten::split_with_sizes")->results().size(), 2u);
  EXPECT_EQ(node(*g, "aten::clone")->args()[1].as_int(), int64_t(MemoryFormat::kContiguous));
}

TEST(Pt2, UnknownOperatorsStay) {
  const ir::OpLookup none(OpTable{}, {});
  const auto module = import_pt2(kData + "archives/torch-2.14/net.pt2", none);
  const ir::Node* conv = node(*module->methods[0], "aten::conv2d");
  EXPECT_EQ(conv->schema, nullptr);
  EXPECT_EQ(conv->unknown_arg_names[0], "input");
  EXPECT_EQ(conv->unknown_arg_names.size(), conv->args().size());
}

TEST(Pt2, Names) {
  EXPECT_EQ(operator_name("torch.ops.aten.relu.default"), "aten::relu");
  EXPECT_EQ(operator_name("torch.ops.aten.add.Tensor"), "aten::add.Tensor");
  EXPECT_EQ(operator_name("torch.ops.higher_order.cond"), "higher_order::cond");
  EXPECT_EQ(operator_name("torch.ops.quantized_decomposed.quantize_per_tensor.default"), "quantized_decomposed::quantize_per_tensor");
  EXPECT_EQ(operator_name("_operator.floordiv"), "executorch_prim::floordiv.Scalar");
  EXPECT_EQ(operator_name("torch._sym_sqrt"), "executorch_prim::sym_sqrt.Scalar");
  EXPECT_EQ(operator_name("something.else"), "something.else");
  EXPECT_TRUE(is_in_place("aten::add_.Tensor"));
  EXPECT_TRUE(is_in_place("aten::__iadd__.Tensor"));
  EXPECT_FALSE(is_in_place("aten::__and__.Tensor"));
  EXPECT_FALSE(is_in_place("aten::detach_"));
  EXPECT_FALSE(is_in_place("aten::add.Tensor"));
  for (int64_t n = -1; n < 40; ++n) EXPECT_TRUE(!dtype_of_export(n) || !foreign_dtype_name(n));
  EXPECT_EQ(dtype_of_export(7), DType::kF32);
  EXPECT_EQ(dtype_of_export(12), DType::kBool);
}

// ---- What is refused

std::string error_of(const Archive& a) {
  try {
    const auto module = import_pt2_bytes(test::bytes_of(a.build()), lookup());
    for (const ir::Value* v : module->methods[0]->constants()) elements<std::byte>(v->constant);
  } catch (const ir::Error& e) {
    return std::string(code_name(e.diagnostic.code)) + ": " + e.diagnostic.text();
  }
  return "";
}

/// The error after replacing `from` by `to` in an entry.
std::string error_of(const std::string& file, const std::string& entry, const std::string& from, const std::string& to) {
  Archive a = Archive::parse(test::read_file(kData + file));
  std::string& text = a[entry];
  const size_t at = text.find(from);
  if (at == text.npos) return "the test's text is not there";
  text.replace(at, from.size(), to);
  return error_of(a);
}

TEST(Pt2, RefusesHostileJson) {
  const std::string net = "archives/torch-2.14/net.pt2", state = "archives/torch-2.14/state.pt2",
      dynamic = "archives/torch-2.14/attention_dynamic.pt2";
  struct Case { std::string file, entry, from, to, error; } const cases[] = {
      {net, "model.json", "{", "", "invalid program"},
      {net, "model.json", "\"major\": 8", "\"major\": 9", "export schema version 9"},
      {net, "model.json", "\"major\": 8", "\"major\": 1e400", "invalid program"},
      {net, "model.json", "\"graph_module\"", "\"x\"", "'graph_module' is missing"},
      {net, "model.json", "\"graph_module\": {", "\"graph_module\": " + std::string(100000, '['), "invalid program"},
      {net, "model.json", "{\"as_tensor\": {\"name\": \"relu\"}}", "{\"as_tensor\": {\"name\": \"gone\"}}", "'gone'"},
      {net, "model.json", "\"sizes\": [{\"as_int\": 8}", "\"sizes\": [{\"as_int\": -8}", "negative size"},
      {net, "model.json", "\"sizes\": [{\"as_int\": 8}", "\"sizes\": [{\"as_int\": 99999999999999999999}", "invalid program"},
      {net, "model.json", "\"dtype\": 7", "\"dtype\": 77", "element type that does not exist"},
      {net, "model.json", "\"dtype\": 7", "\"dtype\": 29", "unsupported"},
      {net, "model.json", "\"layout\": 7", "\"layout\": 1", "sparse"},
      {net, "model.json", "\"parameter_name\": \"c.weight\"", "\"parameter_name\": \"c.other\"", "no weight 'c.other'"},
      {net, "model_weights_config.json", "\"weight_0\"", "\"../../weight_0\"", "no entry"},
      {net, "model_weights_config.json", "\"as_int\": 8", "\"as_int\": 9", ""},
      {net, "model_weights_config.json", "\"storage_offset\": {\"as_int\": 0}", "\"storage_offset\": {\"as_int\": 1}", "needs"},
      {net, "model_weights_config.json", "\"storage_offset\": {\"as_int\": 0}", "\"storage_offset\": {\"as_int\": -1}",
          "before its storage"},
      {net, "model_weights_config.json", "\"strides\": [{\"as_int\": 27}", "\"strides\": [{\"as_int\": -27}", "negative stride"},
      {net, "model_weights_config.json", "\"strides\": [{\"as_int\": 27}", "\"strides\": [{\"as_int\": 9223372036854775807}", "too large"},
      {net, "model_weights_config.json", "\"use_pickle\": false", "\"use_pickle\": true", "invalid program"},
      {net, "archive_format", "pt2", "pt3", "not 'pt2'"},
      {net, "byteorder", "little", "big", "big endian"},
      {net, "archive_version", "0", "7", "version '7'"},
      {dynamic, "model.json", "\"min_val\": 2, \"max_val\": 32", "\"min_val\": 33, \"max_val\": 32", "range"},
      {dynamic, "model.json", "\"Symbol(", "\"Symbol((", "size expression"},
      {state, "model.json", "\"outputs\": [{\"as_tensor\": {\"name\": \"add\"}}]", "\"outputs\": [{\"as_tensor\": {\"name\": \"mul\"}}]",
          "defined twice"},
      {state, "model.json", "{\"as_float\": 0.5}", "{\"as_string\": \"x\"}", "wrong kind"},
      {state, "model.json", "{\"as_float\": 0.5}", "{\"as_complex\": {\"real\": 1, \"imag\": 0}}", "complex"},
      {state, "model.json", "{\"as_float\": 0.5}", "{\"as_custom_obj\": {\"name\": \"x\", \"class_fqn\": \"y\"}}", "custom object"},
      {state, "model.json", "{\"as_float\": 0.5}", "{\"as_float\": 0.5, \"as_int\": 1}", "both"},
      {state, "model.json", "{\"as_float\": 0.5}", "{}", "no kind"},
      {state, "model.json", "\"name\": \"other\"", "\"name\": \"self\"", "given twice"},
  };
  for (const Case& c : cases) {
    const std::string error = error_of(c.file, c.entry, c.from, c.to);
    EXPECT_FALSE(error.empty()) << c.from << " -> " << c.to.substr(0, 60);
    EXPECT_NE(error.find(c.error), error.npos) << c.from << " -> " << c.to.substr(0, 60) << "\n  gave: " << error;
  }
}

TEST(Pt2, ErrorsOfNodesTellWhereTheyAre) {
  const std::string error = error_of("archives/torch-2.14/state.pt2", "model.json", "{\"as_float\": 0.5}", "{\"as_string\": \"x\"}");
  EXPECT_NE(error.find("aten::mul.Tensor: argument 'other' has the wrong kind"), error.npos) << error;
  EXPECT_NE(error.find("old.py:16 in forward"), error.npos) << error;
}

TEST(Pt2, RefusesArchivesThatLackEntries) {
  for (const char* name : {"model.json", "archive_format", "archive_version", ".data/version", "model_weights_config.json",
      "model_constants_config.json", "weight_0"}) {
    Archive a = Archive::parse(test::read_file(kData + "archives/torch-2.14/net.pt2"));
    a.drop(name);
    EXPECT_NE(error_of(a), "") << name;
  }
  for (const char* name : {"serialized_exported_program.json", "version", "serialized_state_dict.pt", "serialized_constants.pt"}) {
    Archive a = Archive::parse(test::read_file(kData + "archives/torch-2.5/net.pt2"));
    a.drop(name);
    EXPECT_NE(error_of(a), "") << name;
  }
  EXPECT_NE(error_of(Archive{}), "");
}

TEST(Pt2, RefusesPicklesThatLie) {
  Archive outer = Archive::parse(test::read_file(kData + "archives/torch-2.5/net.pt2"));
  const auto with = [&](auto&& change) {
    Archive a = outer, inner = Archive::parse(outer["serialized_state_dict.pt"]);
    change(inner);
    a["serialized_state_dict.pt"] = inner.build();
    return error_of(a);
  };
  EXPECT_EQ(with([](Archive&) {}), "");
  EXPECT_NE(with([](Archive& a) { a["byteorder"] = "big"; }).find("big endian"), std::string::npos);
  EXPECT_NE(with([](Archive& a) { a["data/0"] = "short"; }), "");
  EXPECT_NE(with([](Archive& a) { a.drop("data/0"); }), "");
  EXPECT_NE(with([](Archive& a) { a.drop("data.pkl"); }), "");
  EXPECT_NE(with([](Archive& a) { a["data.pkl"] = "cos\nsystem\n(X\2\0\0\0lstR."; }), "");
}

TEST(Pt2, PickledWeightsInTheNewLayout) {
  // As PyTorch 2.8 wrote them: the dictionary of an older archive, under the newer names.
  Archive old = Archive::parse(test::read_file(kData + "archives/torch-2.5/net.pt2"));
  Archive a = Archive::parse(test::read_file(kData + "archives/torch-2.14/net.pt2"));
  const std::string root = a.entries[0].name.substr(0, a.entries[0].name.find('/') + 1);
  a.drop("_config.json");
  a.entries.push_back({root + "data/weights/model.pt", old["serialized_state_dict.pt"]});
  a.entries.push_back({root + "data/constants/model.pt", old["serialized_constants.pt"]});
  EXPECT_EQ(error_of(a), "");
}

TEST(Pt2, SingleWeightsMayBePickled) {
  using namespace std::string_literals;
  const auto text = [](const std::string& s) { return "X"s + char(s.size()) + "\0\0\0"s + s; };
  const auto pickle = [&](const std::string& sizes) {
    return "\x80\2ctorch._utils\n_rebuild_tensor_v2\n(("s + text("storage") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") +
        "K\4tQK\0"s + sizes +
           "\x89" "ccollections\nOrderedDict\n)RtR."s;
  };
  const auto with = [&](const std::string& data) {
    Archive a = Archive::parse(test::read_file(kData + "archives/torch-2.14/state.pt2")), inner;
    inner["archive/data.pkl"] = data;
    inner["archive/data/0"] = std::string(16, '\1');
    a["weight_0"] = inner.build();
    std::string& config = a["model_weights_config.json"];
    config.replace(config.find("\"use_pickle\": false"), 19, "\"use_pickle\": true");
    return error_of(a);
  };
  EXPECT_EQ(with(pickle("K\1K\4\x86K\4K\1\x86"s)), "");
  EXPECT_NE(with(pickle("K\1K\5\x86K\5K\1\x86"s)), "");                      // beyond the storage
  EXPECT_NE(with(pickle("K\1K\2\x86K\4K\1\x86"s)), "");                      // not what the graph states
  EXPECT_NE(with(pickle("K\1K\4\x86J\xff\xff\xff\xffK\1\x86"s)), "");        // a negative stride
  EXPECT_NE(with("\x80\2}."s), "");
}

TEST(Pt2, BoundsMustNameASize) {
  try {
    load("archives/torch-2.14/attention_dynamic.pt2", {{{"batch", 8}}});
    FAIL();
  } catch (const ir::Error& e) {
    EXPECT_EQ(e.diagnostic.code, Code::kInvalidArgument);
    EXPECT_NE(e.diagnostic.message.find("'batch'"), std::string::npos);
  }
  EXPECT_THROW(load("archives/torch-2.14/attention_dynamic.pt2", {{{"s27", 1}}}), ir::Error);  // below the minimum
}

TEST(Pt2, SeveralModelsAreSeveralMethods) {
  Archive a = Archive::parse(test::read_file(kData + "archives/torch-2.14/state.pt2"));
  for (const char* part : {"model.json", "model_weights_config.json", "model_constants_config.json"}) {
    std::string name;
    for (const Archive::Entry& e : a.entries)
      if (e.name.ends_with(part)) name = e.name;
    const std::string data = a[part];
    name.replace(name.rfind("model"), 5, "other");
    if (std::string(part) != "model.json") name = name.substr(0, name.rfind('/') + 1) + "other" + std::string(part).substr(5);
    a.entries.push_back({name, data});
  }
  const auto module = import_pt2_bytes(test::bytes_of(a.build()), lookup());
  ASSERT_EQ(module->methods.size(), 2u);
  EXPECT_EQ(module->methods[0]->name, "model");
  EXPECT_EQ(module->methods[1]->name, "other");
  EXPECT_EQ(module->methods[1]->states[0].name, "h");
}

}  // namespace
}  // namespace glint::compiler
