#include "glint/kernels/special.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace glint::kernels {
namespace {

struct Pair { double re, im; };  // a complex number; <complex> would pull in streams
Pair operator*(Pair a, Pair b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
Pair operator+(Pair a, Pair b) { return {a.re + b.re, a.im + b.im}; }
Pair polar(double size, double angle) { return {size * std::cos(angle), size * std::sin(angle)}; }
constexpr double kPi = std::numbers::pi, kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
// From here on the asymptotic series reach full precision before they diverge.
constexpr double kFar = 30;

// The Hankel function H_v(x) of the first kind, x > 0, as J + i Y.
// Far out: Hankel's asymptotic series. Otherwise its integral over exp(i x cosh t) cosh(v t), on a path
// that bends into the half-plane where the integrand decays: there the trapezoid rule converges exponentially.
Pair hankel(double v, double x) {
  if (x >= kFar) {
    const double mu = 4 * v * v;
    Pair sum{1, 0}, term{1, 0};
    double size = 1;
    for (int k = 1; k < 60 && size > 1e-18; ++k) {
      const double odd = 2 * k - 1, factor = (mu - odd * odd) / (8 * k * x);
      if (std::fabs(factor) > 1) break;
      term = term * Pair{0, factor};
      size *= std::fabs(factor);
      sum = sum + term;
    }
    return polar(std::sqrt(2 / (kPi * x)), x) * polar(1, -(v / 2 + 0.25) * kPi) * sum;
  }
  constexpr double step = 0.05;
  const int n = int((std::asinh(45 / x) + 2) / step);
  Pair sum{0, 0};
  for (int k = -n; k <= n; ++k) {
    const double s = k * step, bend = kPi / 2 * std::tanh(s), slope = kPi / 2 / (std::cosh(s) * std::cosh(s));
    const Pair wave = polar(std::exp(-x * std::sinh(s) * std::sin(bend)), x * std::cosh(s) * std::cos(bend));
    const Pair order{std::cosh(v * s) * std::cos(v * bend), std::sinh(v * s) * std::sin(v * bend)};
    sum = sum + wave * order * Pair{1, slope};
  }
  return sum * polar(step / kPi, -(v + 1) * kPi / 2);
}

// e^x K_v(x), x > 0: the trapezoid rule on its integral, whose integrand decays doubly exponentially.
double k_scaled(double v, double x) {
  const double step = std::min(0.2, 0.6 / std::sqrt(x)), reach = std::acosh(1 + 42 / x) + (v > 0 ? 4 : 0);
  double sum = 0.5;
  for (int k = 1, n = int(reach / step) + 2; k <= n; ++k) {
    const double t = k * step, half = std::sinh(t / 2);  // cosh t - 1 = 2 sinh^2(t / 2), without cancellation
    sum += std::exp(-2 * x * half * half) * std::cosh(v * t);
  }
  return sum * step;
}

double factorial_part(double a, double x) {  // x^a e^-x / Gamma(a + 1)
  if (a < 10) return std::exp(a * std::log(x) - x - std::lgamma(a + 1));
  // Stirling's formula, with the exponent a (mu - log(1 + mu)), mu = x / a - 1, formed without cancellation.
  const double mu = (x - a) / a;
  double phi;
  if (std::fabs(mu) < 0.3) {
    double term = mu * mu, sum = 0;
    for (int k = 2; k < 60; ++k, term *= -mu) sum += term / k;
    phi = sum;
  } else {
    phi = mu - std::log(x / a);
  }
  const double r = 1 / (a * a), tail = (1 / 12.0 - r * (1 / 360.0 - r * (1 / 1260.0 - r * (1 / 1680.0 - r / 1188.0)))) / a;
  return std::exp(-a * phi - tail) / std::sqrt(2 * kPi * a);
}

double lower_series(double a, double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < 200000; ++k) {
    term *= x / (a + k);
    sum += term;
    if (term < sum * 1e-17) break;
  }
  return factorial_part(a, x) * sum;
}

double upper_fraction(double a, double x) {  // Lentz's evaluation of Legendre's continued fraction
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < 200000; ++k) {
    const double an = -double(k) * (double(k) - a);
    b += 2;
    d = an * d + b;
    if (std::fabs(d) < 1e-300) d = 1e-300;
    c = b + an / c;
    if (std::fabs(c) < 1e-300) c = 1e-300;
    d = 1 / d;
    h *= d * c;
    if (std::fabs(d * c - 1) < 1e-16) break;
  }
  return factorial_part(a, x) * a * h;
}

