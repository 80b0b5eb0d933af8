// Reads and writes recordings. Lines of text describe the launch; then come the PTX, and the pages of memory.
#include "Recording.h"
#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <sys/stat.h>

namespace ptxray::launcher {

static constexpr std::string_view magic = "ptxray recording 1\n";
static constexpr size_t pageBytes = 4096, mostPieces = 1 << 16;

static uint64_t sumOf(uint64_t sum, const unsigned char *bytes, size_t count) { // FNV-1a
  for (size_t i = 0; i < count; ++i)
    sum = (sum ^ bytes[i]) * 0x100000001B3;
  return sum;
}
static constexpr uint64_t sumOfNothing = 0xCBF29CE484222325;

static size_t pagesIn(size_t size) { return (size + pageBytes - 1) / pageBytes; }
static size_t pagesOf(const Bytes &bytes) { return pagesIn(bytes.size()); }
static size_t bytesOfPage(const Bytes &bytes, size_t page) {
  return std::min(pageBytes, bytes.size() - page * pageBytes);
}

// -------------------------------------------------------------------------------------- writing
namespace {

/// Writes one part of the file, and computes its checksum.
class Part {
public:
  explicit Part(std::FILE *file) : file(file) {}
  void write(const void *bytes, size_t count) {
    sum = sumOf(sum, static_cast<const unsigned char *>(bytes), count);
    std::fwrite(bytes, 1, count, file);
  }
  void write(const std::string &text) { write(text.data(), text.size()); }
  /// Writes the pages of some memory that differ from those in `others`, after one bit for each page. If `others` is
  /// null, it writes the pages that are not zero.
  void writePages(const Bytes &bytes, const Bytes *others);
  void end() {
    std::fwrite(&sum, 1, sizeof sum, file);
    std::fflush(file);
  }

private:
  std::FILE *file;
  uint64_t sum = sumOfNothing;
};

} // namespace

void Part::writePages(const Bytes &bytes, const Bytes *others) {
  static const unsigned char zeros[pageBytes] = {};
  Bytes map((pagesOf(bytes) + 7) / 8);
  for (size_t page = 0; page < pagesOf(bytes); ++page) {
    const unsigned char *other = others ? &(*others)[page * pageBytes] : zeros;
    if (std::memcmp(&bytes[page * pageBytes], other, bytesOfPage(bytes, page)))
      map[page / 8] |= 1 << page % 8;
  }
  write(map.data(), map.size());
  for (size_t page = 0; page < pagesOf(bytes); ++page)
    if (map[page / 8] >> page % 8 & 1)
      write(&bytes[page * pageBytes], bytesOfPage(bytes, page));
}

static std::string inHex(uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, number);
  return text;
}

