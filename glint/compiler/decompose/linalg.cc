// torch.linalg over the core factorisations: LU, Cholesky, symmetric eigenvalues, singular values.

#include <cmath>
#include <limits>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

Value* eye(X& x, const Dim& rows, const Dim& columns, DType dtype) {
  Value* i = x.unsqueeze(x.arange(rows, DType::kI64), 1);
  return x.to(x.eq(i, x.unsqueeze(x.arange(columns, DType::kI64), 0)), dtype);
}

/// A unit matrix for every matrix of a.
Value* eye_like(X& x, Value* a) { return x.expand(eye(x, x.dim(a, -2), x.dim(a, -1), x.dtype_of(a)), x.dims(a)); }

void require_square(X& x, Value* a) {
  x.require(x.rank(a) >= 2, "a matrix needs two dimensions or more");
  const Dim rows = x.dim(a, -2), columns = x.dim(a, -1);
  x.require(!rows.is_static() || !columns.is_static() || rows == columns, "a square matrix is expected");
}

Values lu(X& x, Value* a, bool check) { return x.ops("aten::linalg_lu_factor_ex", {a, true, check}); }
Value* lu_solve(X& x, const Values& f, Value* b, bool left = true) { return x.op("aten::linalg_lu_solve", {f[0], f[1], b, left}); }
Value* inverse(X& x, Value* a) {
  require_square(x, a);
  return lu_solve(x, lu(x, a, true), eye_like(x, a));
}
Values eigh(X& x, Value* a, const Arg& triangle, bool vectors) { return x.ops("aten::_linalg_eigh", {a, triangle, vectors}); }
Value* singular_values(X& x, Value* a) { return x.ops("aten::_linalg_svd", {a, false, false})[1]; }

// ---- determinants ----

struct Determinant {
  Value* diagonal;  // of U, [.., n]
  Value* parity;    // 1 or -1, [..]
};

Determinant determinant(X& x, Value* a, const Values& f) {
  const DType d = x.dtype_of(a);
  Value* in_place = x.add(x.arange(x.dim(a, -1), DType::kI64), 1);
  Value* exchanges = x.sum(x.ne(f[1], in_place), {int64_t(x.rank(f[1])) - 1});
  Value* odd = x.to(x.op("aten::remainder.Scalar", {exchanges, 2}), d);
  return {diagonal(x, f[0], 0, -2, -1), x.add(x.mul(odd, -2.0), 1.0)};
}

Values det(X& x, Value* a) {
  require_square(x, a);
  const Values f = lu(x, a, false);
  const Determinant d = determinant(x, a, f);
  return {x.mul(x.op("aten::prod.dim_int", {d.diagonal, -1, false}), d.parity), f[0], f[1]};
}

Values slogdet(X& x, Value* a) {
  require_square(x, a);
  const Values f = lu(x, a, false);
  const Determinant d = determinant(x, a, f);
  Value* sign = x.mul(x.op("aten::prod.dim_int", {x.unary(is_complex(x.dtype_of(a)) ? "sgn" : "sign", d.diagonal), -1, false}), d.parity);
  return {sign, x.sum(x.log(x.abs(d.diagonal)), {int64_t(x.rank(d.diagonal)) - 1}), f[0], f[1]};
}

Value* logdet(X& x) {
  const Values s = slogdet(x, x.tensor("self"));
  if (is_complex(x.dtype_of(s[0]))) return x.add(x.log(s[0]), s[1]);
  return x.where(x.eq(s[0], -1), NAN, s[1]);
}

// ---- solving ----

/// Right sides may be vectors: one dimension, or the matrices' own sizes without the last.
Values solve(X& x, Value* a, Value* b, bool left, bool check) {
  require_square(x, a);
  const Dims rows(x.dims(a).begin(), x.dims(a).end() - 1);
  const bool vector = x.rank(b) == 1 || (x.rank(b) + 1 == x.rank(a) && x.dims(b) == rows);
  x.require(left || !vector, "solve: vectors are solved for on the right side only");
  const Values f = lu(x, a, check);
  Value* y = lu_solve(x, f, vector ? x.unsqueeze(b, -1) : b, left);
  return {vector ? x.squeeze(y, -1) : y, f[0], f[1], f[2]};
}

Value* triangular(X& x, Value* a, Value* b, bool upper) { return x.op("aten::linalg_solve_triangular", {a, b, upper}); }

/// A x = b from A's Cholesky factor.
Value* cholesky_solve(X& x, Value* b, Value* factor, bool upper) {
  Value* turned = x.transpose(factor, -2, -1);
  Value* lower_one = upper ? turned : factor;
  Value* upper_one = upper ? factor : turned;
  return triangular(x, upper_one, triangular(x, lower_one, b, false), true);
}

