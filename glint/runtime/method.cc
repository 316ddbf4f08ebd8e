#include "glint/runtime/method.h"

#include <cstring>

#include "glint/base/platform.h"
#include "glint/runtime/bind.h"
#include "glint/runtime/plan.h"

namespace glint {
namespace {

/// Bytes from the first element to the end of the last; -1 when they overflow.
int64_t extent_bytes(std::span<const int64_t> sizes, std::span<const int64_t> strides, DType dtype) {
  int64_t last = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return 0;
    int64_t step;
    if (!checked_mul(sizes[d] - 1, strides[d], &step) || !checked_add(last, step, &last)) return -1;
  }
  int64_t bytes;
  return checked_add(last, 1, &last) && checked_mul(last, int64_t(dtype_size(dtype)), &bytes) ? bytes : -1;
}
int64_t extent_bytes(const Tensor& t) { return extent_bytes(t.sizes(), t.strides(), t.dtype); }

bool same_strides(const TensorMeta& a, const TensorMeta& b) {
  for (int d = 0; d < a.rank; ++d)
    if (a.size[size_t(d)] > 1 && a.stride[size_t(d)] != b.stride[size_t(d)]) return false;
  return true;
}

bool same_number(const Value& a, const Value& b) { return a.kind == b.kind && a.i == b.i; }

/// No two elements share an address: ordered by stride, each dimension steps over all of those before it.
bool elements_distinct(const TensorMeta& t) {
  int64_t reach = 0;
  uint32_t left = (1u << t.rank) - 1;
  for (int n = 0; n < t.rank; ++n) {
    int next = -1;
    for (int d = 0; d < t.rank; ++d)
      if ((left >> d & 1) != 0 && (next < 0 || t.stride[size_t(d)] < t.stride[size_t(next)])) next = d;
    left &= ~(1u << next);
    if (t.size[size_t(next)] == 0) return true;
    if (t.size[size_t(next)] == 1) continue;
    if (t.stride[size_t(next)] <= reach) return false;
    reach += (t.size[size_t(next)] - 1) * t.stride[size_t(next)];
  }
  return true;
}

}  // namespace

Status Method::fail(Status status, Failure::At at, int32_t index) {
  failure_.status = status.at(index);
  failure_.at = at;
  failure_.index = index;
  return failure_.status;
}

// ---- inputs and outputs ----------------------------------------------------------------------------------------------

Status Method::check_input(uint32_t i, const Tensor& given) {
  const Tensor& expected = *values_[size_t(inputs_[i])].tensor;
  const Facts& facts = facts_[size_t(tensor_index(&expected))];
  failure_.has_got = true;
  failure_.got = given;
  failure_.expected = expected;
  if (given.dtype != expected.dtype) return invalid_argument("the input has another dtype");
  if (given.rank != expected.rank) return invalid_argument("the input has another rank");
  const ValueView file = view_ != nullptr ? view_->value(uint32_t(inputs_[i])) : ValueView();
  for (uint32_t d = 0; d < given.rank; ++d) {
    const bool unbound = file.tensor.dynamism == TensorView::Dynamism::kUnbound;
    const int64_t bound = d < file.tensor.sizes.size() ? file.tensor.sizes[d] : expected.size[d];
    failure_.expected.size[d] = bound;
    DimRangeView range{facts.varying ? 0 : bound, unbound ? INT64_MAX : bound, 1};
    if (file_ != nullptr && facts.varying) {
      if (const auto said = file_->input_range(i, d)) range = {said->min, said->max < range.max ? said->max : range.max, said->multiple};
    }
    const int64_t size = given.size[d];
    if (size >= range.min && size <= range.max && (size - range.min) % range.multiple == 0) continue;
    if (size >= range.min && size <= range.max && size % range.multiple == 0) continue;
    failure_.dim = int32_t(d);
    failure_.min = range.min;
    failure_.max = range.max;
    failure_.multiple = range.multiple;
    return invalid_argument("a size of the input is outside its range");
  }
  Tensor checked;
  if (!checked.set(given.dtype, given.sizes())) return invalid_argument("the input is too large");
  checked.set_dim_order({facts.order, given.rank});
  if (given.numel() != 0 && !same_strides(given, checked)) {
    failure_.expected = checked;
    return invalid_argument("the input's dimensions lie in another order in memory");
  }
  failure_.has_got = false;
  if (given.data == nullptr && given.numel() != 0) return invalid_argument("the input has no memory");
  const size_t width = dtype_size(given.dtype) < 8 ? dtype_size(given.dtype) : 8;
  if (reinterpret_cast<uintptr_t>(given.data) % width != 0) return invalid_argument("the input's memory is not aligned to its elements");
  return {};
}

