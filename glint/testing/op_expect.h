#pragma once

// Golden values and refusals of operators, as GoogleTest expectations.

#include <cmath>

#include <gtest/gtest.h>

#include "glint/ops/ops.h"
#include "glint/testing/op_call.h"

namespace glint::testing {

/// The results of one call, each as row-major values; NaN and infinities compare by position.
inline void expect_op(const char* name, std::vector<Operand> operands, const std::vector<std::vector<double>>& want, double tolerance = 1e-5) {
  SCOPED_TRACE(name);
  const Outcome out = call(op(ops::all(), name), std::move(operands));
  ASSERT_TRUE(out.status.ok()) << out.status.why();
  ASSERT_GE(out.results.size(), want.size());
  for (size_t r = 0; r < want.size(); ++r) {
    const std::vector<double> got = out.results[r].values();
    ASSERT_EQ(got.size(), want[r].size()) << "result " << r << " is " << out.results[r].describe();
    for (size_t i = 0; i < got.size(); ++i) {
      if (std::isnan(want[r][i])) EXPECT_TRUE(std::isnan(got[i])) << "result " << r << " element " << i << ": " << got[i];
      else if (std::isinf(want[r][i])) EXPECT_EQ(got[i], want[r][i]) << "result " << r << " element " << i;
      else EXPECT_NEAR(got[i], want[r][i], tolerance) << "result " << r << " element " << i;
    }
  }
}

struct Refusal {
  const char* what;
  const char* op;
  std::vector<Operand> operands;
  Code code = Code::kInvalidArgument;
};

inline void expect_refusals(std::vector<Refusal> cases) {
  for (Refusal& c : cases) EXPECT_EQ(call(op(ops::all(), c.op), std::move(c.operands)).status.code(), c.code) << c.op << ": " << c.what;
}

/// The call gives exactly these results: dtype, sizes and elements (NaN equals NaN); in place too where the operator can.
inline void expect_call(const char* name, std::vector<Operand> operands, const std::vector<HostTensor>& want, bool in_place = false) {
  SCOPED_TRACE(std::string(name) + (in_place ? " in place" : ""));
  const OpDef& def = op(ops::all(), name);
  if (def.flags.updates_self && !in_place) expect_call(name, operands, want, true);
  CallOptions options;
  options.list_results = uint32_t(want.size());
  options.in_place = in_place;
  const Outcome got = call(def, std::move(operands), options);
  ASSERT_TRUE(got.status.ok()) << got.status.why();
  ASSERT_EQ(got.results.size(), want.size());
  for (size_t r = 0; r < want.size(); ++r) {
    EXPECT_EQ(got.results[r].describe(), want[r].describe()) << "result " << r;
    const std::vector<double> a = got.results[r].values(), b = want[r].values();
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) << "result " << r << " element " << i << " is " << a[i] << ", not " << b[i];
  }
}

/// The call is refused, by infer or by run, for a reason that contains `why`.
inline void expect_refused(const char* name, std::vector<Operand> operands, const char* why, Code code = Code::kInvalidArgument) {
  SCOPED_TRACE(name);
  const Outcome got = call(op(ops::all(), name), std::move(operands));
  EXPECT_EQ(got.status.code(), code) << got.status.why();
  EXPECT_NE(std::string(got.status.why()).find(why), std::string::npos) << "the reason is: " << got.status.why();
}

}  // namespace glint::testing