Value* tensorinv(X& x) {
  Value* a = x.tensor("self");
  const int64_t split = x.integer("ind");
  x.require(split > 0 && split <= int64_t(x.rank(a)), "tensorinv: ind is out of range");
  const Dims d = x.dims(a);
  Dims out(d.begin() + split, d.end());
  const Dim rows = x.product(d, 0, size_t(split)), columns = x.product(d, size_t(split));
  out.insert(out.end(), d.begin(), d.begin() + split);
  return x.view(inverse(x, x.view(a, {rows, columns})), out);
}

Value* tensorsolve(X& x) {
  Value* a = x.tensor("self");
  Value* b = x.tensor("other");
  if (x.has("dims")) {
    Axes to;
    const Axes from = x.ints("dims");
    for (size_t i = 0; i < from.size(); ++i) to.push_back(int64_t(x.rank(a) - from.size() + i));
    a = movedim(x, a, from, to);
  }
  const Dims out(x.dims(a).begin() + ptrdiff_t(x.rank(b)), x.dims(a).end());
  const Dim n = x.product(x.dims(b));
  return x.view(solve(x, x.view(a, {n, x.product(out)}), x.view(b, {n}), true, true)[0], out);
}

// ---- singular values ----

double epsilon(DType d) { return d == DType::kF64 ? std::numeric_limits<double>::epsilon() : double(std::numeric_limits<float>::epsilon()); }

/// What counts as zero beside the largest value: max(atol, rtol * largest), [.., 1].
Value* tolerance(X& x, Value* a, Value* largest, const Arg& atol, const Arg& rtol) {
  const Dim rows = x.dim(a, -2), columns = x.dim(a, -1);
  const double standard = epsilon(x.dtype_of(a)) * double(std::max(x.known(rows, "the size of the matrix"), x.known(columns, "the size of the matrix")));
  const auto tall = [&](const Arg& t) -> Arg { return Expansion::is_tensor(t) ? Arg(x.unsqueeze(x.to(t.value(), x.dtype_of(a)), -1)) : t; };
  const Arg absolute = atol.is_none() ? Arg(0.0) : tall(atol);
  Arg relative = tall(rtol);
  if (rtol.is_none()) {
    if (absolute.is_number()) relative = absolute.to_double() > 0 ? 0.0 : standard;
    else relative = x.where(x.gt(absolute.value(), 0.0), x.scalar(x.dtype_of(a), 0), x.scalar(x.dtype_of(a), standard));
  }
  Value* scaled = x.mul(largest, relative);
  return absolute.is_number() ? x.clamp(scaled, absolute) : x.maximum(scaled, absolute.value());
}

Value* rank_of(X& x, Value* a, const Arg& atol, const Arg& rtol, bool hermitian) {
  if (x.dim(a, -1) == Dim(0) || x.dim(a, -2) == Dim(0)) return x.zeros(Dims(x.dims(a).begin(), x.dims(a).end() - 2), DType::kI64);
  Value* s = hermitian ? x.abs(eigh(x, a, "L", false)[0]) : singular_values(x, a);
  const Axes last{int64_t(x.rank(s)) - 1};
  return x.sum(x.gt(s, tolerance(x, a, x.amax(s, last, true), atol, rtol)), last);
}

Value* pinv(X& x, Value* a, const Arg& atol, const Arg& rtol, bool hermitian) {
  if (x.dim(a, -1) == Dim(0) || x.dim(a, -2) == Dim(0)) {
    Dims d = x.dims(a);
    std::swap(d[d.size() - 1], d[d.size() - 2]);
    return x.zeros(d, x.dtype_of(a));
  }
  const auto adjoint = [&](Value* v) { return conj(x, x.transpose(v, -2, -1)); };
  if (hermitian) {
    const Values e = eigh(x, a, "L", true);
    Value* size = x.abs(e[0]);
    Value* kept = x.gt(size, tolerance(x, a, x.amax(size, {int64_t(x.rank(size)) - 1}, true), atol, rtol));
    Value* inverted = x.where(kept, x.unary("reciprocal", e[0]), 0.0);
    return matmul(x, x.mul(e[1], x.unsqueeze(inverted, -2)), adjoint(e[1]));
  }
  const Values s = x.ops("aten::_linalg_svd", {a, false, true});
  Value* kept = x.gt(s[1], tolerance(x, a, x.slice(s[1], -1, 0, 1), atol, rtol));
  Value* inverted = x.where(kept, x.unary("reciprocal", s[1]), 0.0);
  return matmul(x, x.mul(adjoint(s[2]), x.unsqueeze(inverted, -2)), adjoint(s[0]));
}

