// Products of vectors, matrices and tensors, all in terms of mm, bmm and addmm.

#include <algorithm>
#include <map>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

Dims concat(Dims a, const Dims& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Dims part(const Dims& d, size_t from, size_t to) { return Dims(d.begin() + ptrdiff_t(from), d.begin() + ptrdiff_t(to)); }

/// [.., k] times [k, n] as one mm over all rows.
Value* fold_rows(X& x, Value* a, Value* b) {
  const Dims& d = x.dims(a);
  const size_t last = d.size() - 1;
  Value* rows = d.size() == 2 ? a : x.view(a, {x.product(d, 0, last), d[last]});
  Value* y = x.mm(rows, b);
  return d.size() == 2 ? y : x.view(y, concat(part(d, 0, last), {x.dim(b, 1)}));
}

Value* batched(X& x, Value* a, Value* b) {
  const Dims da = x.dims(a), db = x.dims(b);
  const Dims batch = x.broadcast(part(da, 0, da.size() - 2), part(db, 0, db.size() - 2));
  const Dim count = x.product(batch);
  const auto flat = [&](Value* v, const Dims& d) {
    const Dims matrix = part(d, d.size() - 2, d.size());
    return x.view(x.expand(v, concat(batch, matrix)), concat({count}, matrix));
  };
  Value* left = flat(a, da);
  Value* y = x.bmm(left, flat(b, db));
  return x.view(y, concat(batch, {da[da.size() - 2], db.back()}));
}

/// alpha * product + beta * self, without the factors that are 1; beta 0 drops self, whatever it holds.
Value* blend(X& x, Value* self, Value* product) {
  // Whole numbers are scaled by whole numbers.
  const bool real = is_floating(x.dtype_of(product)) || is_complex(x.dtype_of(product));
  const auto factor = [&](const char* name) { return real ? Arg(x.number(name)) : Arg(int64_t(x.number(name))); };
  const Arg alpha = factor("alpha"), beta = factor("beta");
  if (alpha.to_double() != 1) product = x.mul(product, alpha);
  if (beta.to_double() == 0) return x.expand(product, x.broadcast(x.dims(self), x.dims(product)));
  return x.add(product, beta.to_double() == 1 ? Arg(self) : Arg(x.mul(self, beta)));
}

Value* outer(X& x, Value* a, Value* b) { return x.mul(x.unsqueeze(a, 1), x.unsqueeze(b, 0)); }

// ---- einsum: operands are multiplied from left to right, each pair as one bmm ----

struct Term {
  Value* value;
  std::string labels;  // one a dimension; those of an ellipsis are characters from 0x80 up, counted from the right
};

bool holds(const std::string& labels, char c) { return labels.find(c) != labels.npos; }

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

std::string place_ellipsis(X& x, const std::string& text, size_t rank) {
  const size_t dots = text.find("...");
  const size_t named = text.size() - (dots == text.npos ? 0 : 3);
  x.require(dots == text.npos ? named == rank : named <= rank, "einsum: the equation and the rank of an operand disagree");
  if (dots == text.npos) return text;
  std::string hidden;
  for (size_t i = rank - named; i > 0; --i) hidden += char(0x80 + (i - 1));
  return text.substr(0, dots) + hidden + text.substr(dots + 3);
}

Equation read_equation(X& x, std::string text, const Values& operands) {
  std::erase(text, ' ');
  Equation e;
  const size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow), rest = left;
  for (size_t i = 0; i < operands.size(); ++i) {
    const size_t comma = rest.find(',');
    x.require((comma == rest.npos) == (i + 1 == operands.size()), "einsum: the equation and the number of operands disagree");
    e.inputs.push_back(place_ellipsis(x, rest.substr(0, comma), x.rank(operands[i])));
    rest = comma == rest.npos ? "" : rest.substr(comma + 1);
  }
  std::string hidden, once;
  std::map<char, int> count;
  for (const std::string& in : e.inputs)
    for (char c : in) ++count[c];
  for (auto [c, n] : count) {
    if (uint8_t(c) >= 0x80) hidden += c;
    else if (n == 1) once += c;
  }
  std::sort(hidden.begin(), hidden.end(), [](char a, char b) { return uint8_t(a) > uint8_t(b); });
  if (arrow == text.npos) {
    e.output = hidden + once;
    return e;
  }
  const std::string right = text.substr(arrow + 2);
  const size_t dots = right.find("...");
  e.output = dots == right.npos ? right : right.substr(0, dots) + hidden + right.substr(dots + 3);
  for (char c : e.output) x.require(count.count(c) == 1, "einsum: the output names a dimension that no operand has");
  return e;
}