static std::string inHex(const Bytes &bytes) {
  constexpr const char *digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

static std::string inWords(const std::array<unsigned, 3> &numbers) {
  return std::to_string(numbers[0]) + ' ' + std::to_string(numbers[1]) + ' ' + std::to_string(numbers[2]);
}

/// Returns a text from an unknown source in one line.
static std::string inOneLine(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

void writeBefore(std::FILE *file, const Recording &recording) {
  Part part(file);
  part.write(std::string(magic));
  const auto line = [&](const std::string &key, const std::string &value) { part.write(key + ' ' + value + '\n'); };
  line("kernel", inOneLine(recording.kernel));
  line("target", inOneLine(recording.target));
  line("device", inOneLine(recording.device));
  line("grid", inWords(recording.grid));
  line("block", inWords(recording.block));
  line("cluster", inWords(recording.cluster));
  line("shared", std::to_string(recording.shared));
  line("cooperative", recording.isCooperative ? "1" : "0");
  for (const Bytes &parameter : recording.parameters)
    line("parameter", inHex(parameter));
  for (const RecordedMemory &one : recording.memory)
    line("memory", inHex(one.address) + ' ' + std::to_string(one.before.size()) +
                       (one.variable.empty() ? "" : " " + inOneLine(one.variable)));
  for (const RecordedTexels &one : recording.texels)
    line("texels", std::to_string(one.before.size()));
  for (const RecordedImage &one : recording.images)
    line("image", std::to_string(one.parameter) + ' ' + std::to_string(one.offset) + ' ' + inHex(one.image.handle) +
                      ' ' + (one.address ? inHex(one.address) : std::to_string(one.texels)) + ' ' + textOf(one.image));
  for (const std::string &what : recording.leftOut)
    line("left-out", inOneLine(what));
  line("ptx", std::to_string(recording.ptx.size()));
  part.write(recording.ptx);
  for (const RecordedMemory &one : recording.memory)
    part.writePages(one.before, nullptr);
  for (const RecordedTexels &one : recording.texels)
    part.writePages(one.before, nullptr);
  part.end();
}

void writeAfter(std::FILE *file, const Recording &recording) {
  Part part(file);
  part.write("after " + std::to_string(recording.result.value_or(0)) + '\n');
  if (recording.result == 0) {
    for (const RecordedMemory &one : recording.memory)
      part.writePages(one.after, &one.before);
    for (const RecordedTexels &one : recording.texels)
      part.writePages(one.after, &one.before);
  }
  part.end();
}

// -------------------------------------------------------------------------------------- reading
namespace {

/// Reads a file from beginning to end. After the first error, it stops reading.
class Reader {
public:
  Reader(std::string path, Bytes bytes, uint64_t most) : path(std::move(path)), most(most), bytes(std::move(bytes)) {}

  Expected<Recording> read();

private:
  void damaged(const std::string &how) {
    if (problem.empty())
      problem = "`" + path + "` is a damaged recording: " + how;
  }
  bool isSound() const { return problem.empty(); }
  size_t left() const { return bytes.size() - at; }
  /// Returns null if fewer bytes are left.
  const unsigned char *next(size_t count) {
    if (count > left())
      damaged("it ends too early");
    if (!isSound())
      return nullptr;
    at += count;
    return bytes.data() + (at - count);
  }
  // After an error, these functions return an empty value or 0.
  std::string line();
  uint64_t number(std::string_view &text, uint64_t most);
  void numbers(std::string_view text, std::array<unsigned, 3> &to);
  Bytes bytesIn(std::string_view text);
  void readHead(Recording &to);
  void readAfter(Recording &to);
  void readLine(Recording &to, const std::string &key, std::string_view value);
  void readMemory(Recording &to, std::string_view value);
  void declare(uint64_t size);
  void readImageLine(Recording &to, std::string_view value);
  void checkImages(const Recording &all);
  /// Reads the pages that differ from those in `to`. The memory only gets its size after the file was found to contain
  /// one bit per page.
  void readPages(Bytes &to, uint64_t size);
  /// Compares the checksum of the part that begins there.
  void checkSum(size_t begin);

  const std::string path;
  const uint64_t most; // limit for the bytes of memory
  const Bytes bytes;
  std::string problem;
  size_t at = 0;
  std::vector<uint64_t> sizes, texelSizes; // sizes of memory, and of texels
  uint64_t declared = 0;                   // sum of these sizes
  uint64_t end = 0;                        // end of the memory read so far, apart from variables
};

} // namespace

std::string Reader::line() {
  const auto begin = bytes.begin() + static_cast<ptrdiff_t>(at), end = std::find(begin, bytes.end(), '\n');
  if (end == bytes.end()) {
    damaged("it ends too early");
    return "";
  }
  at += end - begin + 1;
  return {begin, end};
}

/// Reads a number and the space after it.
uint64_t Reader::number(std::string_view &text, uint64_t most) {
  const std::string word(text.substr(0, text.find(' ')));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  char *end = nullptr;
  errno = 0;
  const uint64_t value = std::strtoull(word.c_str(), &end, 0);
  if (!word.empty() && word[0] >= '0' && word[0] <= '9' && !*end && !errno && value <= most)
    return value;
  damaged("`" + word + "` is not a valid number here");
  return 0;
}

void Reader::numbers(std::string_view text, std::array<unsigned, 3> &to) {
  for (unsigned &one : to)
    one = static_cast<unsigned>(number(text, UINT32_MAX));
}

Bytes Reader::bytesIn(std::string_view text) {
  Bytes all;
  const auto digit = [&](char c) -> unsigned {
    if (c >= '0' && c <= '9')
      return c - '0';
    if (c >= 'a' && c <= 'f')
      return c - 'a' + 10;
    damaged("a parameter is not in hexadecimal digits");
    return 0;
  };
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    all.push_back(digit(text[i]) << 4 | digit(text[i + 1]));
  if (text.size() % 2)
    damaged("a parameter ends in the middle of a byte");
  return all;
}

void Reader::declare(uint64_t size) {
  declared += size;
  if (declared > most || sizes.size() + texelSizes.size() > mostPieces)
    damaged("it has more memory than the limit for recordings");
}

void Reader::readImageLine(Recording &to, std::string_view value) {
  RecordedImage &one = to.images.emplace_back();
  one.parameter = number(value, mostPieces);
  one.offset = number(value, mostRecorded);
  const uint64_t handle = number(value, UINT64_MAX), where = number(value, UINT64_MAX);
  if (where < mostPieces)
    one.texels = static_cast<size_t>(where);
  else
    one.address = where;
  if (const std::string fault = take(one.image, readImage(std::string(value) + ":&0")); !fault.empty())
    damaged(fault);
  one.image.handle = handle;
  if (to.images.size() > mostPieces || one.image.kind == ImageDescription::Kind::Sampler)
    damaged("it has an invalid image");
}

/// Checks that the handles of images are in parameters, and that the file has their texels.
void Reader::checkImages(const Recording &all) {
  for (const RecordedImage &one : all.images) {
    constexpr uint32_t mostExtent = 1 << 28;
    const bool isSane = std::all_of(one.image.extents.begin(), one.image.extents.end(),
                                    [](uint32_t extent) { return extent && extent <= mostExtent; }) &&
                        one.image.layers <= mostPieces && one.image.levels && one.image.levels < 32;
    const bool hasHandle = one.parameter < all.parameters.size() && all.parameters[one.parameter].size() >= 8 &&
                           one.offset <= all.parameters[one.parameter].size() - 8;
    if (!isSane || !hasHandle)
      return damaged("it has an invalid image");
    if (one.address ? !memoryOf(all, one)
                    : one.texels >= texelSizes.size() || texelSizes[one.texels] < bytesOf(one.image))
      damaged("the texels of an image are missing");
  }
}

void Reader::readMemory(Recording &to, std::string_view value) {
  constexpr uint64_t last = uint64_t(1) << 56; // addresses are lower than this
  RecordedMemory &one = to.memory.emplace_back();
  one.address = number(value, last);
  const uint64_t size = number(value, mostRecorded);
  sizes.push_back(size);
  declare(size);
  one.variable = value;
  if (!one.variable.empty())
    return;
  if (one.address < end)
    damaged("its memory overlaps, or is not sorted");
  end = one.address + size;
}

void Reader::readLine(Recording &to, const std::string &key, std::string_view value) {
  if (key == "kernel")
    to.kernel = value;
  else if (key == "target")
    to.target = value;
  else if (key == "device")
    to.device = value;
  else if (key == "grid")
    numbers(value, to.grid);
  else if (key == "block")
    numbers(value, to.block);
  else if (key == "cluster")
    numbers(value, to.cluster);
  else if (key == "shared")
    to.shared = static_cast<unsigned>(number(value, UINT32_MAX));
  else if (key == "cooperative")
    to.isCooperative = number(value, 1);
  else if (key == "parameter")
    to.parameters.push_back(bytesIn(value));
  else if (key == "memory")
    readMemory(to, value);
  else if (key == "texels") {
    texelSizes.push_back(number(value, mostRecorded));
    declare(texelSizes.back());
  } else if (key == "image")
    readImageLine(to, value);
  else if (key == "left-out")
    to.leftOut.emplace_back(value);
  else
    damaged("`" + inOneLine(key) + "` is not known");
}

void Reader::readPages(Bytes &to, uint64_t size) {
  const unsigned char *map = next((pagesIn(size) + 7) / 8);
  if (!map)
    return;
  to.resize(size);
  for (size_t page = 0; page < pagesOf(to); ++page)
    if (map[page / 8] >> page % 8 & 1) {
      const size_t count = bytesOfPage(to, page);
      const unsigned char *from = next(count);
      if (!from)
        return;
      std::memcpy(&to[page * pageBytes], from, count);
    }
}

void Reader::checkSum(size_t begin) {
  const uint64_t sum = sumOf(sumOfNothing, bytes.data() + begin, at - begin);
  const unsigned char *written = next(sizeof sum);
  if (written && std::memcmp(written, &sum, sizeof sum))
    damaged("its sum is another");
}

/// Reads the description of the launch, and the memory before it.
void Reader::readHead(Recording &to) {
  to.grid = to.block = {};
  while (isSound()) {
    const std::string text = line();
    const size_t space = text.find(' ');
    const std::string key = text.substr(0, space);
    std::string_view value = space == std::string::npos ? "" : std::string_view(text).substr(space + 1);
    if (key == "ptx") {
      const uint64_t count = number(value, left());
      if (const unsigned char *ptx = next(count))
        to.ptx.assign(reinterpret_cast<const char *>(ptx), count);
      break;
    }
    if (isSound())
      readLine(to, key, value);
  }
  if (to.kernel.empty() || to.parameters.size() > mostPieces)
    damaged("the launched kernel is missing");
  for (size_t i = 0; i < sizes.size() && isSound(); ++i)
    readPages(to.memory[i].before, sizes[i]);
  to.texels.resize(texelSizes.size());
  for (size_t i = 0; i < texelSizes.size() && isSound(); ++i)
    readPages(to.texels[i].before, texelSizes[i]);
  if (!isSound()) // an image may be half read
    return;
  checkSum(0);
  checkImages(to);
}

/// Reads the memory that the launch left.
void Reader::readAfter(Recording &to) {
  const size_t begin = at;
  const std::string text = line();
  if (text.rfind("after ", 0) != 0)
    return damaged("the memory after the launch is missing");
  std::string_view value = std::string_view(text).substr(6);
  to.result = static_cast<int>(number(value, 99999));
  const auto readPieces = [&](auto &pieces, const std::vector<uint64_t> &counts) {
    for (size_t i = 0; i < counts.size() && isSound(); ++i) {
      pieces[i].after = pieces[i].before;
      readPages(pieces[i].after, counts[i]);
    }
  };
  if (to.result == 0) {
    readPieces(to.memory, sizes);
    readPieces(to.texels, texelSizes);
  }
  checkSum(begin);
  if (left())
    damaged("something follows its end");
}

Expected<Recording> Reader::read() {
  Recording all;
  const size_t count = std::min(left(), magic.size());
  if (std::string_view(reinterpret_cast<const char *>(next(count)), count) != magic)
    return Problem{"`" + path + "` is not a recording of `ptxray record`"};
  readHead(all);
  if (isSound() && left()) // otherwise the kernel did not end
    readAfter(all);
  return isSound() ? Expected<Recording>(std::move(all)) : Problem{problem};
}

bool isRecording(const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) || !S_ISREG(status.st_mode)) // the contents of a pipe can only be read once
    return false;
  std::ifstream file(path, std::ios::binary);
  std::string beginning(magic.size(), ' ');
  return file.read(beginning.data(), static_cast<std::streamsize>(magic.size())) && beginning == magic;
}