Status Method::set_input(uint32_t i, const Value& value) {
  failure_ = Failure();
  if (i >= inputs_.size()) return fail(invalid_argument("the method has not that many inputs"), Failure::At::kInput, int32_t(i));
  if (file_ != nullptr) failure_.name = file_->input_name(i);
  const uint32_t v = uint32_t(inputs_[i]);
  Value& mine = values_[v];
  using K = Value::Kind;
  if (mine.kind != K::kTensor) {
    Value number = value;
    if (mine.kind == K::kFloat && value.kind == K::kInt) number = Value::of(double(value.i));
    if (number.kind != mine.kind) return fail(invalid_argument("the input is of another kind"), Failure::At::kInput, int32_t(i));
    if (mine.kind == K::kInt || mine.kind == K::kFloat || mine.kind == K::kBool) {
      if (!same_number(mine, number)) ++versions_[v];
      mine = number;
      for (Computed& c : numbers_)
        if (c.value == v) c.before = number;
    } else if (mine.kind == K::kString ? std::string_view(mine.text, mine.count) != std::string_view(value.text, value.count) : mine.kind != K::kNone) {
      return fail(unsupported("inputs of this kind cannot change"), Failure::At::kInput, int32_t(i));
    }
    input_set_[i] = true;
    return {};
  }
  if (value.kind != K::kTensor) return fail(invalid_argument("the input is of another kind"), Failure::At::kInput, int32_t(i));
  const Tensor& given = *value.tensor;
  if (const Status s = check_input(i, given); !s.ok()) return fail(s, Failure::At::kInput, int32_t(i));
  const int32_t t = tensor_index(mine.tensor);
  resize(t, given);
  if (facts_[size_t(t)].late) {
    mine.tensor->data = given.data;
    facts_[size_t(t)].capacity = given.size_bytes();
  } else if (given.numel() != 0) {
    std::memmove(mine.tensor->data, given.data, given.size_bytes());
  }
  input_set_[i] = true;
  return {};
}

Status Method::set_output(uint32_t i, std::span<std::byte> memory) {
  failure_ = Failure();
  if (i >= outputs_.size()) return fail(invalid_argument("the method has not that many outputs"), Failure::At::kOutput, int32_t(i));
  const Value& v = values_[size_t(outputs_[i])];
  const int32_t t = v.kind == Value::Kind::kTensor ? tensor_index(v.tensor) : -1;
  bool is_input = false;
  for (int32_t in : inputs_) is_input = is_input || in == outputs_[i];
  if (t < 0 || !facts_[size_t(t)].late || is_input) return fail(unsupported("the output's memory is fixed by the program"), Failure::At::kOutput, int32_t(i));
  if (memory.size() < facts_[size_t(t)].capacity) return fail(invalid_argument("the output's memory is too small"), Failure::At::kOutput, int32_t(i));
  const size_t width = dtype_size(v.tensor->dtype) < 8 ? dtype_size(v.tensor->dtype) : 8;
  if (reinterpret_cast<uintptr_t>(memory.data()) % width != 0) return fail(invalid_argument("the output's memory is not aligned to its elements"), Failure::At::kOutput, int32_t(i));
  tensors_[size_t(t)].data = memory.data();
  return {};
}

Status Method::bind_externals() {
  for (const External& e : externals_) {
    Tensor& t = tensors_[size_t(e.tensor)];
    failure_.at = Failure::At::kValue;
    failure_.index = facts_[size_t(e.tensor)].value;
    failure_.name = e.name;
    auto found = session_->external(e.name);
    if (!found) {
      const auto own = session_->program().file().find_named_data(e.name);
      if (!own) return not_found("an external tensor is in none of the weight files");
      found = NamedBytes{*own, std::nullopt};
    }
    if (found->meta) {
      failure_.got = *found->meta;
      failure_.expected = t;
      failure_.has_got = true;
      if (found->meta->dtype != t.dtype || !found->meta->same_sizes(t) || !same_strides(*found->meta, t)) return invalid_argument("an external tensor has another dtype, size or order");
    }
    failure_.has_got = false;
    if (found->bytes.size() < t.size_bytes()) return invalid_argument("an external tensor has too few bytes");
    const void* data = found->bytes.data();
    const size_t width = dtype_size(t.dtype) < 8 ? dtype_size(t.dtype) : 8;
    if (reinterpret_cast<uintptr_t>(data) % width != 0) {
      if (bound_generation_ != 0 || t.data != nullptr) return invalid_argument("an external tensor is not aligned to its elements");
      void* copy = arena_->allocate(t.size_bytes(), kPlanAlignment);
      if (copy == nullptr) return out_of_memory("no memory for an external tensor");
      std::memcpy(copy, data, t.size_bytes());
      data = copy;
    }
    t.data = const_cast<void*>(data);
  }
  if (session_ != nullptr) bound_generation_ = session_->generation();
  failure_ = Failure();
  return {};
}