void take_diagonals(X& x, Term& t) {
  for (size_t i = 0; i < t.labels.size(); ++i) {
    const size_t again = t.labels.find(t.labels[i], i + 1);
    if (again == t.labels.npos) continue;
    t.value = diagonal(x, t.value, 0, int64_t(i), int64_t(again));  // the new dimension is the last
    t.labels += t.labels[i];
    t.labels.erase(again, 1);
    t.labels.erase(i--, 1);
  }
}

void sum_unless(X& x, Term& t, const std::string& wanted) {
  Axes gone;
  std::string left;
  for (size_t i = 0; i < t.labels.size(); ++i) {
    if (holds(wanted, t.labels[i])) left += t.labels[i];
    else gone.push_back(int64_t(i));
  }
  if (!gone.empty()) t = {x.sum(t.value, gone), left};
}

Value* arrange(X& x, const Term& t, const std::string& order) {
  Axes axes;
  for (char c : order) axes.push_back(int64_t(t.labels.find(c)));
  return x.permute(t.value, axes);
}

Term contract(X& x, Term a, Term b, const std::string& wanted) {
  sum_unless(x, a, b.labels + wanted);
  sum_unless(x, b, a.labels + wanted);
  std::string batch, common, only_a, only_b;
  std::map<char, Dim> size;
  for (size_t i = 0; i < a.labels.size(); ++i) {
    const char c = a.labels[i];
    size[c] = x.dim(a.value, int64_t(i));
    (!holds(b.labels, c) ? only_a : holds(wanted, c) ? batch : common) += c;
  }
  for (size_t i = 0; i < b.labels.size(); ++i) {
    const char c = b.labels[i];
    const Dim d = x.dim(b.value, int64_t(i));
    if (!holds(a.labels, c)) only_b += c, size[c] = d;
    else size[c] = x.broadcast(Dims{size[c]}, Dims{d})[0];
  }
  const auto sizes = [&](const std::string& labels) {
    Dims d;
    for (char c : labels) d.push_back(size[c]);
    return d;
  };
  const Dims nb = sizes(batch), na = sizes(only_a), nk = sizes(common), nn = sizes(only_b);
  Value* left = x.expand(arrange(x, a, batch + only_a + common), concat(concat(nb, na), nk));
  Value* right = x.expand(arrange(x, b, batch + common + only_b), concat(concat(nb, nk), nn));
  left = x.view(left, {x.product(nb), x.product(na), x.product(nk)});
  right = x.view(right, {x.product(nb), x.product(nk), x.product(nn)});
  return {x.view(x.bmm(left, right), concat(concat(nb, na), nn)), batch + only_a + only_b};
}

Value* einsum(X& x) {
  const Values operands = x.tensors("tensors");
  x.require(!operands.empty(), "einsum: no operands");
  const Equation e = read_equation(x, x.text("equation"), operands);
  std::vector<Term> terms;
  for (size_t i = 0; i < operands.size(); ++i) {
    terms.push_back({operands[i], e.inputs[i]});
    take_diagonals(x, terms.back());
  }
  Term all = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    std::string wanted = e.output;
    for (size_t j = i + 1; j < terms.size(); ++j) wanted += terms[j].labels;
    all = contract(x, all, terms[i], wanted);
  }
  sum_unless(x, all, e.output);
  return arrange(x, all, e.output);
}