Expected<Recording> readRecording(const std::string &path, uint64_t most) {
  Expected<Bytes> bytes = readBytes(path);
  return bytes ? Reader(path, std::move(*bytes), std::min(most, mostRecorded)).read() : Problem{bytes.problem()};
}

std::vector<std::string> remarksOn(const Recording &recording) {
  std::vector<std::string> remarks;
  for (const std::string &what : recording.leftOut)
    remarks.push_back("not recorded: " + what);
  if (!recording.result)
    remarks.emplace_back("the recorded launch did not end: there is nothing to compare with");
  else if (*recording.result)
    remarks.push_back("the recorded launch ended with error " + std::to_string(*recording.result) +
                      " of the driver: there is nothing to compare with");
  return remarks;
}

// -------------------------------------------------------------------------------- as a launch
/// Returns the name of memory. This is the number of an argument that points into it, as if the argument had been
/// written as its buffer, or otherwise the address.
static std::string nameOf(const RecordedMemory &memory, const std::vector<Bytes> &parameters) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    uint64_t word = 0;
    if (parameters[i].size() < sizeof word)
      continue;
    std::memcpy(&word, parameters[i].data(), sizeof word);
    if (word - memory.address < memory.before.size())
      return std::to_string(i);
  }
  return inHex(memory.address);
}

