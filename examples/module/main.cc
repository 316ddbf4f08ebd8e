// The few lines that most applications need: load a program, run it, read the result.
//   classify PROGRAM.pte      prints the index and score of the best class for a grey picture
#include <algorithm>
#include <cstdio>

#include "glint/module/module.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::puts("usage: classify PROGRAM.pte"), 2;

  glint::Module module(argv[1]);
  std::vector<float> pixels(3 * 224 * 224, 0.0f);
  const auto outputs = module.forward(glint::OwnedTensor(std::move(pixels), {1, 3, 224, 224}));
  if (!outputs.ok()) return std::fprintf(stderr, "%s\n", module.last_error().c_str()), 1;

  const auto scores = std::get<glint::OwnedTensor>((*outputs)[0]).to_vector<float>();
  const auto best = std::max_element(scores.begin(), scores.end());
  std::printf("class %td, score %.3f\n", best - scores.begin(), *best);
}
