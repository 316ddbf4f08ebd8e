#pragma once

namespace glint::kernels {

/// Special functions in double, one value at a time, for reference kernels: accurate to a few units
/// in the last place of the function's scale, at the edges of their domains as PyTorch's are.

/// Bessel functions of order 0 and 1.
double bessel_j(int order, double x);
double bessel_y(int order, double x);
/// Modified Bessel functions of order 0 and 1, without and with their exponential factor removed
/// (e^-|x| I and e^x K).
double bessel_i_scaled(int order, double x);
double bessel_i(int order, double x);
double bessel_k_scaled(int order, double x);
double bessel_k(int order, double x);
double airy_ai(double x);
double spherical_bessel_j0(double x);
/// Sum over k >= 0 of (q + k)^-x.
double hurwitz_zeta(double x, double q);
/// Regularised incomplete gamma functions, lower and upper.
double gamma_p(double a, double x);
double gamma_q(double a, double x);
/// e^(x^2) erfc(x).
double erfcx(double x);
/// The normal distribution: inverse, and logarithm of the distribution function.
double normal_inverse(double p);
double log_normal(double x);
/// -x log x.
double entropy(double x);

}  // namespace glint::kernels