const RecordedMemory *memoryOf(const Recording &recording, const RecordedImage &one) {
  const uint64_t bytes = bytesOf(one.image);
  for (const RecordedMemory &memory : recording.memory)
    if (one.address >= memory.address && one.address - memory.address <= memory.before.size() &&
        bytes <= memory.before.size() - (one.address - memory.address))
      return &memory;
  return nullptr;
}

/// Converts textures and surfaces to those of arguments. Texels of arrays become buffers, with the number of the first
/// parameter that has an image of them.
static void takeImages(LaunchRequest &request, Recording &recording) {
  const auto isSurface = [](const RecordedImage &one) { return one.image.kind == ImageDescription::Kind::Surface; };
  std::vector<std::string> names(recording.texels.size());
  std::vector<bool> areWritten(recording.texels.size());
  for (RecordedImage &one : recording.images) {
    if (const RecordedMemory *memory = one.address ? memoryOf(recording, one) : nullptr) {
      one.image.at = {memory->variable.empty() ? nameOf(*memory, recording.parameters) : memory->variable,
                      one.address - memory->address};
    } else {
      std::string &name = names[one.texels];
      if (name.empty())
        name = std::to_string(one.parameter) + (one.offset ? "+" + std::to_string(one.offset) : "");
      one.image.at = {name, 0};
      if (isSurface(one))
        areWritten[one.texels] = true;
    }
    request.arguments[one.parameter].images.emplace_back(one.offset, std::move(one.image));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    Buffer before, after;
    before.bytes = std::move(recording.texels[i].before);
    after.bytes = std::move(recording.texels[i].after);
    if (recording.result == 0 && areWritten[i])
      request.expectations.emplace_back(names[i], std::move(after));
    request.buffers.push_back({names[i], std::move(before)});
  }
}