void Method::close() {
  for (size_t i = 0; i < instructions_.size(); ++i) {
    Delegate* d = instructions_[i].delegate;
    if (d == nullptr) continue;
    for (size_t k = i; k < instructions_.size(); ++k)
      if (instructions_[k].delegate == d) instructions_[k].delegate = nullptr;
    d->close();
  }
}

// ---- shapes ----------------------------------------------------------------------------------------------------------

bool Method::resize(int32_t tensor, const TensorMeta& sizes) {
  Tensor& t = tensors_[size_t(tensor)];
  if (t.same_sizes(sizes)) return false;
  for (size_t d = 0; d < t.rank; ++d) t.size[d] = sizes.size[d];
  t.set_dim_order({facts_[size_t(tensor)].order, t.rank});
  ++versions_[size_t(facts_[size_t(tensor)].value)];
  return true;
}

Status Method::apply_shape(Instruction& ins, uint32_t result, Tensor& target, const Tensor& inferred) {
  const int32_t t = tensor_index(&target);
  const Facts& facts = facts_[size_t(t)];
  const auto mismatch = [&](Status s) {
    failure_.argument = int32_t(ins.in.size() + result);
    failure_.has_got = true;
    failure_.got = target;
    failure_.expected = inferred;
    return s;
  };
  if (target.dtype != inferred.dtype) return mismatch(invalid_program("the result has another dtype than the program says"));
  if (!facts.varying || facts.strided || facts.root != t)
    return target.same_sizes(inferred) ? Status() : mismatch(invalid_program("the result has other sizes than the program says"));
  TensorMeta checked;
  if (target.rank != inferred.rank) return mismatch(invalid_program("the result has another rank than the program says"));
  if (!checked.set(inferred.dtype, inferred.sizes()) || checked.size_bytes() > facts.capacity) return mismatch(invalid_argument("the result is larger than the memory planned for it"));
  resize(t, inferred);
  return {};
}

Status Method::infer(Instruction& ins) {
  Tensor metas[Schema::kMaxReturns];
  Value out[Schema::kMaxReturns];
  for (size_t r = 0; r < ins.out.size(); ++r) {
    if (ins.out[r].kind == Value::Kind::kTensor) out[r] = Value::of(&metas[r]);
    if (ins.out[r].kind == Value::Kind::kTensorList) {
      for (Tensor& t : ins.list_metas) t = Tensor();
      out[r] = Value::of(std::span<Tensor* const>(ins.list_pointers));
    }
  }
  GLINT_TRY(ins.def->infer(ins.in, {out, ins.out.size()}));
  for (uint32_t r = 0; r < ins.out.size(); ++r) {
    const Value& v = ins.out[r];
    if (v.kind == Value::Kind::kTensor) {
      GLINT_TRY(apply_shape(ins, r, *v.tensor, metas[r]));
      if (!v.tensor->is_dense() && !(ins.def->flags.strided_results && elements_distinct(*v.tensor))) return unsupported("the operator cannot write a result with gaps");
    }
    if (v.kind == Value::Kind::kTensorList)
      for (uint32_t k = 0; k < v.count; ++k) {
        GLINT_TRY(apply_shape(ins, r, *v.tensors[k], ins.list_metas[k]));
        if (!v.tensors[k]->is_dense() && !(ins.def->flags.strided_results && elements_distinct(*v.tensors[k]))) return unsupported("the operator cannot write a result with gaps");
      }
  }
  return {};
}

Status Method::plan_call(Instruction& ins) {
  if (ins.plan == nullptr) return {};
  *ins.plan = Plan();
  return ins.def->plan({*cpu_}, ins.in, ins.out, *ins.plan);
}

