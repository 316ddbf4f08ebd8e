// The smallest program that runs models: the runtime and the operators that its build keeps (glint_device). Without
// arguments it says which; with a program file it loads that and runs it on zeros.

#include <cstdio>
#include <cstdlib>

#ifdef RUN_WITH_XNNPACK
#include "glint/backends/xnnpack/runtime.h"
#endif
#include "glint/base/platform.h"
#include "glint/ops/ops.h"
#include "glint/runtime/method.h"

namespace {

using namespace glint;

#ifdef RUN_WITH_XNNPACK
constexpr const BackendRuntime* kBackends[] = {&backend_xnnpack};
#else
constexpr BackendTable kBackends;
#endif

Status run(const char* path, std::span<std::byte> memory) {
  GLINT_TRY_LET(const MappedFile file, MappedFile::open(path));
  Arena arena(memory);
  const Cpu cpu = detect_cpu();
  GLINT_TRY_LET(const Program* program, Program::load(file.bytes(), ops::all(), kBackends, cpu, arena));
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
  if (argc < 2) {
    for (const OpFamily* family : ops::all())
      for (const OpDef& def : family->defs)
        if (def.text != nullptr) std::puts(def.text);
    return 0;
  }
  constexpr size_t kMemory = 64 << 20;
  void* memory = std::calloc(kMemory, 1);
  const Status s = memory != nullptr ? run(argv[1], {static_cast<std::byte*>(memory), kMemory}) : out_of_memory("no memory");
  if (!s.ok()) std::puts(s.why());
  std::free(memory);
  return s.ok() ? 0 : 1;
}