LaunchRequest requestOf(Recording recording) {
  LaunchRequest request;
  static_cast<LaunchShape &>(request) = recording;
  request.kernel = recording.kernel;
  request.isRecorded = true;
  request.isPartial = !recording.leftOut.empty();
  const bool hasResults = recording.result == 0;
  for (const Bytes &parameter : recording.parameters)
    request.arguments.emplace_back().bytes = parameter;
  takeImages(request, recording);
  for (RecordedMemory &one : recording.memory) {
    const bool isVariable = !one.variable.empty();
    const std::string name = isVariable ? one.variable : nameOf(one, recording.parameters);
    Buffer before, after;
    before.bytes = std::move(one.before);
    before.at = one.address;
    after.bytes = std::move(one.after);
    after.at = one.address;
    if (hasResults)
      request.expectations.emplace_back(name, std::move(after));
    if (isVariable)
      request.variables.emplace_back(name, std::move(before));
    else
      request.buffers.push_back({name, std::move(before)});
  }
  return request;
}

void relocate(Bytes &bytes, const std::vector<Move> &moves) {
  uint64_t word = 0;
  for (size_t i = 0; !moves.empty() && i + sizeof word <= bytes.size(); i += sizeof word) {
    std::memcpy(&word, &bytes[i], sizeof word);
    const auto after = std::upper_bound(moves.begin(), moves.end(), word,
                                        [](uint64_t address, const Move &move) { return address < move.from; });
    if (after == moves.begin() || word - std::prev(after)->from >= std::prev(after)->bytes)
      continue;
    word += std::prev(after)->to - std::prev(after)->from;
    std::memcpy(&bytes[i], &word, sizeof word);
  }
}

std::vector<Move> realMoves(std::vector<Move> moves) {
  std::erase_if(moves, [](const Move &move) { return move.from == move.to; });
  std::sort(moves.begin(), moves.end(), [](const Move &one, const Move &other) { return one.from < other.from; });
  return moves;
}

void relocate(LaunchRequest &request, const std::vector<Move> &moves) {
  for (Argument &argument : request.arguments)
    relocate(argument.bytes, moves);
  for (NamedBuffer &buffer : request.buffers)
    if (buffer.buffer.at)
      relocate(buffer.buffer.bytes, moves);
  for (auto &[name, value] : request.variables)
    relocate(value.bytes, moves);
  for (auto &[name, expected] : request.expectations)
    if (expected.at)
      relocate(expected.bytes, moves);
}

} // namespace ptxray::launcher
