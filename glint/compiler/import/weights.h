#pragma once

// Parameters, buffers and tensor constants of an archive, by name.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "glint/compiler/import/json.h"
#include "glint/compiler/import/pickle.h"
#include "glint/compiler/import/zip.h"
#include "glint/compiler/ir/graph.h"

namespace glint::compiler {

/// One named tensor of the archive.
struct Weight {
  DType dtype = DType::kF32;
  std::vector<int64_t> sizes;
  ir::ConstantPtr data;   // reads from the archive on demand; equal views share one
  std::string storage;    // which bytes it is a view of: equal for tensors that alias
};

/// A tensor as a strided view of an entry's bytes.
struct StoredView {
  DType dtype = DType::kF32;
  int64_t offset = 0;  // elements
  std::vector<int64_t> sizes, strides;
};

class Weights {
 public:
  /// data/weights/NAME_weights_config.json and the like: raw bytes in the entries `folder` + path_name, or torch.save files.
  void add_config(const std::shared_ptr<const ZipArchive>& archive, const std::string& config_entry, const std::string& folder);
  /// A file of torch.save that holds a dictionary of tensors; an empty entry holds none.
  void add_pickled(const std::shared_ptr<const ZipArchive>& archive, const std::string& entry);

  /// Null when there is none of this name.
  const Weight* find(std::string_view name) const;

 private:
  void add_entry(const std::shared_ptr<const ZipArchive>& archive, const std::string& name, Json meta, const std::string& folder);
  void add(const std::string& name, std::shared_ptr<const ZipArchive> archive, size_t entry, StoredView view);
  void add_pickled_tensor(const std::string& name, const std::shared_ptr<const ZipArchive>& inner, const std::string& folder,
                          const PickledTensor& tensor);

  std::map<std::string, Weight, std::less<>> weights_;
  std::unordered_map<std::string, ir::ConstantPtr> shared_;  // by view
};

/// Throws ir::Error when the archive says that its numbers are big endian. `entry`: full name; may be missing.
void check_byte_order(const ZipArchive& archive, const std::string& entry);
/// The entry called `name`; throws ir::Error naming it when the archive has none.
size_t need_entry(const ZipArchive& archive, const std::string& name);
/// The bytes that the extent of `view` takes in its storage; throws ir::Error for negative or overflowing numbers.
uint64_t extent_bytes(const StoredView& view, const std::string& name);

}  // namespace glint::compiler
