#pragma once

// The two things that most operator tests say: what a call gives, and which calls are refused.

#include <gtest/gtest.h>

#include <cmath>

#include "glint/testing/op_call.h"

namespace glint::testing {

/// The call gives exactly these results (NaN equals NaN). List results may have any number.
inline void expect_call(OpTable table, const char* name, std::vector<Operand> operands, const std::vector<HostTensor>& want) {
  SCOPED_TRACE(name);
  CallOptions options;
  options.list_results = uint32_t(want.size());
  const Outcome got = call(op(table, name), std::move(operands), options);
  ASSERT_TRUE(got.status.ok()) << got.status.why();
  ASSERT_EQ(got.results.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(got.results[i].describe(), want[i].describe()) << "result " << i;
    const std::vector<double> a = got.results[i].values(), b = want[i].values();
    ASSERT_EQ(a.size(), b.size());
    for (size_t k = 0; k < a.size(); ++k) EXPECT_TRUE(a[k] == b[k] || (a[k] != a[k] && b[k] != b[k])) << "result " << i << " element " << k << " is " << a[k] << ", not " << b[k];
  }
}

/// The call is refused, by infer or by run, with this code and a reason that contains `why`.
inline void expect_refused(OpTable table, const char* name, std::vector<Operand> operands, const char* why, Code code = Code::kInvalidArgument) {
  SCOPED_TRACE(name);
  const Outcome got = call(op(table, name), std::move(operands));
  EXPECT_EQ(got.status.code(), code) << got.status.why();
  EXPECT_NE(std::string(got.status.why()).find(why), std::string::npos) << "the reason is: " << got.status.why();
}

}  // namespace glint::testing
