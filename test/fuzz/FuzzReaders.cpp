// Reads any bytes as each of the small files that ptxray reads beside texts: a recording, the words of a launch,
// `.ptxray`, a baseline, `compile_commands.json`. The first byte selects the reader. Each reader must end without a
// fault, with a value or with the text of a problem.
#include "CompileCommands.h"
#include "RunOptions.h"
#include "Workspace/Baseline.h"
#include "Workspace/Config.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

using namespace ptxray;
using llvm::StringRef;

/// A file in memory, which is found by its path.
class MemoryPath {
public:
  explicit MemoryPath(StringRef bytes) : file(memfd_create("input", 0)) {
    if (write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      std::abort();
  }
  ~MemoryPath() { close(file); }
  MemoryPath(const MemoryPath &) = delete;
  MemoryPath &operator=(const MemoryPath &) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file); }

private:
  const int file;
};

/// Calls a reader that may run out of memory.
template <class Read> static void withinMemory(Read read) {
  try {
    read();
  } catch (const std::bad_alloc &) {
  }
}

/// Reads the bytes as a whole recording, or as one without its checksum, which is added.
static void readAsRecording(StringRef bytes) {
  uint64_t sum = 0xCBF29CE484222325;
  for (const char byte : bytes)
    sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  const std::string whole = bytes.str() + std::string(reinterpret_cast<const char *>(&sum), sizeof sum);
  for (const StringRef one : {bytes, StringRef(whole)}) {
    const MemoryPath file(one);
    withinMemory([&] {
      Expected<launcher::Recording> recording = launcher::readRecording(file.path(), 64 << 20);
      if (!recording)
        return;
      (void)launcher::remarksOn(*recording);
      (void)requestOf(std::move(*recording));
    });
  }
}

/// Reads the bytes as words separated by blanks. Leaves words out that name files, since the contents of these files do
/// not matter here.
static void readAsWords(StringRef bytes) {
  llvm::SmallVector<StringRef> words;
  bytes.split(words, ' ', -1, /*KeepEmpty=*/false);
  std::vector<std::string_view> given = {"image"};
  for (const StringRef word : words)
    if (!word.contains("file:") && !word.contains("npy:") && !word.contains("--recording"))
      given.emplace_back(word.data(), word.size());
  withinMemory([&] { (void)launcher::readOptions(given); });
}

static void readAsConfiguration(StringRef bytes) {
  ConfigText config;
  const auto [text, path] = bytes.split('\0');
  (void)config.read(text, ".ptxray");
  Settings settings;
  config.apply(config.sectionsFor(path), settings);
  (void)config.excludes(path);
}

static void readAsBaseline(StringRef bytes) {
  Baseline baseline("baseline.txt");
  baseline.read(bytes);
  (void)baseline.countDead();
  (void)baseline.text();
}

static void readAsCommands(StringRef bytes) {
  const MemoryPath file(bytes);
  (void)readCompileCommands(file.path());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size)
    return 0;
  const StringRef bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  switch (data[0]) {
  case 'r': readAsRecording(bytes); break;
  case 'w': readAsWords(bytes); break;
  case 'c': readAsConfiguration(bytes); break;
  case 'b': readAsBaseline(bytes); break;
  case 'm': readAsCommands(bytes); break;
  default: break;
  }
  return 0;
}
