#include "glint/compiler/import/pt2.h"

#include <algorithm>

#include "glint/compiler/import/export_names.h"
#include "glint/compiler/import/graph_reader.h"
#include "glint/compiler/import/json.h"
#include "glint/compiler/import/weights.h"
#include "glint/compiler/import/zip.h"

namespace glint::compiler {
namespace {

constexpr uint64_t kMaxProgramBytes = uint64_t(1) << 30;

[[noreturn]] void fail(Code code, const std::string& message) { throw ir::Error(code, message); }

using ArchivePtr = std::shared_ptr<const ZipArchive>;

std::string small_entry(const ZipArchive& archive, const std::string& name) {
  std::string text = archive.read(need_entry(archive, name), 4096);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

/// Schema 7 came with PyTorch 2.5, schema 8 with 2.6.
void check_schema_version(Json program) {
  const int64_t major = program.at("schema_version").at("major").as_int();
  if (major == 7 || major == 8) return;
  const auto torch = program.find("torch_version");
  const std::string writer = torch && torch->is_string() ? std::string(torch->as_string().substr(0, 64)) : "unknown";
  fail(Code::kUnsupported, "the archive has export schema version " + std::to_string(major) + " (PyTorch " + writer +
                               "); versions 7 and 8 are understood, which PyTorch 2.5 to 2.14 write");
}

std::unique_ptr<ir::Graph> read_method(const ArchivePtr& archive, const std::string& entry, const std::string& method,
                                       const Weights& weights, const ir::OpLookup& ops, const ImportOptions& options) {
  const std::string text = archive->read(need_entry(*archive, entry), kMaxProgramBytes);
  const JsonDocument document(text, entry);
  check_schema_version(document.root());
  auto graph = std::make_unique<ir::Graph>();
  graph->name = method;
  read_program(document.root(), weights, ops, options, *graph);
  return graph;
}

/// PyTorch 2.5 to 2.7: one program, its tensors pickled in archives within the archive.
void read_old_layout(const ArchivePtr& archive, const ir::OpLookup& ops, const ImportOptions& options, ir::Module& module) {
  need_entry(*archive, "version");
  Weights weights;
  weights.add_pickled(archive, "serialized_state_dict.pt");
  weights.add_pickled(archive, "serialized_constants.pt");
  module.methods.push_back(read_method(archive, "serialized_exported_program.json", "forward", weights, ops, options));
}

/// The weights or constants of one model: a table of raw entries, or the pickled dictionary that 2.8 wrote.
void add_weights(const ArchivePtr& archive, const std::string& folder, const std::string& model, const std::string& kind,
                 Weights& weights) {
  const std::string pickled = folder + model + ".pt";
  if (archive->find(pickled) >= 0) return weights.add_pickled(archive, pickled);
  weights.add_config(archive, folder + model + "_" + kind + "_config.json", folder);
}

/// PyTorch 2.8 on: ROOT/models/NAME.json and ROOT/data/.
void read_new_layout(const ArchivePtr& archive, const std::string& root, const ir::OpLookup& ops, const ImportOptions& options,
                     ir::Module& module) {
  if (const std::string format = small_entry(*archive, root + "archive_format"); format != "pt2")
    fail(Code::kUnsupported, "the archive's format is '" + format.substr(0, 64) + "', not 'pt2'");
  if (const std::string version = small_entry(*archive, root + "archive_version"); version != "0")
    fail(Code::kUnsupported, "the archive has version '" + version.substr(0, 64) + "'; only version 0 is known");
  need_entry(*archive, root + ".data/version");
  check_byte_order(*archive, root + "byteorder");

  const std::string models = root + "models/";
  std::vector<std::string> names;
  for (const ZipArchive::Entry& e : archive->entries())
    if (e.name.starts_with(models) && e.name.ends_with(".json") && e.name.size() > models.size() + 5)
      names.push_back(e.name.substr(models.size(), e.name.size() - models.size() - 5));
  if (names.empty()) fail(Code::kInvalidProgram, "the archive has no exported program: no entry 'models/*.json'");
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    Weights weights;
    add_weights(archive, root + "data/weights/", name, "weights", weights);
    add_weights(archive, root + "data/constants/", name, "constants", weights);
    const std::string method = names.size() == 1 ? "forward" : name;
    module.methods.push_back(read_method(archive, models + name + ".json", method, weights, ops, options));
  }
}

std::unique_ptr<ir::Module> import_archive(const ArchivePtr& archive, const ir::OpLookup& ops, const ImportOptions& options) {
  auto module = std::make_unique<ir::Module>();
  constexpr std::string_view kFormat = "archive_format";
  if (archive->find("serialized_exported_program.json") >= 0) {
    read_old_layout(archive, ops, options, *module);
    return module;
  }
  for (const ZipArchive::Entry& e : archive->entries()) {
    if (!e.name.ends_with(kFormat)) continue;
    const std::string root = e.name.substr(0, e.name.size() - kFormat.size());
    if (!root.empty() && (root.back() != '/' || root.find('/') != root.size() - 1)) continue;
    read_new_layout(archive, root, ops, options, *module);
    return module;
  }
  fail(Code::kInvalidProgram,
       "the file is a zip archive, but not one of torch.export: it has no 'archive_format' and no 'serialized_exported_program.json'");
}

}  // namespace

std::unique_ptr<ir::Module> import_pt2(const std::string& path, const ir::OpLookup& ops, const ImportOptions& options) {
  return import_archive(ZipArchive::open(path), ops, options);
}

std::unique_ptr<ir::Module> import_pt2_bytes(std::vector<std::byte> archive, const ir::OpLookup& ops, const ImportOptions& options) {
  return import_archive(ZipArchive::open(std::move(archive)), ops, options);
}

}  // namespace glint::compiler
