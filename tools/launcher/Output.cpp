#include "Output.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace ptxray::launcher {

static void printHex(const Bytes &bytes) {
  for (size_t i = 0; i < bytes.size(); i += 4) {
    unsigned word = 0;
    std::memcpy(&word, &bytes[i], std::min<size_t>(4, bytes.size() - i));
    std::printf("%s%08x", i % 32 ? " " : i ? "\n" : "", word);
  }
  std::printf("\n");
}

static void printElements(const Bytes &bytes, const ElementType &type) {
  for (uint64_t i = 0; i < countIn(type, bytes.size()); ++i)
    std::printf("%s%s", i % 8 ? " " : i ? "\n" : "", show(type, element(type, bytes, i)).c_str());
  std::printf("\n");
}

static std::string writeFile(const std::string &path, const std::string &header, const Bytes &bytes) {
  const std::string unwritten = "cannot write `" + path + "`";
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    return unwritten;
  bool isWhole = std::fwrite(header.data(), 1, header.size(), file) == header.size();
  isWhole &= std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  isWhole &= std::fclose(file) == 0;
  return isWhole ? "" : unwritten;
}

static std::string npyHeaderFor(const LaunchRequest &options, const std::string &name, const Bytes &bytes) {
  const ElementType &type = *options.typeOf(name);
  for (const NamedBuffer &buffer : options.buffers)
    if (buffer.name == name && !buffer.buffer.shape.empty())
      return npyHeader(type, buffer.buffer.shape);
  return npyHeader(type, {countIn(type, bytes.size())});
}

std::string writeOutput(const LaunchRequest &options, const std::string &name, const std::string &how,
                        const Bytes &bytes) {
  if (how == "hex")
    printHex(bytes);
  else if (const ElementType *type = findType(how))
    printElements(bytes, *type);
  else if (how.rfind("file:", 0) == 0)
    return writeFile(how.substr(5), "", bytes);
  else
    return writeFile(how.substr(4), npyHeaderFor(options, name, bytes), bytes);
  return "";
}

std::string flushOutput() {
  std::fflush(stdout);
  return std::ferror(stdout) ? "cannot write the output" : "";
}

Expected<bool> isAsExpected(const LaunchRequest &options, bool saysAll,
                            const std::function<Expected<Bytes>(const std::string &name)> &contents,
                            const std::function<void(const std::string &line)> &say) {
  size_t equal = 0, bytes = 0;
  for (const auto &[name, expected] : options.expectations) {
    const Expected<Bytes> kept = contents(name);
    if (!kept)
      return Problem{kept.problem()};
    const Bytes &found = *kept;
    const ElementType *type = expected.type ? expected.type : options.typeOf(name);
    const Comparison compared = compare(found, expected, type ? *type : *findType("b8"), options.tolerance);
    equal += compared.isEqual;
    bytes += found.size();
    if (!compared.isEqual || (saysAll && (!options.isRecorded || options.tolerance > 0)))
      say("buffer " + name + ' ' + compared.report);
  }
  const size_t all = options.expectations.size();
  if (options.isRecorded && all && (saysAll || equal < all))
    say(std::to_string(equal) + " of " + counted(all, "buffer") + " are as recorded, " + counted(bytes, "byte"));
  return equal == all;
}

void printTimes(const std::string &kernel, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  std::printf("%s: %zu launches, %.3f us shortest, %.3f us median, %.3f us longest\n", kernel.c_str(), times.size(),
              times.front(), times[times.size() / 2], times.back());
}

} // namespace ptxray::launcher
