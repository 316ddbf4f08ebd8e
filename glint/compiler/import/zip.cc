#include "glint/compiler/import/zip.h"

#include <zip.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "glint/compiler/ir/graph.h"

namespace glint::compiler {
namespace {

// Deflate cannot shrink data more than 1032-fold: a larger claim is a lie.
constexpr uint64_t kMaxDeflateRatio = 1032;

[[noreturn]] void fail(Code code, const std::string& message) { throw ir::Error(code, message); }

std::string text_of(zip_error_t* error) {
  std::string text = zip_error_strerror(error);
  zip_error_fini(error);
  return text;
}

/// An entry of an outer archive as a libzip source.
struct EntrySource {
  std::shared_ptr<const ZipArchive> archive;
  size_t entry;
  uint64_t position = 0;
  zip_error_t error;
};

zip_int64_t entry_source(void* user, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto* source = static_cast<EntrySource*>(user);
  const uint64_t size = source->archive->entries()[source->entry].size;
  switch (command) {
    case ZIP_SOURCE_OPEN: source->position = 0; return 0;
    case ZIP_SOURCE_READ: {
      const uint64_t count = std::min<uint64_t>(length, size - source->position);
      if (!source->archive->read_at(source->entry, source->position, {static_cast<std::byte*>(data), count}).ok()) {
        zip_error_set(&source->error, ZIP_ER_READ, 0);
        return -1;
      }
      source->position += count;
      return zip_int64_t(count);
    }
    case ZIP_SOURCE_CLOSE: return 0;
    case ZIP_SOURCE_STAT: {
      auto* stat = static_cast<zip_stat_t*>(data);
      zip_stat_init(stat);
      stat->size = stat->comp_size = size;
      stat->comp_method = ZIP_CM_STORE;
      stat->encryption_method = ZIP_EM_NONE;
      stat->valid = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
      return sizeof(zip_stat_t);
    }
    case ZIP_SOURCE_SEEK: {
      const zip_int64_t to = zip_source_seek_compute_offset(source->position, size, data, length, &source->error);
      if (to < 0) return -1;
      source->position = uint64_t(to);
      return 0;
    }
    case ZIP_SOURCE_TELL: return zip_int64_t(source->position);
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&source->error, data, length);
    case ZIP_SOURCE_FREE: zip_error_fini(&source->error); delete source; return 0;
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
                                            ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS, -1);
    default: zip_error_set(&source->error, ZIP_ER_OPNOTSUPP, 0); return -1;
  }
}

}  // namespace

struct ZipArchive::Handle {
  std::vector<std::byte> bytes;  // backs `zip` when opened from memory
  zip_t* zip = nullptr;
  uint64_t file_size = 0;
  ~Handle() { if (zip != nullptr) zip_discard(zip); }

  /// Takes `source` over.
  void open(zip_source_t* source, const std::string& what) {
    zip_stat_t stat;
    zip_error_t error;
    zip_error_init(&error);
    zip_stat_init(&stat);
    if (zip_source_stat(source, &stat) != 0 || !(stat.valid & ZIP_STAT_SIZE)) {
      zip_source_free(source);
      fail(Code::kIo, what + " cannot be read");
    }
    file_size = stat.size;
    zip = zip_open_from_source(source, ZIP_RDONLY, &error);
    if (zip == nullptr) {
      const bool io = zip_error_code_zip(&error) == ZIP_ER_OPEN || zip_error_code_zip(&error) == ZIP_ER_READ;
      zip_source_free(source);
      fail(io ? Code::kIo : Code::kInvalidProgram, what + ": " + text_of(&error));
    }
  }
};

struct ZipArchive::Names {
  std::unordered_map<std::string_view, size_t> index;  // views into entries_
};

ZipArchive::ZipArchive() : handle_(std::make_unique<Handle>()), names_(std::make_unique<Names>()) {}
ZipArchive::~ZipArchive() = default;

namespace {
struct Openable : ZipArchive {};  // gives make_shared the protected constructor
}  // namespace

std::shared_ptr<const ZipArchive> ZipArchive::open(const std::string& path) {
  auto archive = std::make_shared<Openable>();
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_file_create(path.c_str(), 0, -1, &error);
  if (source == nullptr) fail(Code::kIo, text_of(&error));
  archive->handle_->open(source, "the archive");
  archive->list();
  return archive;
}

std::shared_ptr<const ZipArchive> ZipArchive::open(std::vector<std::byte> bytes) {
  auto archive = std::make_shared<Openable>();
  archive->handle_->bytes = std::move(bytes);
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(archive->handle_->bytes.data(), archive->handle_->bytes.size(), 0, &error);
  if (source == nullptr) fail(Code::kOutOfMemory, text_of(&error));
  archive->handle_->open(source, "the archive");
  archive->list();
  return archive;
}

