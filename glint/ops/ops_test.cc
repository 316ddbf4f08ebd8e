#include "glint/ops/ops.h"

#include <gtest/gtest.h>

#include <set>

namespace glint::ops {
namespace {

TEST(Ops, EveryNameIsDefinedOnce) {
  std::set<std::string_view> names, stock;
  for (const OpFamily* family : all())
    for (const OpDef& def : family->defs) {
      EXPECT_TRUE(names.insert(def.name()).second) << def.name();
      if (*def.stock_name == 0) continue;
      EXPECT_TRUE(stock.insert(def.stock_name).second) << def.stock_name;
    }
}

}  // namespace
}  // namespace glint::ops