bool Method::reserve_scratch(const Plan& plan) {
  constexpr uint64_t kLimit = uint64_t(1) << 46;
  const size_t workers = options_.parallel != nullptr ? options_.parallel->workers() : 1;
  if (plan.scratch_bytes > kLimit || plan.worker_scratch_bytes > kLimit / (workers + 1)) return false;
  const size_t shared = size_t(align_up(plan.scratch_bytes, 64)), each = size_t(align_up(plan.worker_scratch_bytes, 64)) * workers;
  if (shared <= scratch_.size() && each <= worker_scratch_.size()) return true;
  const size_t s = shared > scratch_.size() ? shared : scratch_.size(), w = each > worker_scratch_.size() ? each : worker_scratch_.size();
  Arena lent(scratch_room_);
  Arena& arena = options_.activations.empty() ? *arena_ : lent;
  auto* p = static_cast<std::byte*>(arena.allocate(s + w, 64));
  if (p == nullptr) return false;
  scratch_ = {p, s};
  worker_scratch_ = {p + s, w};
  scratch_bytes_ = s + w;
  return true;
}

// ---- views -----------------------------------------------------------------------------------------------------------

Status Method::place_view(int32_t from, int32_t to, std::span<const int64_t> sizes, std::span<const int64_t> strides, int64_t offset) {
  const Tensor& source = tensors_[size_t(from)];
  Facts &facts = facts_[size_t(to)], &source_facts = facts_[size_t(from)];
  Tensor view = tensors_[size_t(to)];
  if (sizes.size() != view.rank) return invalid_program("a view has another rank than its tensor in the file");
  if (facts.strided) {
    if (strides.size() != sizes.size() || offset < 0) return invalid_program("a view has not a stride for each size, or a negative offset");
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] < 0 || strides[d] < 0) return invalid_program("a view has a negative size or stride");
      view.size[d] = sizes[d];
      view.stride[d] = strides[d];
    }
    TensorMeta product;
    if (!product.set(view.dtype, sizes)) return invalid_program("a view's size in bytes overflows");
  } else {
    // One size may be -1: what is left.
    int64_t known = 1, unknown = -1;
    for (size_t d = 0; d < sizes.size(); ++d) {
      view.size[d] = sizes[d];
      if (sizes[d] == -1 && unknown < 0) unknown = int64_t(d);
      else if (sizes[d] < 0 || !checked_mul(known, sizes[d], &known)) return invalid_program("a view's sizes are not valid");
    }
    if (unknown >= 0) view.size[size_t(unknown)] = known == 0 ? 0 : source.numel() / known;
    TensorMeta product;
    if (!product.set(view.dtype, view.sizes()) || product.numel() != source.numel()) return invalid_program("a view has another number of elements");
    view.set_dim_order({facts.order, view.rank});
  }
  const int64_t bytes = extent_bytes(view);
  int64_t start;
  if (bytes < 0 || !checked_mul(offset, int64_t(dtype_size(view.dtype)), &start)) return invalid_program("a view's size in bytes overflows");
  if (bytes > 0 && (uint64_t(start) > source_facts.capacity || uint64_t(bytes) > source_facts.capacity - uint64_t(start))) return invalid_program("a view reaches beyond its tensor's memory");
  if (bytes == 0) start = 0;
  if (source.data == nullptr && bytes > 0 && !facts_[size_t(source_facts.root)].late) return invalid_program("a view of a tensor that has no memory");
  view.data = source.data == nullptr ? nullptr : static_cast<std::byte*>(source.data) + start;
  facts.root = source_facts.root;
  facts.root_offset = source_facts.root_offset + uint64_t(start);
  facts.capacity = source_facts.capacity > uint64_t(start) ? source_facts.capacity - size_t(start) : 0;
  Tensor& target = tensors_[size_t(to)];
  if (!target.same_sizes(view) || !same_strides(target, view)) ++versions_[size_t(facts.value)];
  target = view;
  return {};
}

Status Method::run_view(Instruction& ins) {
  GLINT_TRY(refresh(ins));
  const auto ints = [](const Value& v) { return v.kind == Value::Kind::kIntList ? std::span<const int64_t>(v.ints, v.count) : std::span<const int64_t>(); };
  if (ins.in[2].kind != Value::Kind::kInt) return invalid_program("a view's offset is not an int");
  return place_view(ins.a, ins.b, ints(ins.in[0]), ints(ins.in[1]), ins.in[2].i);
}

