#include "Binaries.h"
#include "Gpus/Images.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"
#include <set>

namespace ptxray {

using llvm::StringRef;

Option entryOption() { return {"--text", "N", "only the PTX that `extract --list` shows as N", "--entry"}; }

Option maxSizeOption() { return {"--max-size", "BYTES", "do not unpack PTX or cubins larger than this (default: 1G)"}; }

std::optional<uint64_t> bytesNamed(StringRef text) {
  const unsigned shift = text.consume_back("K") ? 10 : text.consume_back("M") ? 20 : text.consume_back("G") ? 30 : 0;
  uint64_t number = 0;
  if (text.getAsInteger(10, number) || number > UINT64_MAX >> shift)
    return std::nullopt;
  return number << shift;
}

Expected<ReadLimits> readLimits(const Arguments &arguments) {
  std::optional<StringRef> written = arguments.value("--max-size");
  if (!written)
    return ReadLimits();
  const std::optional<uint64_t> size = bytesNamed(*written);
  if (!size || !*size || *size > SourceBuffer::largest)
    return Problem{"`--max-size` requires a number of bytes below 4G, as 512M, not `" + written->str() + "`"};
  return ReadLimits{.largestImage = *size};
}

Expected<OpenInput> openInput(StringRef path, const ReadLimits &limits) {
  Expected<std::unique_ptr<SourceBuffer>> file = SourceBuffer::openBytes(path);
  if (!file)
    return Problem{file.problem()};
  const StringRef bytes = (*file)->text();
  OpenInput input;
  if (isBinary(bytes)) {
    input.binary = std::make_unique<OpenBinary>();
    *input.binary = {path == "-" ? "<stdin>" : path.str(), std::move(*file), readBinary(bytes, limits), limits};
  } else if (bytes.size() <= SourceBuffer::largest) {
    input.text = std::move(*file);
  } else {
    return Problem{"it is larger than 4 GB"};
  }
  return input;
}

/// Returns the number of the wanted entry.
static Expected<size_t> chooseEntry(const OpenBinary &binary, std::optional<StringRef> wanted) {
  const std::vector<Entry> &entries = binary.content.entries;
  const auto texts = llvm::count_if(entries, [](const Entry &e) { return e.isText(); });
  if (wanted) {
    size_t number = 0;
    if (wanted->getAsInteger(10, number) || number == 0 || number > entries.size())
      return Problem{"it has no entry " + wanted->str() + " among its " + std::to_string(entries.size())};
    if (!entries[number - 1].isText())
      return Problem{"entry " + wanted->str() + " is not PTX: " + nameOf(entries[number - 1].kind).str()};
    return number - 1;
  }
  if (texts == 1)
    return llvm::find_if(entries, [](const Entry &e) { return e.isText(); }) - entries.begin();
  if (texts)
    return Problem{"it holds " + std::to_string(texts) + " texts: `--text=N` names one of `ptxray extract --list`"};
  const std::vector<BinaryProblem> &problems = binary.content.problems;
  return Problem{"it holds no PTX" + (problems.empty() ? "" : ", " + problemText(problems.front()))};
}

/// Returns whether a text was compiled to be linked with others.
static bool isSeparate(const Entry &entry, const Container &container) {
  return entry.kind == ImageKind::RelocatablePtx || container.role == Role::Relocatable ||
         entry.options.contains("--compile-only");
}

OneText openText(StringRef path, const Arguments &arguments) {
  const ReadLimits limits;
  OneText one;
  Expected<OpenInput> input = openInput(path, limits);
  if (!input || input->text) {
    const bool isMistaken = input && arguments.has("--text");
    one.problem = isMistaken ? "`--text` is for binaries, and this is a text file" : input.problem();
    one.source = input && !isMistaken ? std::move(input->text) : nullptr;
    return one;
  }
  const std::unique_ptr<OpenBinary> &binary = input->binary;
  const StringRef bytes = binary->file->text();
  constexpr size_t header = 64; // bytes
  one.isObject = isCubin(bytes) || (bytes.starts_with(elfMagic) && bytes.size() < header);
  const Expected<size_t> chosen = chooseEntry(*binary, arguments.value("--text"));
  one.problem = chosen.problem();
  if (!chosen)
    return one;
  const Entry &entry = binary->content.entries[*chosen];
  one.entry = entryName(binary->content, *chosen);
  one.isSeparate = isSeparate(entry, binary->content.containerOf(entry));
  Expected<std::unique_ptr<SourceBuffer>> text = Unpacker(limits).unpack(entry, one.entry);
  one.problem = text.problem();
  one.source = text ? std::move(*text) : nullptr;
  return one;
}

/// Returns the first text of each container that should have code for a GPU but has none.
static std::set<size_t> findMisfits(const Binary &content, StringRef arch) {
  std::set<size_t> misfits;
  const int gpu = isa::findTarget(arch);
  if (gpu < 0)
    return misfits;
  for (const Container &container : content.containers) {
    const llvm::ArrayRef<Entry> entries = content.entriesOf(container);
    const auto *text = llvm::find_if(entries, [](const Entry &e) { return e.isText(); });
    const bool mustFit = container.role == Role::Loaded || container.role == Role::Relocatable;
    if (mustFit && text != entries.end() &&
        llvm::all_of(entries, [&](const Entry &e) { return fitOf(e, isa::targets()[gpu]) == Fit::None; }))
      misfits.insert(text - content.entries.data());
  }
  return misfits;
}

/// Returns a key that is equal for entries with the same text.
static std::string keyOf(const Entry &entry, bool bySource, Unpacker &unpacker) {
  std::string key;
  llvm::raw_string_ostream out(key);
  StringRef bytes = entry.data;
  const Expected<std::unique_ptr<SourceBuffer>> text =
      bySource ? unpacker.unpack(entry, "") : Problem{"the packed bytes are compared"};
  if (text)
    bytes = (*text)->text();
  else
    out << static_cast<int>(entry.packing) << ' ' << entry.partOffset << ' ' << entry.bytes << ' ';
  out << llvm::xxHash64(bytes) << ' ' << bytes.size();
  return key;
}

std::vector<TextTask> textTasks(const OpenBinary &binary, StringRef arch) {
  const Binary &content = binary.content;
  const std::set<size_t> misfits = findMisfits(content, arch);
  // Equal texts are mostly packed in the same way. If not, the texts themselves are compared.
  std::set<Packing> packings;
  bool bySource = false;
  for (const Entry &entry : content.entries)
    if (entry.isText()) {
      packings.insert(entry.packing);
      bySource |= entry.isConcatenated;
    }
  bySource |= packings.size() > 1;
  Unpacker unpacker(binary.limits);
  std::vector<TextTask> tasks;
  llvm::StringMap<size_t> known;
  for (size_t i = 0; i < content.entries.size(); ++i) {
    const Entry &entry = content.entries[i];
    if (!entry.isText())
      continue;
    TextTask task{i, {}, isSeparate(entry, content.containerOf(entry)), misfits.count(i) != 0};
    const std::string key =
        keyOf(entry, bySource, unpacker) + (task.isSeparate ? " s" : "") + (task.failsArch ? " a" : "");
    const auto [found, isNew] = known.try_emplace(key, tasks.size());
    if (isNew)
      tasks.push_back(std::move(task));
    else
      tasks[found->second].alike.push_back(i);
  }
  return tasks;
}

bool isPlainFile(const std::string &path) { return llvm::sys::fs::is_regular_file(path); }

bool beginsAsBinary(const std::string &path) {
  if (!isPlainFile(path))
    return false;
  llvm::Expected<llvm::sys::fs::file_t> file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return llvm::consumeError(file.takeError()), false;
  char beginning[64];
  llvm::Expected<size_t> size = llvm::sys::fs::readNativeFile(*file, beginning);
  (void)llvm::sys::fs::closeFile(*file);
  if (!size)
    return llvm::consumeError(size.takeError()), false;
  return isBinary(StringRef(beginning, *size));
}

} // namespace ptxray
