#include "glint/compiler/import/pickle.h"

#include <cstring>
#include <unordered_map>

#include "glint/compiler/ir/graph.h"

namespace glint::compiler {
namespace {

[[noreturn]] void malformed(const char* why) { throw ir::Error(Code::kInvalidProgram, std::string("pickled tensors: ") + why); }
[[noreturn]] void refused(const std::string& what) {
  throw ir::Error(Code::kUnsupported, "pickled tensors: " + what +
      " is not part of a dictionary of tensors; nothing else in a pickle is read");
}

/// Values live in one arena and refer to each other by index, so that shared and even cyclic ones need no care.
using Ref = uint32_t;
struct Item {
  enum class Kind : uint8_t { kMark, kNone, kBool, kInt, kFloat, kString, kTuple, kList, kDict, kGlobal, kStorage, kTensor } kind;
  int64_t number = 0;         // kBool, kInt; kStorage: elements; kTensor: offset
  std::string_view text;      // kString; kGlobal: "module name"; kStorage: key
  DType dtype = DType::kF32;  // kStorage
  std::vector<Ref> items;     // kTuple, kList; kDict: key, value, key, value; kTensor: storage, sizes, strides
};
using Kind = Item::Kind;

struct StorageType { std::string_view global; DType dtype; };
constexpr StorageType kStorageTypes[] = {
    {"torch FloatStorage", DType::kF32},       {"torch DoubleStorage", DType::kF64},        {"torch HalfStorage", DType::kF16},
    {"torch BFloat16Storage", DType::kBF16},   {"torch LongStorage", DType::kI64},          {"torch IntStorage", DType::kI32},
    {"torch ShortStorage", DType::kI16},       {"torch CharStorage", DType::kI8},           {"torch ByteStorage", DType::kU8},
    {"torch BoolStorage", DType::kBool},       {"torch ComplexFloatStorage", DType::kC64},  {"torch ComplexDoubleStorage", DType::kC128},
};
constexpr std::string_view kCallables[] = {"torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_parameter", "collections OrderedDict"};

class Machine {
 public:
  explicit Machine(std::string_view input) : in_(input) {}

  PickledTensors run() {
    while (step()) {}
    if (stack_.size() != 1) malformed("the stack does not end with one value");
    return result(stack_[0]);
  }

 private:
  uint8_t byte() {
    if (at_ == in_.size()) malformed("it ends early");
    return uint8_t(in_[at_++]);
  }
  std::string_view bytes(size_t count) {
    if (count > in_.size() - at_) malformed("a length runs past the end");
    const std::string_view b = in_.substr(at_, count);
    at_ += count;
    return b;
  }
  uint64_t little(size_t count) {
    const std::string_view b = bytes(count);
    uint64_t v = 0;
    for (size_t i = 0; i < count; ++i) v |= uint64_t(uint8_t(b[i])) << (8 * i);
    return v;
  }
  std::string_view line() {
    const size_t end = in_.find('\n', at_);
    if (end == in_.npos) malformed("it ends early");
    const std::string_view text = in_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  Ref add(Item item) {
    items_.push_back(std::move(item));
    return Ref(items_.size() - 1);
  }
  void push(Item item) { stack_.push_back(add(std::move(item))); }
  Ref pop() {
    if (stack_.empty()) malformed("the stack is empty");
    const Ref r = stack_.back();
    stack_.pop_back();
    if (items_[r].kind == Kind::kMark) malformed("a mark where a value is expected");
    return r;
  }
  std::vector<Ref> pop_to_mark() {
    size_t i = stack_.size();
    while (i > 0 && items_[stack_[i - 1]].kind != Kind::kMark) --i;
    if (i == 0) malformed("there is no mark");
    std::vector<Ref> popped(stack_.begin() + ptrdiff_t(i), stack_.end());
    stack_.resize(i - 1);
    return popped;
  }
  void push_tuple(size_t count) {
    Item tuple{Kind::kTuple};
    tuple.items.resize(count);
    while (count-- > 0) tuple.items[count] = pop();
    push(std::move(tuple));
  }
  void push_int(int64_t v) {
    Item item{Kind::kInt};
    item.number = v;
    push(std::move(item));
  }
  void push_text(Kind kind, std::string_view text) {
    Item item{kind};
    item.text = text;
    push(std::move(item));
  }
  Item& top(Kind kind, const char* why) {
    if (stack_.empty() || items_[stack_.back()].kind != kind) malformed(why);
    return items_[stack_.back()];
  }
  const Item& get(Ref r, Kind kind, const char* why) const {
    if (items_[r].kind != kind) malformed(why);
    return items_[r];
  }
  void memoize(uint64_t key) {
    if (stack_.empty()) malformed("the stack is empty");
    memo_[key] = stack_.back();
  }
  void recall(uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) malformed("a reference to a value that was not stored");
    stack_.push_back(found->second);
  }
  /// A global as `module name`. Only those of the subset may appear at all.
  void push_global(std::string_view module, std::string_view name) {
    const std::string full = std::string(module) + " " + std::string(name);
    for (std::string_view known : kCallables)
      if (known == full) return push_text(Kind::kGlobal, known);
    for (const StorageType& s : kStorageTypes)
      if (s.global == full) return push_text(Kind::kGlobal, s.global);
    refused("'" + full.substr(0, 200) + "'");
  }