std::shared_ptr<const ZipArchive> ZipArchive::open_inner(std::shared_ptr<const ZipArchive> outer, size_t entry) {
  const Entry& inside = outer->entries()[entry];
  if (!inside.stored) {  // a compressed archive cannot be read in places, so it is inflated once
    const std::string content = outer->read(entry, uint64_t(1) << 32);
    const auto* begin = reinterpret_cast<const std::byte*>(content.data());
    return open(std::vector<std::byte>(begin, begin + content.size()));
  }
  auto archive = std::make_shared<Openable>();
  const std::string name = inside.name;
  auto context = std::make_unique<EntrySource>();
  context->archive = std::move(outer);
  context->entry = entry;
  zip_error_init(&context->error);
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_function_create(entry_source, context.get(), &error);
  if (source == nullptr) fail(Code::kOutOfMemory, text_of(&error));
  context.release();  // freed with the source
  archive->handle_->open(source, name);
  archive->list();
  return archive;
}

void ZipArchive::list() {
  zip_t* zip = handle_->zip;
  const zip_int64_t count = zip_get_num_entries(zip, 0);
  entries_.reserve(size_t(std::max<zip_int64_t>(count, 0)));
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(zip, zip_uint64_t(i), ZIP_FL_ENC_RAW, &stat) != 0 || (stat.valid & kNeeded) != kNeeded)
      fail(Code::kInvalidProgram, "the archive's directory cannot be read");
    Entry entry;
    entry.name = stat.name;
    entry.size = stat.size;
    entry.stored = stat.comp_method == ZIP_CM_STORE;
    const std::string what = "archive entry '" + entry.name.substr(0, 200) + "'";
    if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) && stat.encryption_method != ZIP_EM_NONE)
      fail(Code::kUnsupported, what + " is encrypted");
    if (!entry.stored && stat.comp_method != ZIP_CM_DEFLATE) fail(Code::kUnsupported, what + " uses a compression other than deflate");
    if (stat.comp_size > handle_->file_size || (entry.stored && stat.size != stat.comp_size) ||
        (!entry.stored && stat.size / kMaxDeflateRatio > stat.comp_size))
      fail(Code::kInvalidProgram, what + " claims a size that the file cannot hold");
    entries_.push_back(std::move(entry));
  }
  names_->index.reserve(entries_.size());
  for (size_t i = 0; i < entries_.size(); ++i)
    if (!names_->index.emplace(entries_[i].name, i).second)
      fail(Code::kInvalidProgram, "archive entry '" + entries_[i].name.substr(0, 200) + "' exists twice");
}

int64_t ZipArchive::find(std::string_view name) const {
  const auto found = names_->index.find(name);
  return found == names_->index.end() ? -1 : int64_t(found->second);
}

std::string ZipArchive::read(size_t entry, uint64_t limit) const {
  const Entry& e = entries_[entry];
  const std::string what = "archive entry '" + e.name.substr(0, 200) + "'";
  if (e.size > limit) fail(Code::kUnsupported, what + " is larger than the " + std::to_string(limit) + " bytes allowed for it");
  std::string content(e.size, '\0');
  const Status status = read_at(entry, 0, std::as_writable_bytes(std::span(content)));
  if (!status.ok()) fail(status.code(), what + ": " + status.why());
  return content;
}

Status ZipArchive::read_at(size_t entry, uint64_t offset, std::span<std::byte> out) const {
  const Entry& e = entries_[entry];
  if (offset > e.size || out.size() > e.size - offset) return invalid_program("read past the end of an archive entry");
  if (out.empty()) return {};
  zip_file_t* file = zip_fopen_index(handle_->zip, entry, 0);
  if (file == nullptr) return invalid_program("an archive entry cannot be opened");
  struct Close {
    zip_file_t* file;
    ~Close() { zip_fclose(file); }
  } close{file};
  const bool whole = out.size() == e.size;
  if (offset > 0 && e.stored) {
    if (zip_fseek(file, zip_int64_t(offset), SEEK_SET) != 0) return io_error("cannot seek in an archive entry");
    offset = 0;
  }
  std::byte skipped[16384];
  while (offset > 0) {
    const zip_int64_t n = zip_fread(file, skipped, std::min<uint64_t>(offset, sizeof skipped));
    if (n <= 0) return invalid_program("an archive entry is damaged or shorter than stated");
    offset -= uint64_t(n);
  }
  for (size_t done = 0; done < out.size();) {
    const zip_int64_t n = zip_fread(file, out.data() + done, out.size() - done);
    if (n <= 0) return invalid_program("an archive entry is damaged or shorter than stated");
    done += size_t(n);
  }
  // The checksum is compared when the end is met: only then is a whole entry known to be sound.
  if (whole && zip_fread(file, skipped, 1) != 0) return invalid_program("an archive entry is damaged: its checksum differs");
  return {};
}

}  // namespace glint::compiler
