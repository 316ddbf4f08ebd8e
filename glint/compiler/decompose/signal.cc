// Windows, sample frequencies and short-time Fourier transforms.

#include <cmath>
#include <functional>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

bool has_argument(X& x, const char* name) { return x.node().schema->arg_index(name) >= 0; }
double given(X& x, const char* name, double otherwise) { return has_argument(x, name) ? x.number(name) : otherwise; }

/// `shape(i, last)` at every sample; periodic windows are one sample longer and lose their end.
Value* window(X& x, const std::function<double(double, double)>& shape) {
  const int64_t n = x.integer("window_length");
  x.require(n >= 0 && n <= 1 << 24, "the length of a window is out of range");
  const bool periodic = !has_argument(x, "periodic") || x.flag("periodic");
  const double last = double(periodic ? n : n - 1);
  std::vector<double> w;
  for (int64_t i = 0; i < n; ++i) w.push_back(n == 1 ? 1.0 : shape(double(i), last));
  return x.builder().constant(x.dtype("dtype").value_or(DType::kF32), {n}, w);
}

Value* hamming(X& x, double alpha, double beta) {
  return window(x, [=](double i, double last) { return alpha - beta * std::cos(2 * M_PI * i / last); });
}

/// The modified Bessel function of order zero, by its series.
double bessel_i0(double v) {
  double sum = 1, term = 1;
  for (int k = 1; k < 500 && term > sum * 1e-17; ++k) sum += term *= v * v / (4.0 * k * k);
  return sum;
}

Value* kaiser(X& x) {
  const double beta = given(x, "beta", 12.0);
  return window(x, [=](double i, double last) {
    const double t = 2 * i / last - 1;
    return bessel_i0(beta * std::sqrt(std::max(0.0, 1 - t * t))) / bessel_i0(beta);
  });
}

Value* frequencies(X& x, bool half) {
  const int64_t n = x.integer("n");
  const double d = x.number("d");
  x.require(n > 0 && n <= 1 << 24, "the number of samples is out of range");
  std::vector<double> f;
  const int64_t positive = half ? n / 2 + 1 : (n + 1) / 2;
  for (int64_t i = 0; i < (half ? positive : n); ++i) f.push_back(double(i < positive ? i : i - n) / (double(n) * d));
  return x.builder().constant(x.dtype("dtype").value_or(DType::kF32), {int64_t(f.size())}, f);
}

struct Frames {
  int64_t size, hop, count_of_window;
  Value* window;  // [size], or null: all ones
};

Frames frames_of(X& x, DType dtype) {
  Frames f;
  f.size = x.integer("n_fft");
  f.hop = x.has("hop_length") ? x.integer("hop_length") : f.size / 4;
  f.count_of_window = x.has("win_length") ? x.integer("win_length") : f.size;
  x.require(f.size > 0 && f.hop > 0 && f.count_of_window > 0 && f.count_of_window <= f.size, "stft: the sizes of frames and steps are out of range");
  f.window = x.maybe("window");
  if (!f.window && f.count_of_window < f.size) f.window = x.full({Dim(f.count_of_window)}, 1.0, dtype);
  const int64_t left = (f.size - f.count_of_window) / 2;
  if (f.count_of_window < f.size)
    f.window = x.op("aten::constant_pad_nd", {f.window, Axes{left, f.size - f.count_of_window - left}, 0.0});
  return f;
}

enum Scale : int64_t { kUnscaled = 0, kByRoot = 1, kByCount = 2 };

Value* stft(X& x) {
  Value* a = x.tensor("self");
  x.require(is_floating(x.dtype_of(a)), "stft: a real signal is expected");
  x.require(x.rank(a) == 1 || x.rank(a) == 2, "stft: one or two dimensions");
  const Frames f = frames_of(x, x.dtype_of(a));
  const bool single = x.rank(a) == 1;
  if (single) a = x.unsqueeze(a, 0);
  if (has_argument(x, "center") && x.flag("center")) {
    x.require(x.text("pad_mode") == "reflect" || x.text("pad_mode") == "constant", "stft: the padding is reflect or constant");
    const Axes amounts{f.size / 2, f.size / 2};
    a = x.text("pad_mode") == "reflect" ? x.op("aten::reflection_pad1d", {a, amounts}) : x.op("aten::constant_pad_nd", {a, amounts, 0.0});
  }
  Value* frames = x.op("aten::unfold", {a, 1, f.size, f.hop});  // [batch, frame, size]
  if (f.window) frames = x.mul(frames, f.window);
  const bool onesided = !x.has("onesided") || x.flag("onesided");
  Value* y = x.op("aten::_fft_r2c", {frames, Axes{2}, int64_t(x.flag("normalized") ? kByRoot : kUnscaled), onesided});
  y = x.transpose(y, 1, 2);
  if (single) y = x.squeeze(y, 0);
  return x.has("return_complex") && x.flag("return_complex") ? y : x.unary("view_as_real", y);
}