  bool step();
  void persistent_id();
  void reduce();
  void long_int(size_t count);
  std::vector<int64_t> ints(Ref tuple) const;
  PickledTensor tensor(const Item& item) const;
  PickledTensors result(Ref r) const;

  std::string_view in_;
  size_t at_ = 0;
  std::vector<Item> items_;
  std::vector<Ref> stack_;
  std::unordered_map<uint64_t, Ref> memo_;
};

/// One opcode; false after the last.
bool Machine::step() {
  const uint8_t op = byte();
  switch (op) {
    case 0x80: if (byte() > 5) refused("a newer protocol"); return true;      // PROTO
    case 0x95: bytes(8); return true;                                         // FRAME
    case '}': push({Kind::kDict}); return true;                               // EMPTY_DICT
    case ')': push({Kind::kTuple}); return true;                              // EMPTY_TUPLE
    case ']': push({Kind::kList}); return true;                               // EMPTY_LIST
    case '(': push({Kind::kMark}); return true;                               // MARK
    case 'N': push({Kind::kNone}); return true;                               // NONE
    case 0x88: case 0x89: {                                                   // NEWTRUE, NEWFALSE
      Item item{Kind::kBool};
      item.number = op == 0x88;
      push(std::move(item));
      return true;
    }
    case 'q': memoize(byte()); return true;                                   // BINPUT
    case 'r': memoize(little(4)); return true;                                // LONG_BINPUT
    case 0x94: { const uint64_t key = memo_.size(); memoize(key); return true; }  // MEMOIZE
    case 'h': recall(byte()); return true;                                    // BINGET
    case 'j': recall(little(4)); return true;                                 // LONG_BINGET
    case 'X': push_text(Kind::kString, bytes(little(4))); return true;        // BINUNICODE
    case 0x8c: push_text(Kind::kString, bytes(byte())); return true;          // SHORT_BINUNICODE
    case 'K': push_int(byte()); return true;                                  // BININT1
    case 'M': push_int(int64_t(little(2))); return true;                      // BININT2
    case 'J': push_int(int32_t(uint32_t(little(4)))); return true;            // BININT
    case 0x8a: long_int(byte()); return true;                                 // LONG1
    case 'G': bytes(8); push({Kind::kFloat}); return true;                    // BINFLOAT: never part of a tensor
    case 'c': { const std::string_view module = line(); push_global(module, line()); return true; }  // GLOBAL
    case 0x93: {                                                              // STACK_GLOBAL
      const Ref name = pop(), module = pop();
      push_global(get(module, Kind::kString, "a global without a name").text, get(name, Kind::kString, "a global without a name").text);
      return true;
    }
    case 't': { Item tuple{Kind::kTuple}; tuple.items = pop_to_mark(); push(std::move(tuple)); return true; }  // TUPLE
    case 0x85: push_tuple(1); return true;
    case 0x86: push_tuple(2); return true;
    case 0x87: push_tuple(3); return true;
    case 'Q': persistent_id(); return true;                                   // BINPERSID
    case 'R': reduce(); return true;                                          // REDUCE
    case 's': {                                                               // SETITEM
      const Ref value = pop(), key = pop();
      Item& dict = top(Kind::kDict, "an item outside of a dictionary");
      dict.items.push_back(key);
      dict.items.push_back(value);
      return true;
    }
    case 'u': {                                                               // SETITEMS
      const std::vector<Ref> pairs = pop_to_mark();
      if (pairs.size() % 2 != 0) malformed("a key without a value");
      Item& dict = top(Kind::kDict, "items outside of a dictionary");
      dict.items.insert(dict.items.end(), pairs.begin(), pairs.end());
      return true;
    }
    case 'a': { const Ref value = pop(); top(Kind::kList, "an entry outside of a list").items.push_back(value); return true; }  // APPEND
    case 'e': {                                                               // APPENDS
      const std::vector<Ref> values = pop_to_mark();
      Item& list = top(Kind::kList, "entries outside of a list");
      list.items.insert(list.items.end(), values.begin(), values.end());
      return true;
    }
    case 'b': {                                                               // BUILD
      // A state dictionary carries its modules' version numbers as an attribute; they say nothing about the tensors.
      pop();
      top(Kind::kDict, "attributes of something other than a dictionary");
      return true;
    }
    case '.': return false;                                                   // STOP
    default: {
      char text[16];
      std::snprintf(text, sizeof text, "opcode %02x", op);
      refused(text);
    }
  }
}

void Machine::long_int(size_t count) {
  if (count > 8) refused("an integer of more than 64 bits");
  uint64_t v = little(count);
  if (count > 0 && count < 8 && (v >> (8 * count - 1)) & 1) v |= ~uint64_t(0) << (8 * count);
  push_int(int64_t(v));
}

/// ("storage", type, key, location, elements)
void Machine::persistent_id() {
  const Item& id = get(pop(), Kind::kTuple, "a persistent id that is no tuple");
  if (id.items.size() != 5 || get(id.items[0], Kind::kString, "a persistent id without a kind").text != "storage")
    refused("a persistent id of another kind");
  Item storage{Kind::kStorage};
  const std::string_view type = get(id.items[1], Kind::kGlobal, "a storage without a type").text;
  bool known = false;
  for (const StorageType& s : kStorageTypes)
    if (s.global == type) storage.dtype = s.dtype, known = true;
  if (!known) refused("a storage of type '" + std::string(type) + "'");
  storage.text = get(id.items[2], Kind::kString, "a storage without a key").text;
  storage.number = get(id.items[4], Kind::kInt, "a storage without a size").number;
  push(std::move(storage));
}

void Machine::reduce() {
  const Ref arguments = pop(), callable = pop();
  const std::vector<Ref> args = get(arguments, Kind::kTuple, "a call without arguments").items;
  const std::string_view name = get(callable, Kind::kGlobal, "a call of something that is no function").text;
  if (name == "collections OrderedDict") {
    if (!args.empty()) refused("a dictionary made from arguments");
    push({Kind::kDict});
  } else if (name == "torch._utils _rebuild_tensor_v2") {  // storage, offset, sizes, strides, requires_grad, hooks
    if (args.size() != 6) refused("a tensor with extra state");
    Item tensor{Kind::kTensor};
    get(args[0], Kind::kStorage, "a tensor without a storage");
    tensor.number = get(args[1], Kind::kInt, "a tensor without an offset").number;
    tensor.items = {args[0], args[2], args[3]};
    push(std::move(tensor));
  } else if (name == "torch._utils _rebuild_parameter") {  // tensor, requires_grad, hooks
    if (args.size() != 3) refused("a parameter with extra state");
    get(args[0], Kind::kTensor, "a parameter without a tensor");
    stack_.push_back(args[0]);
  } else {
    refused("a call of '" + std::string(name) + "'");
  }
}

std::vector<int64_t> Machine::ints(Ref tuple) const {
  std::vector<int64_t> values;
  for (Ref r : get(tuple, Kind::kTuple, "sizes that are no tuple").items)
    values.push_back(get(r, Kind::kInt, "a size that is no integer").number);
  return values;
}

PickledTensor Machine::tensor(const Item& item) const {
  const Item& storage = items_[item.items[0]];
  PickledTensor t;
  t.storage = storage.text;
  t.dtype = storage.dtype;
  t.storage_elements = storage.number;
  t.offset = item.number;
  t.sizes = ints(item.items[1]);
  t.strides = ints(item.items[2]);
  return t;
}

PickledTensors Machine::result(Ref r) const {
  PickledTensors tensors;
  const Item& top = items_[r];
  if (top.kind == Kind::kTensor) {
    tensors.single.push_back(tensor(top));
    return tensors;
  }
  if (top.kind != Kind::kDict) refused("a value that is no dictionary");
  for (size_t i = 0; i < top.items.size(); i += 2) {
    const Item& value = items_[top.items[i + 1]];
    std::string name(get(top.items[i], Kind::kString, "a key that is no string").text);
    if (value.kind != Kind::kTensor) refused("'" + name.substr(0, 200) + "'");
    tensors.named.emplace_back(std::move(name), tensor(value));
  }
  return tensors;
}

}  // namespace

PickledTensors read_pickled_tensors(std::string_view pickle) { return Machine(pickle).run(); }

}  // namespace glint::compiler
