// Reads members of `ar` archives and of wheels.
#include "Binary/Reader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <zlib.h>

namespace ptxray {

using llvm::StringRef;
using namespace llvm::support;

// ---- archives

/// Returns the name of a member. GNU stores long names in a separate member (`/12`), BSD before the data (`#1/20`).
static StringRef archiveName(StringRef raw, StringRef longNames, StringRef &data) {
  uint64_t number;
  if (StringRef text = raw; text.consume_front("#1/") && !text.getAsInteger(10, number) && number <= data.size()) {
    const StringRef name = data.take_front(number).rtrim('\0');
    data = data.drop_front(number);
    return name;
  }
  if (StringRef text = raw; text.consume_front("/") && !text.getAsInteger(10, number) && number < longNames.size())
    return longNames.drop_front(number).split('\n').first.split('\0').first.rtrim('/');
  return raw.rtrim('/');
}

// NOLINTNEXTLINE(misc-no-recursion): archives nest at most `deepest` deep
void Reader::readArchive(const Shell &shell) {
  using Header = llvm::object::UnixArMemHdrType;
  const StringRef bytes = shell.bytes;
  StringRef longNames;
  for (uint64_t at = StringRef("!<arch>\n").size(); at < bytes.size();) {
    if (!contains(bytes, at, sizeof(Header)))
      return problem(shell, at, "the header of an archive member is cut off");
    const auto &header = *reinterpret_cast<const Header *>(bytes.data() + at);
    uint64_t size;
    if (StringRef(header.Terminator, 2) != "`\n" ||
        StringRef(header.Size, sizeof header.Size).rtrim().getAsInteger(10, size))
      return problem(shell, at, "an archive member without a valid header");
    uint64_t begin = at + sizeof(Header);
    StringRef data = pieceOf(bytes, begin, size);
    if (size > bytes.size() - begin)
      problem(shell, at,
              "an archive's member of " + std::to_string(size) + " bytes, of which " + std::to_string(data.size()) +
                  " are there");
    const StringRef raw = StringRef(header.Name, sizeof header.Name).rtrim();
    at = begin + data.size() + (data.size() & 1);
    if (raw == "//")
      longNames = data;
    else if (raw != "/" && raw != "/SYM64/" && !raw.starts_with("__.SYMDEF")) {
      const StringRef name = archiveName(raw, longNames, data);
      readMember(shell, name, data);
    }
  }
}

// ---- wheels

namespace {

struct ZipEnd {
  char magic[4]; // PK 5 6
  ulittle16_t disk, firstDisk, countHere, count;
  ulittle32_t size, offset;
  ulittle16_t comment;
};
static_assert(sizeof(ZipEnd) == 22);
struct Zip64Locator {
  char magic[4]; // PK 6 7
  ulittle32_t disk;
  ulittle64_t offset;
  ulittle32_t disks;
};
static_assert(sizeof(Zip64Locator) == 20);
struct Zip64End {
  char magic[4]; // PK 6 6
  ulittle64_t ownSize;
  ulittle16_t madeBy, needs;
  ulittle32_t disk, firstDisk;
  ulittle64_t countHere, count, size, offset;
};
static_assert(sizeof(Zip64End) == 56);
struct ZipMember {
  char magic[4]; // PK 1 2
  ulittle16_t madeBy, needs, flags, method, time, date;
  ulittle32_t sum, packed, unpacked;
  ulittle16_t name, extra, comment, disk, internal;
  ulittle32_t external, offset;
};
static_assert(sizeof(ZipMember) == 46);
struct ZipLocal {
  char magic[4]; // PK 3 4
  ulittle16_t needs, flags, method, time, date;
  ulittle32_t sum, packed, unpacked;
  ulittle16_t name, extra;
};
static_assert(sizeof(ZipLocal) == 30);

enum : uint16_t { Stored = 0, Deflated = 8, Encrypted = 1, Zip64Extra = 1 };

constexpr uint64_t deflateGrowth = 1032;
constexpr uint64_t largestMember = 8ull << 30;
constexpr size_t enoughToKnow = 64; // bytes that isBinary examines

template <typename T> const T *at(StringRef bytes, uint64_t offset, StringRef magic) {
  const bool isThere = contains(bytes, offset, sizeof(T)) && bytes.drop_front(offset).starts_with(magic);
  return isThere ? reinterpret_cast<const T *>(bytes.data() + offset) : nullptr;
}

struct Directory {
  uint64_t offset = 0, count = 0;
  bool isThere = false;
};

Directory findDirectory(StringRef bytes) {
  constexpr StringRef magic = "PK\x05\x06";
  constexpr size_t longestComment = 0xffff;
  const size_t from = bytes.size() - std::min(bytes.size(), sizeof(ZipEnd) + longestComment);
  const size_t found = bytes.drop_front(from).rfind(magic);
  if (found == StringRef::npos)
    return {};
  const uint64_t place = from + found;
  const auto *end = at<ZipEnd>(bytes, place, magic);
  if (!end)
    return {};
  const auto *locator =
      place < sizeof(Zip64Locator) ? nullptr : at<Zip64Locator>(bytes, place - sizeof(Zip64Locator), "PK\x06\x07");
  if (!locator)
    return {end->offset, end->count, true};
  const auto *large = at<Zip64End>(bytes, locator->offset, "PK\x06\x06");
  return large ? Directory{large->offset, large->count, true} : Directory{};
}

/// A member according to the directory.
struct ZipItem {
  StringRef name;
  uint64_t packed, unpacked, offset;
  uint16_t method;
  uint32_t sum;
};

/// Reads values that do not fit 32 bits from the extra fields, in this order.
void readZip64(StringRef extra, ZipItem &item) {
  while (extra.size() >= 4) {
    const auto *head = reinterpret_cast<const ulittle16_t *>(extra.data());
    const uint64_t size = std::min<uint64_t>(head[1], extra.size() - 4);
    if (head[0] == Zip64Extra) {
      StringRef values = extra.substr(4, size);
      for (uint64_t *field : {&item.unpacked, &item.packed, &item.offset})
        if (*field == UINT32_MAX && values.size() >= 8) {
          *field = *reinterpret_cast<const ulittle64_t *>(values.data());
          values = values.drop_front(8);
        }
      return;
    }
    extra = extra.drop_front(4 + size);
  }
}

/// Inflates data without a header. Returns the number of bytes produced, at most `size`.
class Inflater {
public:
  explicit Inflater(StringRef packed) : packed(packed) { isOpen = inflateInit2(&stream, -MAX_WBITS) == Z_OK; }
  ~Inflater() {
    if (isOpen)
      inflateEnd(&stream);
  }
  uint64_t read(char *out, uint64_t size) {
    uint64_t done = 0;
    while (isOpen && !isAtEnd && done < size) {
      constexpr uint64_t step = 1u << 30;
      if (stream.avail_in == 0) {
        stream.avail_in = std::min<uint64_t>(step, packed.size());
        stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
        packed = packed.drop_front(stream.avail_in);
      }
      const uint64_t room = std::min(step, size - done);
      stream.next_out = reinterpret_cast<Bytef *>(out + done);
      stream.avail_out = room;
      const int status = inflate(&stream, Z_NO_FLUSH);
      done += room - stream.avail_out;
      isAtEnd = status == Z_STREAM_END;
      if (status != Z_OK)
        break;
    }
    return done;
  }
  bool isAtEnd = false;

private:
  StringRef packed;
  z_stream stream{};
  bool isOpen;
};

/// Returns whether a name could refer to a location outside of a folder.
bool leadsAway(StringRef name) {
  llvm::SmallVector<StringRef> parts;
  name.split(parts, '/');
  return name.starts_with("/") || name.contains('\\') || llvm::is_contained(parts, "..");
}

} // namespace

// NOLINTNEXTLINE(misc-no-recursion): archives nest at most `deepest` deep
static void readZipMember(Reader &reader, const Shell &shell, const ZipItem &item) {
  const auto *local = at<ZipLocal>(shell.bytes, item.offset, "PK\x03\x04");
  const uint64_t begin = local ? item.offset + sizeof(ZipLocal) + local->name + local->extra : 0;
  if (!local || !contains(shell.bytes, begin, item.packed))
    return reader.problem(shell, item.offset, "member " + item.name.str() + " lies outside of the file");
  const StringRef packed = shell.bytes.substr(begin, item.packed);
  if (item.method == Stored)
    return reader.readMember(shell, item.name, packed);
  char beginning[enoughToKnow];
  const uint64_t known = Inflater(packed).read(beginning, sizeof beginning);
  if (!isBinary(StringRef(beginning, known)))
    return;
  if (item.unpacked / deflateGrowth > item.packed ||
      item.unpacked > std::max(largestMember, reader.limits.largestImage))
    return reader.problem(shell, item.offset,
                          "member " + item.name.str() + " claims " + std::to_string(item.unpacked) + " bytes unpacked");
  std::string reason;
  char *room = reader.binary.members->make(item.unpacked, reason);
  if (!room)
    return reader.problem(shell, item.offset, "member " + item.name.str() + " cannot be unpacked: " + reason);
  Inflater inflater(packed);
  uint64_t done = 0;
  uint32_t sum = crc32(0, nullptr, 0);
  while (const uint64_t got = inflater.read(room + done, std::min(atOnce, item.unpacked - done))) {
    sum = crc32(sum, reinterpret_cast<const Bytef *>(room + done), got);
    reader.binary.members->letGo({room + done, size_t(got)});
    done += got;
  }
  if (done != item.unpacked || sum != item.sum)
    reader.problem(shell, item.offset, "member " + item.name.str() + " is damaged");
  reader.readMember(shell, item.name, {room, size_t(done)});
  reader.binary.members->letGo({room, size_t(done)});
}

// NOLINTNEXTLINE(misc-no-recursion): archives nest at most `deepest` deep
void Reader::readZip(const Shell &shell) {
  const StringRef bytes = shell.bytes;
  const Directory directory = findDirectory(bytes);
  if (!directory.isThere)
    return problem(shell, 0, "a zip file without a directory");
  uint64_t place = directory.offset, packedBytes = 0;
  for (uint64_t i = 0; i < directory.count; ++i) {
    const auto *member = at<ZipMember>(bytes, place, "PK\x01\x02");
    if (!member)
      return problem(shell, std::min<uint64_t>(place, bytes.size()), "the directory of a zip file is damaged");
    const StringRef behind = bytes.drop_front(place + sizeof(ZipMember));
    ZipItem item{
        behind.take_front(member->name), member->packed, member->unpacked, member->offset, member->method, member->sum};
    readZip64(behind.drop_front(item.name.size()).take_front(member->extra), item);
    place += sizeof(ZipMember) + member->name + member->extra + member->comment;
    if (item.name.ends_with("/"))
      continue;
    // Reject overlapping members, which could multiply the size of a small file.
    if (item.packed > bytes.size() - packedBytes)
      return problem(shell, item.offset, "members of a zip file that overlap");
    packedBytes += item.packed;
    if (leadsAway(item.name))
      problem(shell, item.offset, "member " + item.name.str() + " has a name that leads out of the file");
    if ((member->flags & Encrypted) || (item.method != Stored && item.method != Deflated))
      problem(shell, item.offset, "member " + item.name.str() + " is packed in an unknown way");
    else
      readZipMember(*this, shell, item);
  }
}

} // namespace ptxray