// 1 - lower for small a and x, where both would cancel: the series of gamma(a, x) without its first term.
double upper_small(double a, double x) {
  double term = 1, sum = 0;
  for (int k = 1; k < 200; ++k) {
    term *= -x / k;
    sum += term / (a + k);
    if (std::fabs(term) < 1e-18) break;
  }
  const double log_x = a * std::log(x), first = std::expm1(log_x - std::lgamma(a + 1));
  return -first - std::exp(log_x) * a / std::tgamma(a + 1) * sum;
}

// Both functions share their domain's edges. True when `lower` is settled.
bool gamma_edge(double a, double x, double* lower) {
  if (a < 0 || x < 0 || x != x || (a == 0 && x == 0)) return *lower = kNan, true;
  if (x == 0) return *lower = 0, true;  // also where a is NaN, as in PyTorch
  if (a != a) return *lower = kNan, true;
  if (std::isinf(a)) return *lower = std::isinf(x) ? kNan : 0, true;
  if (a == 0 || std::isinf(x)) return *lower = 1, true;
  return false;
}

}  // namespace

double bessel_j(int order, double x) {
  if (std::isnan(x) || std::isinf(x)) return kNan;
  const double size = std::fabs(x), sign = order == 1 && x < 0 ? -1 : 1;
  if (size >= kFar) return sign * hankel(order, size).re;
  // The mean of cos(order t - x sin t) over half a period.
  constexpr int n = 64;
  double sum = order == 0 ? 1 : 0;
  for (int k = 1; k < n; ++k) {
    const double t = kPi * k / n;
    sum += std::cos(order * t - size * std::sin(t));
  }
  return order == 1 && size < 1e-3 ? x / 2 * (1 - x * x / 8) : sign * sum / n;
}

double bessel_y(int order, double x) {
  if (x == 0) return -kInf;
  if (!(x > 0) || std::isinf(x)) return kNan;
  if (x < 1e-8) return order == 0 ? 2 / kPi * (std::log(x / 2) + std::numbers::egamma) : -2 / (kPi * x);
  return hankel(order, x).im;
}

double bessel_i_scaled(int order, double x) {
  if (std::isnan(x)) return x;
  const double size = std::fabs(x), sign = order == 1 && x < 0 ? -1 : 1;
  if (std::isinf(size)) return 0;
  if (size >= kFar) {
    double term = 1, sum = 1;
    for (int k = 1; k < 60; ++k) {
      const double odd = 2 * k - 1, next = -term * (4.0 * order - odd * odd) / (8 * k * size);
      if (std::fabs(next) > std::fabs(term)) break;
      sum += term = next;
      if (std::fabs(term) < 1e-18) break;
    }
    return sign * sum / std::sqrt(2 * kPi * size);
  }
  // The ascending series has no cancellation.
  double term = order == 0 ? 1 : size / 2, sum = term;
  for (int k = 1; k < 200; ++k) {
    term *= size * size / 4 / (double(k) * (k + order));
    sum += term;
    if (term < sum * 1e-17) break;
  }
  return sign * sum * std::exp(-size);
}

double bessel_i(int order, double x) {
  if (std::isinf(x)) return kNan;  // infinity times zero
  return std::exp(std::fabs(x)) * bessel_i_scaled(order, x);
}

/// exp(x) K(order, x) for large x, by its asymptotic series.
double k_far(int order, double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < 9; ++k) sum += term *= (4.0 * order * order - (2 * k - 1) * (2 * k - 1)) / (8.0 * k * x);
  return std::sqrt(kPi / 2 / x) * sum;
}

double bessel_k_scaled(int order, double x) {
  if (x == 0) return kInf;
  if (!(x > 0)) return kNan;
  if (std::isinf(x)) return 0;
  if (x < 1e-8) return order == 0 ? -std::log(x / 2) - std::numbers::egamma : 1 / x;
  return x > 1000 ? k_far(order, x) : k_scaled(order, x);
}

double bessel_k(int order, double x) { return x > 0 && std::isinf(x) ? 0 : bessel_k_scaled(order, x) * std::exp(-x); }

double airy_ai(double x) {
  if (std::isnan(x) || std::isinf(x)) return kNan;
  if (x > 103.892) return 0;
  if (std::fabs(x) <= 1) {
    double f = 1, g = x, fs = 1, gs = x;
    for (int k = 1; k < 30; ++k) {
      f *= x * x * x / (3.0 * k * (3 * k - 1));
      g *= x * x * x / (3.0 * k * (3 * k + 1));
      fs += f;
      gs += g;
    }
    return 0.35502805388781723926 * fs - 0.25881940379280679841 * gs;
  }
  const double size = std::fabs(x), z = 2 / 3.0 * size * std::sqrt(size);
  if (x > 0) return std::sqrt(x / 3) / kPi * k_scaled(1 / 3.0, z) * std::exp(-z);
  return std::sqrt(size / 3) * (polar(1, kPi / 6) * hankel(1 / 3.0, z)).re;
}

