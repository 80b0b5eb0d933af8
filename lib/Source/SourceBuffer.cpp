#include "Source/SourceBuffer.h"
#include "llvm/Support/FileSystem.h"
#include <algorithm>
#include <cassert>
#include <cstring>
#ifndef _WIN32
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace ptxray {

namespace fs = llvm::sys::fs;

static constexpr size_t padding = 64; // the scanner reads 16 bytes at a time past the end
static_assert(SourceBuffer::largest <= UINT32_MAX - padding);

static std::error_code readAll(fs::file_t file, size_t mostBytes, std::string &out) {
  char chunk[1 << 16];
  for (;;) {
    llvm::Expected<size_t> read = fs::readNativeFile(file, chunk);
    if (!read)
      return llvm::errorToErrorCode(read.takeError());
    if (*read == 0)
      return {};
    out.append(chunk, *read);
    if (out.size() > mostBytes)
      return std::make_error_code(std::errc::file_too_large);
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

Expected<std::unique_ptr<SourceBuffer>> SourceBuffer::open(llvm::StringRef path) { return open(path, largest); }

Expected<std::unique_ptr<SourceBuffer>> SourceBuffer::openBytes(llvm::StringRef path) {
  return open(path, SIZE_MAX - 2 * padding);
}

/// Maps a file, followed by `padding` zeros, in `whole` bytes. Returns null if the file must be read instead.
static void *map([[maybe_unused]] fs::file_t file, [[maybe_unused]] size_t size, [[maybe_unused]] size_t &whole) {
#ifdef _WIN32
  return nullptr;
#else
  // Pages after the end of a mapped file are not readable. Therefore, map one anonymous range first, and map the file
  // over its beginning.
  const size_t page = sysconf(_SC_PAGESIZE);
  if (size < 16 * page)
    return nullptr;
  whole = (size + padding + page - 1) / page * page;
  void *base = mmap(nullptr, whole, PROT_READ, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (base == MAP_FAILED)
    return nullptr;
  if (mmap(base, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED) {
    munmap(base, whole);
    return nullptr;
  }
  madvise(base, size, MADV_SEQUENTIAL);
  return base;
#endif
}

static std::error_code sizeOf(fs::file_t file, [[maybe_unused]] bool isInput, size_t &size) {
#ifdef _WIN32
  if (isInput) // Wine does not report it for a file that is standard input.
    return {};
#endif
  fs::file_status status;
  if (const std::error_code error = fs::status(file, status))
    return error;
  if (fs::is_directory(status))
    return std::make_error_code(std::errc::is_a_directory);
  size = fs::is_regular_file(status) ? status.getSize() : 0; // unknown for anything else
  return {};
}

std::error_code SourceBuffer::read(llvm::StringRef path, size_t mostBytes) {
  const bool isInput = path == "-";
  llvm::Expected<fs::file_t> file = isInput ? fs::getStdinHandle() : fs::openNativeFileForRead(path);
  if (!file)
    return llvm::errorToErrorCode(file.takeError());
  size_t size = 0;
  std::error_code error = sizeOf(*file, isInput, size);
  if (!error && size > mostBytes)
    error = std::make_error_code(std::errc::file_too_large);
  if (!error)
    mapping = map(*file, size, mappingSize);
  if (!error && !mapping) {
    owned.reserve(size + padding);
    error = readAll(*file, mostBytes, owned);
    size = owned.size();
    owned.append(padding, '\0');
  }
  content = llvm::StringRef(mapping ? static_cast<char *>(mapping) : owned.data(), size);
  if (!isInput)
    (void)fs::closeFile(*file); // the contents were read
  return error;
}

Expected<std::unique_ptr<SourceBuffer>> SourceBuffer::open(llvm::StringRef path, size_t mostBytes) {
  std::unique_ptr<SourceBuffer> buffer(new SourceBuffer);
  buffer->bufferName = path == "-" ? "<stdin>" : path.str();
  if (const std::error_code error = buffer->read(path, mostBytes))
    return Problem{error.message()};
  return buffer;
}

SourceBuffer::~SourceBuffer() {
#ifndef _WIN32
  if (mapping)
    munmap(mapping, mappingSize);
#endif
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
  assert(offset <= content.size() && "a place is in the text, or at its end");
  findLines();
  auto isBelow = [&] { return lastLine < lineStarts.size() && lineStarts[lastLine] <= offset; };
  // Usually, the requested line is the same as last time, or shortly after it.
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
