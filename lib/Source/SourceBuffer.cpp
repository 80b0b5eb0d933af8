#include "Source/SourceBuffer.h"
#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ptxray {

static constexpr size_t padding = 64; // the scanner reads 16 bytes at a time past the end
static_assert(SourceBuffer::largest <= UINT32_MAX - padding);

static bool readAll(int fd, size_t mostBytes, std::string &out) {
  char chunk[1 << 16];
  for (;;) {
    ssize_t n = read(fd, chunk, sizeof chunk);
    if (n == 0)
      return true;
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return false;
    out.append(chunk, n);
    if (out.size() > mostBytes) {
      errno = EFBIG;
      return false;
    }
  }
}

std::unique_ptr<SourceBuffer> SourceBuffer::fromText(llvm::StringRef name, llvm::StringRef text) {
  std::string owned;
  owned.reserve(text.size() + padding);
  owned += text;
  return fromOwned(name, std::move(owned));
}

std::unique_ptr<SourceBuffer> SourceBuffer::fromOwned(llvm::StringRef name, std::string text) {
  std::unique_ptr<SourceBuffer> buffer(new SourceBuffer);
  buffer->bufferName = name.str();
  const size_t size = text.size();
  buffer->owned = std::move(text);
  buffer->owned.append(padding, '\0');
  buffer->content = llvm::StringRef(buffer->owned.data(), size);
  return buffer;
}

std::string SourceBuffer::textOf(std::unique_ptr<SourceBuffer> buffer) {
  assert(!buffer->mapping && "the text of a file is not owned");
  buffer->owned.resize(buffer->content.size());
  return std::move(buffer->owned);
}

std::unique_ptr<SourceBuffer> SourceBuffer::open(llvm::StringRef path, std::string &reason) {
  return open(path, largest, reason);
}

std::unique_ptr<SourceBuffer> SourceBuffer::openBytes(llvm::StringRef path, std::string &reason) {
  return open(path, SIZE_MAX - 2 * padding, reason);
}

std::unique_ptr<SourceBuffer> SourceBuffer::open(llvm::StringRef path, size_t mostBytes, std::string &reason) {
  auto fail = [&reason]() {
    reason = std::strerror(errno);
    return nullptr;
  };
  int fd = path == "-" ? dup(0) : ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return fail();
  std::unique_ptr<SourceBuffer> buffer(new SourceBuffer);
  buffer->bufferName = path == "-" ? "<stdin>" : path.str();
  struct stat status;
  bool ok = fstat(fd, &status) == 0;
  if (ok && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    ok = false;
  }
  size_t size = ok && S_ISREG(status.st_mode) ? status.st_size : 0;
  if (size > mostBytes) {
    errno = EFBIG;
    ok = false;
  }
  // Pages behind the end of a mapped file are not readable, so map one anonymous run first and lay
  // the file over its beginning.
  const size_t page = sysconf(_SC_PAGESIZE);
  if (ok && size >= 16 * page) {
    size_t whole = (size + padding + page - 1) / page * page;
    void *base = mmap(nullptr, whole, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ok = base != MAP_FAILED;
    if (ok && mmap(base, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
      munmap(base, whole);
      ok = false;
    }
    if (ok) {
      madvise(base, size, MADV_SEQUENTIAL);
      buffer->mapping = base;
      buffer->mappingSize = whole;
      buffer->content = llvm::StringRef(static_cast<char *>(base), size);
    }
  } else if (ok) {
    buffer->owned.reserve(size + padding);
    ok = readAll(fd, mostBytes, buffer->owned);
    size = buffer->owned.size();
    buffer->owned.append(padding, '\0');
    buffer->content = llvm::StringRef(buffer->owned.data(), size);
  }
  int error = errno;
  close(fd);
  errno = error;
  if (!ok)
    return fail();
  return buffer;
}

SourceBuffer::~SourceBuffer() {
  if (mapping)
    munmap(mapping, mappingSize);
}

void SourceBuffer::findLines() const {
  if (!lineStarts.empty())
    return;
  lineStarts.push_back(0);
  const char *begin = content.begin(), *end = content.end();
  for (const char *p = begin; (p = static_cast<const char *>(std::memchr(p, '\n', end - p)));)
    lineStarts.push_back(++p - begin);
}

LineColumn SourceBuffer::lineColumn(uint32_t offset) const {
  findLines();
  auto isBelow = [&] { return lastLine < lineStarts.size() && lineStarts[lastLine] <= offset; };
  // Mostly it is the line asked for last, or one just below it.
  const bool isAbove = offset < lineStarts[lastLine - 1];
  for (int steps = 0; steps < 8 && isBelow(); ++steps)
    ++lastLine;
  if (isAbove || isBelow())
    lastLine = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset) - lineStarts.begin();
  return {lastLine, offset - lineStarts[lastLine - 1] + 1};
}

Range SourceBuffer::lineRange(uint32_t line) const {
  findLines();
  if (line == 0 || line > lineStarts.size())
    return {};
  return {lineStarts[line - 1], line < lineStarts.size() ? lineStarts[line] - 1 : uint32_t(content.size())};
}

llvm::StringRef SourceBuffer::lineText(uint32_t line) const { return text(lineRange(line)).rtrim('\r'); }

} // namespace ptxray