Value* condition(X& x) {
  Value* a = x.tensor("self");
  const Arg& p = x.arg("p");
  if (p.is_none() || (p.is_number() && std::abs(p.to_double()) == 2)) {
    Value* s = singular_values(x, a);
    const bool least = p.is_number() && p.to_double() == -2;
    Value* first = x.select(s, -1, 0);
    Value* last = x.select(s, -1, x.dim(s, -1) - Dim(1));
    return least ? x.div(last, first) : x.div(first, last);
  }
  Value* inverted = inverse(x, a);
  return x.mul(matrix_norm(x, a, p, {-2, -1}, false), matrix_norm(x, inverted, p, {-2, -1}, false));
}

// ---- reflectors ----

/// Column i as the vector of reflector i: 1 at the diagonal, zeros above. [.., m, 1]
Value* reflector(X& x, Value* a, int64_t i) {
  Value* column = x.slice(a, -1, i, i + 1);
  Value* row = x.unsqueeze(x.arange(x.dim(a, -2), DType::kI64), 1);
  return x.where(x.gt(row, i), column, x.to(x.eq(row, i), x.dtype_of(a)));
}

/// (1 - tau v v^T) q
Value* reflect(X& x, Value* a, Value* tau, int64_t i, Value* q) {
  Value* v = reflector(x, a, i);
  Value* t = x.unsqueeze(x.slice(tau, -1, i, i + 1), -1);
  return x.sub(q, x.mul(matmul(x, v, matmul(x, x.transpose(v, -2, -1), q)), t));
}

Value* householder_product(X& x, Value* a, Value* tau) {
  Value* q = x.expand(eye(x, x.dim(a, -2), x.dim(a, -1), x.dtype_of(a)), x.dims(a));
  for (int64_t i = x.known(x.dim(tau, -1), "the number of reflectors"); i-- > 0;) q = reflect(x, a, tau, i, q);
  return q;
}

Value* ormqr(X& x) {
  Value *a = x.tensor("self"), *tau = x.tensor("input2"), *c = x.tensor("input3");
  const bool left = x.flag("left");
  bool transposed = x.flag("transpose");
  if (!left) c = x.transpose(c, -2, -1), transposed = !transposed;  // C Q is (Q^T C^T)^T
  const int64_t n = x.known(x.dim(tau, -1), "the number of reflectors");
  for (int64_t k = 0; k < n; ++k) c = reflect(x, a, tau, transposed ? k : n - 1 - k, c);
  return left ? c : x.transpose(c, -2, -1);
}

// ---- products and powers ----

Value* cross(X& x, Value* a, Value* b, int64_t axis) {
  const Dims d = x.broadcast(x.dims(a), x.dims(b));
  x.require(x.rank(a) == x.rank(b), "cross: the operands have as many dimensions");
  axis = x.wrap(axis, d.size());
  x.require(!d.at(size_t(axis)).is_static() || d[size_t(axis)].value() == 3, "cross: the dimension has three elements");
  a = x.expand(a, d);
  b = x.expand(b, d);
  const auto turned = [&](Value* v, int64_t by) { return x.cat({x.slice(v, axis, by, 3), x.slice(v, axis, 0, by)}, axis); };
  return x.sub(x.mul(turned(a, 1), turned(b, 2)), x.mul(turned(a, 2), turned(b, 1)));
}

/// torch.cross without a dimension: the first one of three elements.
int64_t first_of_three(X& x, Value* a) {
  for (int64_t i : x.all_axes(a))
    if (x.dim(a, i) == Dim(3)) return i;
  x.refuse("cross: no dimension has three elements");
}

Value* vander(X& x) {
  Value* a = x.tensor("x");
  const int64_t n = x.has("N") ? x.integer("N") : x.known(x.dim(a, -1), "the number of powers");
  x.require(n >= 0, "vander: N is negative");
  if (!is_floating(x.dtype_of(a)) && !is_complex(x.dtype_of(a))) a = x.to(a, DType::kI64);
  return x.pow(x.unsqueeze(a, -1), x.arange(n, DType::kI64));
}

Value* matrix_power(X& x) {
  Value* a = x.tensor("self");
  int64_t n = x.integer("n");
  require_square(x, a);
  if (n == 0) return eye_like(x, a);
  if (n < 0) {
    x.require(n > -(int64_t(1) << 40), "matrix_power: the power is out of range");
    a = inverse(x, a);
    n = -n;
  }
  Value* result = nullptr;
  for (Value* square = a;; square = matmul(x, square, square)) {
    if (n & 1) result = result ? matmul(x, result, square) : square;
    if ((n >>= 1) == 0) return result;
  }
}