/// Frames are added where they overlap, and divided by what their windows add up to.
Value* istft(X& x) {
  Value* a = x.tensor("self");
  x.require(is_complex(x.dtype_of(a)) && (x.rank(a) == 2 || x.rank(a) == 3), "istft: a complex tensor of two or three dimensions is expected");
  x.require(!x.flag("return_complex"), "istft: only real results are supported");
  const DType real = x.dtype_of(a) == DType::kC128 ? DType::kF64 : DType::kF32;
  const Frames f = frames_of(x, real);
  const bool single = x.rank(a) == 2;
  if (single) a = x.unsqueeze(a, 0);
  if (x.has("onesided") && !x.flag("onesided")) a = x.slice(a, 1, 0, f.size / 2 + 1);
  const int64_t count = x.known(x.dim(a, 2), "the number of frames"), batch = x.known(x.dim(a, 0), "the size of the batch");
  const int64_t total = f.size + f.hop * (count - 1);
  Value* frames = x.op("aten::_fft_c2r", {x.transpose(a, 1, 2), Axes{2}, int64_t(x.flag("normalized") ? kByRoot : kByCount), f.size});
  Value* window = f.window ? f.window : x.full({Dim(f.size)}, 1.0, real);
  Value* signal = x.op("aten::unfold_backward", {x.mul(frames, window), Axes{batch, total}, 1, f.size, f.hop});
  Value* squares = x.expand(x.view(x.square(window), {Dim(1), Dim(1), Dim(f.size)}), {Dim(1), Dim(count), Dim(f.size)});
  Value* weight = x.op("aten::unfold_backward", {squares, Axes{1, total}, 1, f.size, f.hop});
  const int64_t from = x.flag("center") ? f.size / 2 : 0;
  const int64_t to = x.has("length") ? from + x.integer("length") : x.flag("center") ? total - f.size / 2 : total;
  const int64_t cut = std::min(to, total);
  Value* y = x.div(x.slice(signal, 1, from, cut), x.slice(weight, 1, from, cut));
  if (to > cut) y = x.op("aten::constant_pad_nd", {y, Axes{0, to - cut}, 0.0});
  return single ? x.squeeze(y, 0) : y;
}

#define GLINT_FACTORY "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"
#define GLINT_WINDOW(name, function)                                                    \
  {"aten::" name "_window(int window_length, *, " GLINT_FACTORY, function},              \
  {"aten::" name "_window.periodic(int window_length, bool periodic, *, " GLINT_FACTORY, function}

Value* hann_window(X& x) { return hamming(x, 0.5, 0.5); }
Value* hamming_window(X& x) { return hamming(x, given(x, "alpha", 0.54), given(x, "beta", 0.46)); }
Value* bartlett_window(X& x) {
  return window(x, [](double i, double last) { return 1 - std::abs(2 * i / last - 1); });
}
Value* blackman_window(X& x) {
  return window(x, [](double i, double last) { return 0.42 - 0.5 * std::cos(2 * M_PI * i / last) + 0.08 * std::cos(4 * M_PI * i / last); });
}

constexpr Row kRows[] = {
    GLINT_WINDOW("hann", hann_window), GLINT_WINDOW("hamming", hamming_window), GLINT_WINDOW("bartlett", bartlett_window),
    GLINT_WINDOW("blackman", blackman_window), GLINT_WINDOW("kaiser", kaiser),
    {"aten::hamming_window.periodic_alpha(int window_length, bool periodic, float alpha, *, " GLINT_FACTORY, hamming_window},
    {"aten::hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta, *, " GLINT_FACTORY, hamming_window},
    {"aten::kaiser_window.beta(int window_length, bool periodic, float beta, *, " GLINT_FACTORY, kaiser},
    {"aten::fft_fftfreq(int n, float d=1.0, *, " GLINT_FACTORY, [](X& x) { return frequencies(x, false); }},
    {"aten::fft_rfftfreq(int n, float d=1.0, *, " GLINT_FACTORY, [](X& x) { return frequencies(x, true); }},
    {"aten::stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, "
     "bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor", stft},
    {"aten::stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, "
     "str pad_mode=\"reflect\", bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor", stft},
    {"aten::istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool normalized=False, "
     "bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor", istft},
};
#undef GLINT_WINDOW
#undef GLINT_FACTORY

}  // namespace

Rows signal_rows() { return kRows; }

}  // namespace glint::compiler
