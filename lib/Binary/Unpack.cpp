#include "Binary/Reader.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <lz4.h>
#include <new>
#include <zstd.h>
#ifdef __linux__
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace ptxray {

using llvm::StringRef;

static constexpr unsigned largestWindow = 27; // 128 MiB, equal to ZSTD_WINDOWLOG_LIMIT_DEFAULT

static std::string unpackLz4(StringRef packed, std::string &out) {
  if (packed.size() > LZ4_MAX_INPUT_SIZE || out.size() > LZ4_MAX_INPUT_SIZE)
    return "too large for LZ4";
  const int size = LZ4_decompress_safe(packed.data(), out.data(), packed.size(), out.size());
  if (size < 0)
    return "damaged LZ4";
  if (static_cast<size_t>(size) != out.size())
    return std::to_string(size) + " bytes came out, " + std::to_string(out.size()) + " expected";
  return "";
}

/// Returns the log2 of the window size that a frame requires; 0 if the window is the text itself.
static unsigned windowOf(StringRef frame) {
  constexpr unsigned char singleSegment = 1 << 5;
  if (frame.size() < 6 || !frame.starts_with("\x28\xb5\x2f\xfd") || (frame[4] & singleSegment))
    return 0;
  return 10 + (static_cast<unsigned char>(frame[5]) >> 3);
}

/// Returns why a frame cannot be unpacked, according to its header; empty if it can. Called before memory is allocated.
static std::string whyNoFrame(StringRef packed, uint64_t bytes) {
  if (windowOf(packed) > largestWindow)
    return "a zstd window of 2^" + std::to_string(windowOf(packed)) + " bytes";
  const unsigned long long said = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (said == ZSTD_CONTENTSIZE_ERROR)
    return "damaged zstd: no frame begins here";
  if (said != ZSTD_CONTENTSIZE_UNKNOWN && said != bytes)
    return "its frame has " + std::to_string(said) + " bytes, " + std::to_string(bytes) + " expected";
  return "";
}

static std::string unpackZstd(StringRef packed, std::string &out) {
  const size_t size = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(size))
    return std::string("damaged zstd: ") + ZSTD_getErrorName(size);
  if (size != out.size())
    return std::to_string(size) + " bytes came out, " + std::to_string(out.size()) + " expected";
  return "";
}

static std::string unpackAll(const Entry &entry, std::string &out) {
  switch (entry.packing) {
  case Packing::Plain: out = entry.data.str(); return "";
  case Packing::NulLines:
    out = entry.data.str();
    std::replace(out.begin(), out.end(), '\0', '\n');
    return "";
  case Packing::Lz4:
  case Packing::Zstd: break;
  }
  if (entry.packing == Packing::Zstd)
    if (std::string wrong = whyNoFrame(entry.data, entry.unpackedBytes); !wrong.empty())
      return wrong;
  out.reserve(entry.unpackedBytes + 64); // SourceBuffer appends this number of bytes
  out.resize(entry.unpackedBytes);
  return entry.packing == Packing::Lz4 ? unpackLz4(entry.data, out) : unpackZstd(entry.data, out);
}

Expected<std::unique_ptr<SourceBuffer>> Unpacker::unpack(const Entry &entry, StringRef name) {
  const uint64_t largest = std::min<uint64_t>(limits.largestImage, SourceBuffer::largest);
  if (entry.isScrambled)
    return Problem{"scrambled with a key"};
  if (entry.unpackedBytes > largest)
    return Problem{"it claims " + std::to_string(entry.unpackedBytes) + " bytes unpacked, " + std::to_string(largest) +
                   " are allowed (--max-size)"};
  std::string text;
  if (entry.isConcatenated && rememberedFrom == entry.data.data()) {
    text = StringRef(remembered).substr(entry.partOffset, entry.bytes).str();
  } else {
    if (entry.isConcatenated)
      rememberedFrom = nullptr;
    std::string &whole = entry.isConcatenated ? remembered : text;
    if (const std::string wrong = unpackAll(entry, whole); !wrong.empty())
      return Problem{wrong};
    if (entry.isConcatenated) {
      rememberedFrom = entry.data.data();
      text = StringRef(remembered).substr(entry.partOffset, entry.bytes).str();
    }
  }
  if (entry.isText())
    text.resize(StringRef(text).rtrim('\0').size());
  return SourceBuffer::fromOwned(name, std::move(text));
}