/// Writes tensor `from` as entry `index` of `to` along the first dimension; `to` grows up to that entry.
Status Method::run_copy_index(Instruction& ins) {
  Tensor &to = tensors_[size_t(ins.a)], &from = tensors_[size_t(ins.b)];
  const Facts& facts = facts_[size_t(ins.a)];
  const Value& number = values_[size_t(ins.c)];
  if (number.kind != Value::Kind::kInt || number.i < 0) return invalid_argument("et_copy_index: the index is not valid");
  if (to.dtype != from.dtype || to.rank != from.rank + 1 || !from.is_contiguous()) return invalid_argument("et_copy_index: the tensors do not fit");
  TensorMeta grown = to;
  for (size_t d = 0; d < from.rank; ++d) grown.size[d + 1] = from.size[d];
  if (facts.varying) {
    if (!checked_add(number.i, 1, &grown.size[0])) return invalid_argument("et_copy_index: the index is not valid");
    TensorMeta checked;
    if (!checked.set(grown.dtype, grown.sizes()) || checked.size_bytes() > facts.capacity) return invalid_argument("et_copy_index: the result is larger than the memory planned for it");
    resize(ins.a, grown);
  } else if (!to.same_sizes(grown) || number.i >= to.size[0]) {
    return invalid_argument("et_copy_index: the index is not valid");
  }
  if (!to.is_contiguous()) return invalid_argument("et_copy_index: the tensors do not fit");
  if (from.size_bytes() == 0) return {};
  if (to.data == nullptr || from.data == nullptr) return invalid_program("a tensor is used before it has memory");
  std::memmove(static_cast<std::byte*>(to.data) + size_t(number.i) * from.size_bytes(), from.data, from.size_bytes());
  return {};
}

// ---- execution -------------------------------------------------------------------------------------------------------

Status Method::refresh(Instruction& ins) {
  for (const Refresh& r : ins.refresh) {
    const auto items = int_items_[r.value];
    if (!items.empty()) {
      auto* list = const_cast<int64_t*>(values_[r.value].ints);
      for (size_t k = 0; k < items.size(); ++k) {
        const Value& item = values_[size_t(items[k])];
        if (item.kind != Value::Kind::kInt) return invalid_program("an item of an int list was computed as another kind");
        list[k] = item.i;
      }
    }
    if (r.arg != nullptr) GLINT_TRY(convert(values_[r.value], *r.arg, *r.target));
    else *r.target = values_[r.value];
  }
  return {};
}

void Method::store_numbers(Instruction& ins) {
  for (size_t r = 0; r < ins.out.size(); ++r) {
    if (ins.out[r].kind == Value::Kind::kTensor || ins.out[r].kind == Value::Kind::kTensorList) continue;
    Value& v = values_[size_t(ins.out_values[r])];
    if (!same_number(v, ins.out[r])) ++versions_[size_t(ins.out_values[r])];
    v = ins.out[r];
  }
}

/// A result over an operand is right only where the operator says so, and over exactly that operand.
bool Method::overlap(const Instruction& ins, uint32_t* result) const {
  const auto meet = [&](const Tensor& out, const Tensor& in, size_t operand) {
    if (out.data == nullptr || in.data == nullptr) return false;
    const uintptr_t a = reinterpret_cast<uintptr_t>(out.data), b = reinterpret_cast<uintptr_t>(in.data);
    const int64_t out_bytes = extent_bytes(out), in_bytes = extent_bytes(in);
    if (out_bytes <= 0 || in_bytes <= 0 || a + uintptr_t(out_bytes) <= b || b + uintptr_t(in_bytes) <= a) return false;
    const bool may_share = ins.def->flags.may_alias || (ins.def->flags.updates_self && operand == 0);
    return !(may_share && a == b && out.dtype == in.dtype && out.same_sizes(in) && same_strides(out, in));
  };
  const auto meets_operands = [&](const Tensor& out) {
    for (size_t k = 0; k < ins.in.size(); ++k) {
      const Value& v = ins.in[k];
      if (v.kind == Value::Kind::kTensor && meet(out, *v.tensor, k)) return true;
      if (v.kind == Value::Kind::kTensorList)
        for (uint32_t e = 0; e < v.count; ++e)
          if (v.tensors[e] != nullptr && meet(out, *v.tensors[e], k)) return true;
    }
    return false;
  };
  for (uint32_t r = 0; r < ins.out.size(); ++r) {
    const Value& v = ins.out[r];
    *result = r;
    if (v.kind == Value::Kind::kTensor && meets_operands(*v.tensor)) return true;
    if (v.kind == Value::Kind::kTensorList)
      for (uint32_t e = 0; e < v.count; ++e)
        if (meets_operands(*v.tensors[e])) return true;
  }
  return false;
}

