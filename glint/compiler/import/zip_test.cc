#include <gtest/gtest.h>

#include "glint/compiler/import/test_archive.h"
#include "glint/compiler/ir/graph.h"

namespace glint::compiler {
namespace {

using test::Archive;
using test::bytes_of;

std::string error_of(const std::string& bytes) {
  try {
    const auto zip = ZipArchive::open(bytes_of(bytes));
    for (size_t i = 0; i < zip->entries().size(); ++i) zip->read(i, 1 << 20);
  } catch (const ir::Error& e) {
    return e.diagnostic.message;
  }
  return "";
}

TEST(Zip, ReadsEntriesAndPartsOfThem) {
  Archive a;
  a["one"] = "hello world";
  a["dir/two"] = "";
  const auto zip = ZipArchive::open(bytes_of(a.build()));
  ASSERT_EQ(zip->entries().size(), 2u);
  EXPECT_EQ(zip->find("dir/two"), 1);
  EXPECT_EQ(zip->find("two"), -1);
  EXPECT_EQ(zip->read(0, 100), "hello world");
  EXPECT_EQ(zip->read(1, 0), "");
  char part[5];
  ASSERT_TRUE(zip->read_at(0, 6, std::as_writable_bytes(std::span(part))).ok());
  EXPECT_EQ(std::string(part, 5), "world");
  EXPECT_FALSE(zip->read_at(0, 7, std::as_writable_bytes(std::span(part))).ok());
  EXPECT_FALSE(zip->read_at(0, UINT64_MAX, std::as_writable_bytes(std::span(part))).ok());
  EXPECT_THROW(zip->read(0, 10), ir::Error);
}

TEST(Zip, ReadsCompressedEntriesFromAnyOffset) {
  Archive a;
  const std::string text = "deflated content";  // as a deflate block that stores its bytes
  std::string block;
  for (int c : {1, int(text.size()), 0, 255 - int(text.size()), 255}) block.push_back(char(c));
  block.append(text);
  a["x"] = block;
  a.entries[0].method = 8;
  a.entries[0].stated_size = int64_t(text.size());
  std::string bytes = a.build();
  const uint32_t right = test::crc32(text), wrong = test::crc32(block);
  const std::string from(reinterpret_cast<const char*>(&wrong), 4), to(reinterpret_cast<const char*>(&right), 4);
  for (size_t at = bytes.find(from); at != bytes.npos; at = bytes.find(from, at + 1)) bytes.replace(at, 4, to);
  const auto zip = ZipArchive::open(bytes_of(bytes));
  EXPECT_EQ(zip->read(0, 100), text);
  char part[7];
  ASSERT_TRUE(zip->read_at(0, 9, std::as_writable_bytes(std::span(part))).ok());
  EXPECT_EQ(std::string(part, 7), "content");
}

TEST(Zip, OpensArchivesInsideArchives) {
  Archive inner, outer;
  inner["deep"] = "0123456789";
  outer["padding"] = "xx";
  outer["inner.zip"] = inner.build();
  auto zip = ZipArchive::open(bytes_of(outer.build()));
  const auto nested = ZipArchive::open_inner(zip, size_t(zip->find("inner.zip")));
  zip.reset();  // the inner one keeps it
  EXPECT_EQ(nested->read(0, 100), "0123456789");
}

TEST(Zip, RefusesWhatIsUnsound) {
  const auto with = [](auto&& change) {
    Archive a;
    a["entry"] = std::string(100, 'x');
    change(a.entries[0], a);
    return error_of(a.build());
  };
  EXPECT_EQ(with([](auto&, auto&) {}), "");
  EXPECT_NE(with([](auto&, Archive& a) { a.entries.push_back({"entry", "other"}); }), "");
  EXPECT_NE(with([](Archive::Entry& e, auto&) { e.stated_size = 0xfffffff0; }), "");
  EXPECT_NE(with([](Archive::Entry& e, auto&) { e.stated_size = e.stated_packed = 0xfffffff0; }), "");
  EXPECT_NE(with([](Archive::Entry& e, auto&) { e.stated_size = e.stated_packed = 5000; }), "");
  EXPECT_NE(with([](Archive::Entry& e, auto&) { e.method = 8; e.stated_size = 0xfffffff0; }), "");  // a bomb
  EXPECT_NE(with([](Archive::Entry& e, auto&) { e.method = 8; }), "");                              // no deflate stream
  EXPECT_NE(with([](Archive::Entry& e, auto&) { e.method = 12; }), "");
  EXPECT_NE(with([](Archive::Entry& e, auto&) { e.flags = 1; }), "");                               // encrypted
  EXPECT_NE(error_of("PK"), "");
  EXPECT_NE(error_of(std::string(1000, 'x')), "");
  Archive a;
  a["entry"] = "content";
  std::string bytes = a.build();
  const size_t end = bytes.rfind("PK\5\6");
  for (const auto& [offset, value] : std::vector<std::pair<size_t, uint8_t>>{{8, 0xff}, {10, 0xff}, {12, 0xff}, {15, 0x7f}, {16, 0xff},
      {19, 0x7f}}) {  // not the comment's length: newer libzip reads on without one
    std::string broken = bytes;
    broken[end + offset] = char(value);
    EXPECT_NE(error_of(broken), "") << offset;
  }
  std::string damaged = bytes;
  damaged[damaged.find("content")] ^= 1;
  EXPECT_NE(error_of(damaged), "");  // the checksum
}

TEST(Zip, SaysThatAFileIsMissing) {
  try {
    ZipArchive::open(std::string("/nonexistent/model.pt2"));
    FAIL();
  } catch (const ir::Error& e) {
    EXPECT_EQ(e.diagnostic.code, Code::kIo);
    EXPECT_EQ(e.diagnostic.message, "the archive cannot be read");  // callers name it
  }
}

}  // namespace
}  // namespace glint::compiler
