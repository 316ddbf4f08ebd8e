// The smallest program that runs models: the runtime and a table of six operators of its own choice.
// Without arguments it says what it holds; with a program file it loads that and runs it on zeros.

#include <cstdio>
#include <cstdlib>

#include "glint/base/platform.h"
#include "glint/runtime/method.h"

namespace glint::ops {
extern const OpFamily op_addmm, op_cat, op_convolution, op_permute, op_softmax, op_view;
}

namespace {

using namespace glint;

constinit const OpFamily* const kSix[] = {&ops::op_addmm, &ops::op_cat, &ops::op_convolution, &ops::op_permute, &ops::op_softmax, &ops::op_view};
alignas(64) constinit std::byte g_memory[1 << 20] = {};

Status run(const char* path) {
  GLINT_TRY_LET(const MappedFile file, MappedFile::open(path));
  Arena arena(g_memory);
  const Cpu cpu = detect_cpu();
  GLINT_TRY_LET(const Program* program, Program::load(file.bytes(), kSix, {}, cpu, arena));
  GLINT_TRY_LET(Session* session, Session::create(*program, arena));
  GLINT_TRY_LET(Method* method, Method::load(*session, "forward", arena));
  for (uint32_t i = 0; i < method->input_count(); ++i) {
    if (method->input(i).kind != Value::Kind::kTensor) continue;
    Tensor* t = arena.make<Tensor>();
    if (t == nullptr) return out_of_memory("the input does not fit");
    *t = *method->input(i).tensor;
    t->data = arena.allocate(t->size_bytes(), 64);
    if (t->data == nullptr) return out_of_memory("the input does not fit");
    GLINT_TRY(method->set_input(i, Value::of(t)));
  }
  return method->execute();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::puts("six operators: addmm, cat, convolution, permute, softmax, view"), 0;
  const Status s = run(argv[1]);
  if (!s.ok()) std::puts(s.why());
  return s.ok() ? 0 : 1;
}