/// For operands that get their memory while running.
Status Method::check_pointers(const Instruction& ins) const {
  Status s;
  const auto check = [&](const Value& v) {
    const auto one = [&](const Tensor* t) {
      if (t != nullptr && t->data == nullptr && t->size_bytes() != 0) s = invalid_program("a tensor is used before it has memory");
    };
    if (v.kind == Value::Kind::kTensor) one(v.tensor);
    if (v.kind == Value::Kind::kTensorList)
      for (uint32_t e = 0; e < v.count; ++e) one(v.tensors[e]);
  };
  for (const Value& v : ins.in) check(v);
  for (const Value& v : ins.out) check(v);
  GLINT_TRY(s);
  uint32_t result = 0;
  return ins.def != nullptr && overlap(ins, &result) ? invalid_program("a result lies over an operand that the operator still reads") : Status();
}

Status Method::run_kernel(Instruction& ins) {
  if (ins.varying) {
    GLINT_TRY(refresh(ins));
    bool changed = ins.watched.empty() || ins.def->flags.value_shape;
    for (size_t k = 0; k < ins.watched.size(); ++k) {
      if (ins.seen[k] == versions_[ins.watched[k]]) continue;
      changed = true;
      ins.seen[k] = versions_[ins.watched[k]];
    }
    if (changed) {
      const Status s = infer(ins);
      if (!s.ok()) {
        for (uint32_t& v : ins.seen) v = UINT32_MAX;
        return s;
      }
      // Results count as seen with the sizes that they have now.
      GLINT_TRY(plan_call(ins));
      if (ins.plan != nullptr && !reserve_scratch(*ins.plan)) return out_of_memory("the operator needs more scratch memory for these sizes");
    }
  }
  if (ins.check_overlap) GLINT_TRY(check_pointers(ins));
  constexpr Plan kNoPlan;
  OpContext context(ins.plan != nullptr ? *ins.plan : kNoPlan, scratch_, worker_scratch_, options_.parallel, *cpu_,
                    session_ != nullptr ? session_->generator() : nullptr);
  GLINT_TRY(ins.def->run(context, ins.in, ins.out));
  if (ins.stores_numbers) store_numbers(ins);
  if (ins.def->flags.value_shape)
    for (const Value& v : ins.out) {
      // The operator may have found fewer elements than infer did.
      if (v.kind != Value::Kind::kTensor) continue;
      const int32_t t = tensor_index(v.tensor);
      v.tensor->set_dim_order({facts_[size_t(t)].order, v.tensor->rank});
      ++versions_[size_t(facts_[size_t(t)].value)];
    }
  return {};
}

Status Method::run_delegate(Instruction& ins) {
  GLINT_TRY(refresh(ins));
  bool changed = false;
  for (size_t k = 0; k < ins.watched.size(); ++k) {
    changed = changed || ins.seen[k] != versions_[ins.watched[k]];
    ins.seen[k] = versions_[ins.watched[k]];
  }
  if (changed) {
    GLINT_TRY(ins.delegate->reshape(ins.in));
    for (const Value& v : ins.in) {
      if (v.kind != Value::Kind::kTensor) continue;
      const Facts& f = facts_[size_t(tensor_index(v.tensor))];
      TensorMeta checked;
      if (!f.varying) continue;
      if (!checked.set(v.tensor->dtype, v.tensor->sizes()) || (!f.strided && checked.size_bytes() > f.capacity)) return invalid_argument("the result is larger than the memory planned for it");
      ++versions_[size_t(f.value)];
    }
    for (size_t k = 0; k < ins.watched.size(); ++k) ins.seen[k] = versions_[ins.watched[k]];
  }
  GLINT_TRY(check_pointers(ins));
  return ins.delegate->run(ins.in, options_.trace);
}

