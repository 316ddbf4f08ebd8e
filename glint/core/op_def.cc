#include "glint/core/op_def.h"

namespace glint {

const OpDef* find_op(OpTable table, std::string_view name) {
  for (const OpFamily* family : table)
    for (const OpDef& def : family->defs)
      if (def.text != nullptr && def.name() == name) return &def;
  return nullptr;
}

const OpDef* find_stock_op(OpTable table, std::string_view name) {
  for (const OpFamily* family : table)
    for (const OpDef& def : family->defs)
      if (def.text != nullptr && std::string_view(def.stock_name) == name) return &def;
  return nullptr;
}

}  // namespace glint
