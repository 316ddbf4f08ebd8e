// The POSIX port.
#include "glint/base/platform.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace glint {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "glint: internal error: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

const char* environment(const char* name) { return std::getenv(name); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  const auto mine = bytes_;
  bytes_ = other.bytes_;
  other.bytes_ = mine;
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Result<MappedFile> MappedFile::open(const char* path) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return io_error("cannot open the file");
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd);
    return io_error("not a regular file");
  }
  MappedFile file;
  if (info.st_size > 0) {
    void* p = mmap(nullptr, size_t(info.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) {
      close(fd);
      return io_error("cannot map the file");
    }
    file.bytes_ = {static_cast<const std::byte*>(p), size_t(info.st_size)};
  }
  close(fd);
  return file;
}

}  // namespace glint