Result<bool> Method::condition(uint32_t value) const {
  const Value& v = values_[value];
  switch (v.kind) {
    case Value::Kind::kBool: return v.b;
    case Value::Kind::kInt: return v.i != 0;
    case Value::Kind::kFloat: return v.f != 0;
    case Value::Kind::kTensor: {
      // Several elements: all must be true.
      const Tensor& t = *v.tensor;
      if (t.dtype != DType::kBool) return invalid_program("a jump's condition is not a bool");
      if (t.data == nullptr && t.numel() != 0) return invalid_program("a tensor is used before it has memory");
      if (!t.is_dense()) return unsupported("a jump's condition has gaps");
      for (int64_t i = 0; i < t.numel(); ++i)
        if (t.as<uint8_t>()[i] == 0) return false;
      return true;
    }
    default: return invalid_program("a jump's condition is not a bool");
  }
}

Status Method::run(uint32_t i, Instruction& ins) {
  using K = Instruction::Kind;
  (void)i;
  switch (ins.kind) {
    case K::kKernel: return run_kernel(ins);
    case K::kView: return run_view(ins);
    case K::kCopyIndex: return run_copy_index(ins);
    case K::kDelegate: return run_delegate(ins);
    case K::kMove: {
      Value &from = values_[size_t(ins.a)], &to = values_[size_t(ins.b)];
      if (to.kind == Value::Kind::kTensor) {
        const int32_t a = tensor_index(from.tensor), b = tensor_index(to.tensor);
        *to.tensor = *from.tensor;
        facts_[size_t(b)].capacity = facts_[size_t(a)].capacity;
      } else {
        to = from;
      }
      ++versions_[size_t(ins.b)];
      return {};
    }
    default: return {};
  }
}

Status Method::execute() {
  failure_ = Failure();
  for (uint32_t i = 0; i < inputs_.size(); ++i)
    if (!input_set_[i] && values_[size_t(inputs_[i])].kind == Value::Kind::kTensor) {
      if (file_ != nullptr) failure_.name = file_->input_name(i);
      return fail(invalid_argument("an input was not given"), Failure::At::kInput, int32_t(i));
    }
  if (session_ != nullptr && !externals_.empty() && bound_generation_ != session_->generation()) {
    if (const Status s = bind_externals(); !s.ok()) return failure_.status = s;
  }
  for (const Moved& m : moved_) {
    tensors_[size_t(m.tensor)] = m.before;
    facts_[size_t(m.tensor)].capacity = m.capacity;
    ++versions_[size_t(facts_[size_t(m.tensor)].value)];
  }
  for (const Computed& c : numbers_) {
    if (!same_number(values_[c.value], c.before)) ++versions_[c.value];
    values_[c.value] = c.before;
  }
  for (int32_t t : late_views_) {
    const Tensor& root = tensors_[size_t(facts_[size_t(t)].root)];
    tensors_[size_t(t)].data = root.data == nullptr ? nullptr : static_cast<std::byte*>(root.data) + facts_[size_t(t)].root_offset;
  }
  if (options_.parallel != nullptr) options_.parallel->enter();
  Status status;
  uint64_t steps = 0;
  for (uint32_t pc = 0; pc < instructions_.size() && status.ok();) {
    Instruction& ins = instructions_[pc];
    if (++steps > options_.instruction_limit) {
      status = fail(invalid_program("the method runs too many instructions: a jump may never end"), Failure::At::kInstruction, int32_t(pc));
      break;
    }
    if (ins.kind == Instruction::Kind::kJumpFalse) {
      const auto truth = condition(uint32_t(ins.a));
      status = truth.status();
      if (!status.ok()) status = fail(status, Failure::At::kInstruction, int32_t(pc));
      pc = truth.ok() && !*truth ? uint32_t(ins.b) : pc + 1;
      continue;
    }
    if (options_.trace == nullptr || ins.kind == Instruction::Kind::kNothing) [[likely]] {
      status = run(pc, ins);
    } else {
      const uint64_t begin = now_ns();
      status = run(pc, ins);
      options_.trace->ran({name_, int32_t(pc), ins.def != nullptr ? ins.def->name() : ins.name, ins.plan, begin, now_ns(), ins.in, ins.out});
    }
    if (!status.ok()) {
      failure_.name = ins.name;
      failure_.overload = ins.overload;
      status = fail(Status(status), Failure::At::kInstruction, int32_t(pc));
    }
    ++pc;
  }
  if (options_.parallel != nullptr) options_.parallel->leave();
  return status;
}

}  // namespace glint