double spherical_bessel_j0(double x) {
  if (std::isinf(x)) return 0;
  if (std::fabs(x) < 0.5) {
    const double y = x * x;
    double term = 1, sum = 1;
    for (int k = 1; k < 9; ++k) sum += term *= -y / (2.0 * k * (2 * k + 1));
    return sum;
  }
  return std::sin(x) / x;
}

double hurwitz_zeta(double x, double q) {
  if (x == 1) return kInf;
  if (!(x > 1) || std::isnan(q)) return kNan;
  if (q <= 0) {
    if (q == std::floor(q)) return kInf;
    if (x != std::floor(x)) return kNan;  // a negative number to a broken power
    if (q < -30) {
      // The terms below zero mirror positive ones; summed as a difference of two functions.
      const double p = -q, fraction = p - std::floor(p), sign = std::fmod(x, 2) == 0 ? 1 : -1;
      return sign * (hurwitz_zeta(x, fraction) - hurwitz_zeta(x, p + 1)) + hurwitz_zeta(x, 1 - fraction);
    }
  }
  // Euler and Maclaurin: some terms, then the integral, half a term and derivatives over (2j)! / B_2j.
  static constexpr double kFactors[] = {12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1.8924375803183791606e9, 7.47242496e10,
                                        -2.950130727918164224e12, 1.1646782814350067249e14, -4.5979787224074726105e15,
                                        1.8152105401943546773e17, -7.1661652561756670113e18};
  double sum = std::pow(q, -x), a = q, term = 0;
  for (int k = 0; k < 9 || a <= 9; ++k) {
    a += 1;
    term = std::pow(a, -x);
    sum += term;
    if (std::fabs(term) < std::fabs(sum) * 0x1p-53) return sum;
  }
  sum += term * a / (x - 1) - term / 2;
  double rising = 1, power = term;
  for (int j = 0; j < 12; ++j) {
    rising *= x + 2 * j;
    power /= a;
    const double t = rising * power / kFactors[j];
    sum += t;
    if (std::fabs(t) < std::fabs(sum) * 0x1p-53) break;
    rising *= x + 2 * j + 1;
    power /= a;
  }
  return sum;
}

double gamma_p(double a, double x) {
  double edge;
  if (gamma_edge(a, x, &edge)) return edge;
  return x < a + 1 ? lower_series(a, x) : 1 - upper_fraction(a, x);
}

double gamma_q(double a, double x) {
  double edge;
  if (gamma_edge(a, x, &edge)) return 1 - edge;
  if (x < 1 && a < 1) return upper_small(a, x);
  return x < a + 1 ? 1 - lower_series(a, x) : upper_fraction(a, x);
}

double erfcx(double x) {
  if (x < -26.7) return kInf;
  if (x > 25) {
    const double r = 1 / (2 * x * x);
    return (1 - r * (1 - 3 * r * (1 - 5 * r * (1 - 7 * r)))) / (x * std::sqrt(kPi));
  }
  // x^2 in two parts: its rounding error would be magnified by exp.
  const double square = x * x, rest = std::fma(x, x, -square);
  return std::exp(square) * (1 + rest) * std::erfc(x);
}

double normal_inverse(double p) {
  if (!(p >= 0 && p <= 1)) return kNan;
  if (p == 0 || p == 1) return p == 0 ? -kInf : kInf;
  if (p == 0.5) return 0;
  const double tail = p < 0.5 ? p : 1 - p, t = std::sqrt(-2 * std::log(tail));
  // A rough start, then Halley's iteration on log-free errors: each step triples the digits.
  double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int k = 0; k < 3; ++k) {
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * kPi), error = (tail - std::erfc(z / std::numbers::sqrt2) / 2) / density;
    if (!std::isfinite(error)) break;
    z -= error / (1 + z * error / 2);
  }
  return p < 0.5 ? -z : z;
}

double log_normal(double x) {
  const double t = x / std::numbers::sqrt2;
  if (x < -1) return std::log(erfcx(-t) / 2) - t * t;
  return std::log1p(-std::erfc(t) / 2);
}

double entropy(double x) {
  if (std::isnan(x)) return x;
  if (x > 0) return -x * std::log(x);
  return x == 0 ? 0 : -kInf;
}

}  // namespace glint::kernels