Value* tensordot(X& x, Value* a, Value* b, Axes from_a, Axes from_b) {
  x.require(from_a.size() == from_b.size(), "tensordot: as many dimensions of one operand as of the other");
  from_a = x.wrap(from_a, x.rank(a));
  from_b = x.wrap(from_b, x.rank(b));
  for (size_t i = 0; i < from_a.size(); ++i) {
    const Dim da = x.dim(a, from_a[i]), db = x.dim(b, from_b[i]);
    if (da == Dim(1) && !(db == Dim(1))) b = x.sum(b, {from_b[i]}, true);
    if (db == Dim(1) && !(da == Dim(1))) a = x.sum(a, {from_a[i]}, true);
  }
  Dims rows, columns, common;
  Axes order_a, order_b = from_b;
  for (int64_t i : x.all_axes(a)) {
    if (std::count(from_a.begin(), from_a.end(), i)) continue;
    order_a.push_back(i);
    rows.push_back(x.dim(a, i));
  }
  for (int64_t i : from_a) {
    order_a.push_back(i);
    common.push_back(x.dim(a, i));
  }
  for (int64_t i : x.all_axes(b)) {
    if (std::count(from_b.begin(), from_b.end(), i)) continue;
    order_b.push_back(i);
    columns.push_back(x.dim(b, i));
  }
  Value* left = x.view(x.permute(a, order_a), {x.product(rows), x.product(common)});
  Value* right = x.view(x.permute(b, order_b), {x.product(common), x.product(columns)});
  return x.view(x.mm(left, right), concat(rows, columns));
}

Value* kron(X& x) {
  Value* a = x.tensor("self");
  Value* b = x.tensor("other");
  const size_t rank = std::max(x.rank(a), x.rank(b));
  Dims da(rank - x.rank(a), Dim(1)), db(rank - x.rank(b), Dim(1));
  da = concat(da, x.dims(a));
  db = concat(db, x.dims(b));
  Dims wide_a, wide_b, out;
  for (size_t i = 0; i < rank; ++i) {
    wide_a.insert(wide_a.end(), {da[i], Dim(1)});
    wide_b.insert(wide_b.end(), {Dim(1), db[i]});
    out.push_back(da[i] * db[i]);
  }
  return x.view(x.mul(x.view(a, wide_a), x.view(b, wide_b)), out);
}

Value* multi_dot(X& x, const Values& all) {
  x.require(!all.empty(), "multi_dot: no matrices");
  Value* y = all[0];
  for (size_t i = 1; i < all.size(); ++i) y = matmul(x, y, all[i]);
  return y;
}

Value* bilinear(X& x) {
  Value* a = x.tensor("input1");
  Value* b = x.tensor("input2");
  Value* w = x.tensor("weight");  // [out, in1, in2]
  const Dims outer_dims = part(x.dims(a), 0, x.rank(a) - 1);
  const Dim count = x.product(outer_dims), out = x.dim(w, 0), in1 = x.dim(w, 1), in2 = x.dim(w, 2);
  Value* left = x.mm(x.view(a, {count, in1}), x.view(x.permute(w, {1, 0, 2}), {in1, out * in2}));
  Value* y = x.bmm(x.view(left, {count, out, in2}), x.view(b, {count, in2, Dim(1)}));
  y = x.view(y, concat(outer_dims, {out}));
  return x.has("bias") ? x.add(y, x.tensor("bias")) : y;
}