/// V f(w) V^T for the square root.
Value* matrix_sqrth(X& x) {
  const Values e = eigh(x, x.tensor("self"), "L", true);
  Value* root = x.sqrt(x.clamp(e[0], 0.0));
  return matmul(x, x.mul(e[1], x.unsqueeze(root, -2)), x.transpose(e[1], -2, -1));
}

Values first(const Values& all, size_t n) { return {all.begin(), all.begin() + ptrdiff_t(n)}; }

constexpr Row kRows[] = {
    {"aten::linalg_inv(Tensor A) -> Tensor", [](X& x) { return inverse(x, x.tensor("A")); }},
    {"aten::inverse(Tensor self) -> Tensor", [](X& x) { return inverse(x, x.tensor("self")); }},
    {"aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)", [](X& x) {
       const Values f = lu(x, x.tensor("A"), x.flag("check_errors"));
       return Values{lu_solve(x, f, eye_like(x, x.tensor("A"))), f[2]};
     }},
    {"aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor",
     [](X& x) { return solve(x, x.tensor("A"), x.tensor("B"), x.flag("left"), true)[0]; }},
    {"aten::linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)", [](X& x) {
       const Values s = solve(x, x.tensor("A"), x.tensor("B"), x.flag("left"), x.flag("check_errors"));
       return Values{s[0], s[3]};
     }},
    {"aten::_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, Tensor info)",
     [](X& x) { return solve(x, x.tensor("A"), x.tensor("B"), x.flag("left"), x.flag("check_errors")); }},
    {"aten::linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)",
     [](X& x) { return first(x.ops("aten::linalg_lu_factor_ex", {x.tensor("A"), x.arg("pivot"), true}), 2); }},
    {"aten::_lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, Tensor info)",
     [](X& x) { return x.ops("aten::linalg_lu_factor_ex", {x.tensor("self"), x.arg("pivot"), x.arg("check_errors")}); }},
    {"aten::lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor",
     [](X& x) { return lu_solve(x, {x.tensor("LU_data"), x.tensor("LU_pivots")}, x.tensor("self")); }},
    {"aten::linalg_det(Tensor A) -> Tensor", [](X& x) { return det(x, x.tensor("A"))[0]; }},
    {"aten::det(Tensor self) -> Tensor", [](X& x) { return det(x, x.tensor("self"))[0]; }},
    {"aten::_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)", [](X& x) { return det(x, x.tensor("A")); }},
    {"aten::linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)", [](X& x) { return first(slogdet(x, x.tensor("A")), 2); }},
    {"aten::slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)", [](X& x) { return first(slogdet(x, x.tensor("self")), 2); }},
    {"aten::_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)", [](X& x) { return slogdet(x, x.tensor("A")); }},
    {"aten::logdet(Tensor self) -> Tensor", logdet},

    {"aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor",
     [](X& x) { return x.ops("aten::linalg_cholesky_ex", {x.tensor("self"), x.arg("upper"), true})[0]; }},
    {"aten::cholesky(Tensor self, bool upper=False) -> Tensor",
     [](X& x) { return x.ops("aten::linalg_cholesky_ex", {x.tensor("self"), x.arg("upper"), true})[0]; }},
    {"aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor",
     [](X& x) { return cholesky_solve(x, x.tensor("self"), x.tensor("input2"), x.flag("upper")); }},
    {"aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor",
     [](X& x) { return cholesky_solve(x, eye_like(x, x.tensor("self")), x.tensor("self"), x.flag("upper")); }},

    {"aten::linalg_eigh(Tensor self, str UPLO=\"L\") -> (Tensor eigenvalues, Tensor eigenvectors)",
     [](X& x) { return eigh(x, x.tensor("self"), x.arg("UPLO"), true); }},
    {"aten::linalg_eigvalsh(Tensor self, str UPLO=\"L\") -> Tensor", [](X& x) { return eigh(x, x.tensor("self"), x.arg("UPLO"), false)[0]; }},
    {"aten::linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
     [](X& x) { return x.ops("aten::_linalg_svd", {x.tensor("A"), x.arg("full_matrices"), true}); }},
    {"aten::linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor", [](X& x) { return singular_values(x, x.tensor("A")); }},
    {"aten::linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor",
     [](X& x) { return rank_of(x, x.tensor("self"), x.arg("tol"), 0.0, x.flag("hermitian")); }},
    {"aten::linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor",
     [](X& x) { return rank_of(x, x.tensor("input"), x.arg("tol"), 0.0, x.flag("hermitian")); }},
    {"aten::linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
     [](X& x) { return rank_of(x, x.tensor("self"), x.arg("atol"), x.arg("rtol"), x.flag("hermitian")); }},
    {"aten::linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor",
     [](X& x) { return rank_of(x, x.tensor("input"), x.arg("atol"), x.arg("rtol"), x.flag("hermitian")); }},
    {"aten::linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor",
     [](X& x) { return pinv(x, x.tensor("self"), 0.0, x.arg("rcond"), x.flag("hermitian")); }},
    {"aten::linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor",
     [](X& x) { return pinv(x, x.tensor("self"), 0.0, x.arg("rcond"), x.flag("hermitian")); }},
    {"aten::linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
     [](X& x) { return pinv(x, x.tensor("self"), x.arg("atol"), x.arg("rtol"), x.flag("hermitian")); }},
    {"aten::linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor",
     [](X& x) { return pinv(x, x.tensor("self"), x.arg("atol"), x.arg("rtol"), x.flag("hermitian")); }},
    {"aten::pinverse(Tensor self, float rcond=1e-15) -> Tensor", [](X& x) { return pinv(x, x.tensor("self"), 0.0, x.arg("rcond"), false); }},
    {"aten::linalg_cond(Tensor self, Scalar? p=None) -> Tensor", condition},
    {"aten::linalg_cond.p_str(Tensor self, str p) -> Tensor", condition},

    {"aten::linalg_householder_product(Tensor input, Tensor tau) -> Tensor",
     [](X& x) { return householder_product(x, x.tensor("input"), x.tensor("tau")); }},
    {"aten::orgqr(Tensor self, Tensor input2) -> Tensor", [](X& x) { return householder_product(x, x.tensor("self"), x.tensor("input2")); }},
    {"aten::ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor", ormqr},
    {"aten::linalg_tensorinv(Tensor self, int ind=2) -> Tensor", tensorinv},
    {"aten::linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor", tensorsolve},
    {"aten::linalg_matrix_power(Tensor self, int n) -> Tensor", matrix_power},
    {"aten::matrix_power(Tensor self, int n) -> Tensor", matrix_power},
    {"aten::linalg_matrix_sqrth(Tensor self) -> Tensor", matrix_sqrth},
    {"aten::matrix_exp(Tensor self) -> Tensor", [](X& x) { return x.op("aten::linalg_matrix_exp", {x.tensor("self")}); }},
    {"aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor",
     [](X& x) { return cross(x, x.tensor("self"), x.tensor("other"), x.integer("dim")); }},
    {"aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor", [](X& x) {
       Value* a = x.tensor("self");
       return cross(x, a, x.tensor("other"), x.has("dim") ? x.integer("dim") : first_of_three(x, a));
     }},
    {"aten::linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor", vander},
};

}  // namespace