static size_t beginLz4(StringRef packed, std::string &out) {
  if (packed.size() > LZ4_MAX_INPUT_SIZE)
    return 0;
  const int size = LZ4_decompress_safe_partial(packed.data(), out.data(), packed.size(), out.size(), out.size());
  return std::max(size, 0);
}

static size_t beginZstd(StringRef packed, std::string &out) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context || windowOf(packed) > largestWindow)
    return 0;
  ZSTD_inBuffer from{packed.data(), packed.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  while (to.pos < to.size) {
    const size_t before = to.pos;
    const size_t left = ZSTD_decompressStream(context.get(), &to, &from);
    if (ZSTD_isError(left) || left == 0 || (to.pos == before && from.pos == from.size))
      break;
  }
  return to.pos;
}

std::string Unpacker::beginning(const Entry &entry, size_t most) const {
  if (entry.isConcatenated || entry.isScrambled)
    return "";
  if (entry.packing == Packing::Plain || entry.packing == Packing::NulLines)
    return entry.data.take_front(most).str();
  std::string out(std::min<uint64_t>(most, entry.unpackedBytes), '\0');
  out.resize(entry.packing == Packing::Lz4 ? beginLz4(entry.data, out) : beginZstd(entry.data, out));
  return out;
}

static bool isControl(unsigned char byte) { return byte < ' ' && (byte < '\t' || byte > '\r'); }

std::string whyNoText(StringRef text) {
  if (text.empty())
    return "nothing but zeros";
  bool isText = true;
  for (const char c : text) // no early exit, so that compilers vectorise the loop
    isText &= !isControl(c);
  if (isText)
    return "";
  const size_t at = text.find_if(isControl);
  return "not text: byte " + std::to_string(at) + " of it is 0x" + llvm::toHex(text.substr(at, 1), /*LowerCase=*/true);
}

// ---- members

// Only Linux supports unnamed files with reserved space. On other systems, all members are kept in memory.
#ifdef __linux__
MemberStore::~MemberStore() {
  for (auto [address, size] : mapped)
    munmap(address, size);
}

/// Opens an unnamed file in the folder for large files.
static int openNameless() {
  const char *wanted = std::getenv("TMPDIR");
  for (const char *folder : {wanted ? wanted : "/var/tmp", "/var/tmp", "/tmp"}) {
    const int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
      return fd;
    std::string path = std::string(folder) + "/ptxray.XXXXXX"; // for file systems without unnamed files
    const int named = mkstemp(path.data());
    if (named >= 0) {
      unlink(path.c_str());
      return named;
    }
  }
  return -1;
}

char *MemberStore::make(uint64_t bytes, std::string &reason) {
  constexpr uint64_t largestSmall = 1 << 20;
  if (bytes <= largestSmall)
    return small.emplace_back(new char[bytes]).get();
  const int fd = openNameless();
  void *address = MAP_FAILED;
  // Reserve disk space now, because a full disk would crash the program later.
  int error = fd < 0 ? errno : posix_fallocate(fd, 0, bytes);
  if (!error && (address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED)
    error = errno;
  if (fd >= 0)
    close(fd);
  if (error) {
    reason = std::strerror(error);
    return nullptr;
  }
  mapped.emplace_back(address, bytes);
  return static_cast<char *>(address);
}

void MemberStore::letGo(StringRef bytes) {
  // Accessing a byte may load a whole large page. The mapping is shared, so no data is lost.
  constexpr uint64_t largePage = 2 << 20;
  for (auto [address, size] : mapped) {
    auto *base = static_cast<char *>(address);
    if (bytes.data() < base || bytes.data() >= base + size)
      continue;
    const uint64_t begin = llvm::alignDown(bytes.data() - base, largePage);
    const uint64_t end = std::min<uint64_t>(llvm::alignTo(bytes.end() - base, largePage), size);
    madvise(base + begin, end - begin, MADV_DONTNEED);
    return;
  }
}
#else
MemberStore::~MemberStore() = default;

char *MemberStore::make(uint64_t bytes, std::string &reason) {
  char *place = new (std::nothrow) char[bytes];
  if (!place)
    reason = "not enough memory";
  else
    small.emplace_back(place);
  return place;
}

void MemberStore::letGo(StringRef) {}
#endif

void Binary::letGo(const Entry &entry) const { members->letGo(entry.data); }

} // namespace ptxray