constexpr Row kRows[] = {
    {"aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
     [](X& x) { return linear(x, x.tensor("input"), x.tensor("weight"), x.maybe("bias")); }},
    {"aten::matmul(Tensor self, Tensor other) -> Tensor", [](X& x) { return matmul(x, x.tensor("self"), x.tensor("other")); }},
    {"aten::linalg_matmul(Tensor self, Tensor other) -> Tensor", [](X& x) { return matmul(x, x.tensor("self"), x.tensor("other")); }},
    {"aten::dot(Tensor self, Tensor tensor) -> Tensor", [](X& x) { return matmul(x, x.tensor("self"), x.tensor("tensor")); }},
    {"aten::vdot(Tensor self, Tensor other) -> Tensor", [](X& x) {
       Value* a = x.tensor("self");
       return matmul(x, conj(x, a), x.tensor("other"));
     }},
    {"aten::mv(Tensor self, Tensor vec) -> Tensor", [](X& x) { return matmul(x, x.tensor("self"), x.tensor("vec")); }},
    {"aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     [](X& x) { return blend(x, x.tensor("self"), matmul(x, x.tensor("mat"), x.tensor("vec"))); }},
    {"aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     [](X& x) { return blend(x, x.tensor("self"), outer(x, x.tensor("vec1"), x.tensor("vec2"))); }},
    {"aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     [](X& x) { return blend(x, x.tensor("self"), x.bmm(x.tensor("batch1"), x.tensor("batch2"))); }},
    {"aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", [](X& x) {
       // The sum over the batch is one product over batch and inner dimension together.
       Value* a = x.tensor("batch1");
       Value* b = x.tensor("batch2");
       const Dim inner = x.dim(a, 0) * x.dim(a, 2);
       return blend(x, x.tensor("self"),
                    x.mm(x.view(x.permute(a, {1, 0, 2}), {x.dim(a, 1), inner}), x.view(b, {inner, x.dim(b, 2)})));
     }},
    {"aten::outer(Tensor self, Tensor vec2) -> Tensor", [](X& x) { return outer(x, x.tensor("self"), x.tensor("vec2")); }},
    {"aten::ger(Tensor self, Tensor vec2) -> Tensor", [](X& x) { return outer(x, x.tensor("self"), x.tensor("vec2")); }},
    {"aten::inner(Tensor self, Tensor other) -> Tensor", [](X& x) {
       Value* a = x.tensor("self");
       Value* b = x.tensor("other");
       return x.rank(a) == 0 || x.rank(b) == 0 ? x.mul(a, b) : tensordot(x, a, b, {-1}, {-1});
     }},
    {"aten::kron(Tensor self, Tensor other) -> Tensor", kron},
    {"aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor",
     [](X& x) { return tensordot(x, x.tensor("self"), x.tensor("other"), x.ints("dims_self"), x.ints("dims_other")); }},
    {"aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor", einsum},
    {"aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor", bilinear},
    {"aten::chain_matmul(Tensor[] matrices) -> Tensor", [](X& x) { return multi_dot(x, x.tensors("matrices")); }},
    {"aten::linalg_multi_dot(Tensor[] tensors) -> Tensor", [](X& x) {
       x.require(x.tensors("tensors").size() >= 2, "multi_dot: two matrices or more");
       return multi_dot(x, x.tensors("tensors"));
     }},
    {"aten::_int_mm(Tensor self, Tensor mat2) -> Tensor", [](X& x) { return x.mm(x.to(x.tensor("self"), DType::kI32), x.to(x.tensor("mat2"), DType::kI32)); }},
    // What Hugging Face exports for mixtures of experts where PyTorch's own operator lacks a dtype.
    {"transformers::grouped_mm_fallback(Tensor input, Tensor weight, Tensor offs) -> Tensor",
     [](X& x) { return x.op("aten::_grouped_mm", {x.tensor("input"), x.tensor("weight"), x.tensor("offs"), {}, {}}); }},
    {"aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor", [](X& x) {
       Value* a = x.tensor("x");
       Value* y = x.mul(conj(x, a), x.tensor("y"));
       return x.to(x.sum(y, {x.axis("dim", x.rank(y))}), x.dtype_of(y));
     }},
};

}  // namespace

Value* matmul(Expansion& x, Value* a, Value* b) {
  const size_t ra = x.rank(a), rb = x.rank(b);
  x.require(ra > 0 && rb > 0, "both operands need at least one dimension");
  x.require(x.dtype_of(a) == x.dtype_of(b), "the operands have different dtypes");
  const Dim ka = x.dim(a, -1), kb = x.dim(b, rb == 1 ? 0 : -2);
  x.require(!ka.is_static() || !kb.is_static() || ka == kb, "the inner sizes of the operands disagree");
  if (rb == 1) {
    Value* y = fold_rows(x, ra == 1 ? x.unsqueeze(a, 0) : a, x.unsqueeze(b, 1));
    y = x.squeeze(y, -1);
    return ra == 1 ? x.squeeze(y, 0) : y;
  }
  if (ra == 1) return x.squeeze(matmul(x, x.unsqueeze(a, 0), b), -2);
  if (rb == 2) return fold_rows(x, a, b);
  return batched(x, a, b);
}

Value* linear(Expansion& x, Value* input, Value* weight, Value* bias) {
  if (x.rank(weight) == 1) {
    Value* y = matmul(x, input, weight);
    return bias ? x.add(y, bias) : y;
  }
  x.require(x.rank(input) > 0, "the input needs at least one dimension");
  const Dims d = x.dims(input);
  Value* rows = d.size() == 2 ? input : x.view(input, {x.product(d, 0, d.size() - 1), d.back()});
  Value* w = x.permute(weight, {1, 0});
  Value* y = bias ? x.op("aten::addmm", {bias, rows, w}) : x.mm(rows, w);
  return d.size() == 2 ? y : x.view(y, concat(part(d, 0, d.size() - 1), {x.dim(weight, 0)}));
}

Rows linear_algebra_rows() { return kRows; }

}  // namespace glint::compiler