Value* matrix_norm(Expansion& x, Value* a, const Arg& order, Axes axes, bool keep) {
  axes = x.wrap(axes, x.rank(a));
  x.require(axes.size() == 2 && axes[0] != axes[1], "matrix_norm: two different dimensions");
  const std::string name = order.is_string() ? order.as_string() : "";
  if (name == "fro") return vector_norm(x, a, 2, axes, keep);
  x.require(name.empty() || name == "nuc", "matrix_norm: the order is fro, nuc or a number");
  const double p = name.empty() ? order.to_double() : 0;
  Value* y;
  if (name == "nuc" || std::abs(p) == 2) {
    Value* s = singular_values(x, movedim(x, a, axes, {-2, -1}));
    const Axes last{int64_t(x.rank(s)) - 1};
    y = name == "nuc" ? x.sum(s, last) : p > 0 ? largest(x, s, last, false) : x.amin(s, last);
    for (int64_t axis : {std::min(axes[0], axes[1]), std::max(axes[0], axes[1])})
      if (keep) y = x.unsqueeze(y, axis);
    return y;
  }
  x.require(std::abs(p) == 1 || std::isinf(p), "matrix_norm: the order is 1, -1, 2, -2 or infinite");
  if (std::isinf(p)) std::swap(axes[0], axes[1]);
  Value* sums = x.sum(x.abs(a), {axes[0]}, true);
  y = p > 0 ? largest(x, sums, {axes[1]}, true) : x.amin(sums, {axes[1]}, true);
  return keep ? y : x.op("aten::squeeze.dims", {y, axes});
}

Rows linalg_rows() { return kRows; }

}  // namespace glint::compiler
