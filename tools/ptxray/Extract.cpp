// `ptxray extract`: writes the PTX and cubins of a binary into files, or lists the contents.
#include "Binaries.h"
#include "Files.h"
#include "Isa/Isa.h"
#include "Render/Render.h"
#include "Source/JsonValue.h"
#include "Targets/BinaryFit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

namespace ptxray {

using llvm::StringRef;

namespace {

/// A requested entry.
struct Listed {
  size_t index;
  std::string file;                 // file that it was written to, or empty
  std::vector<std::string> kernels; // names of kernels, if they are requested
};

/// The entries to write besides the texts.
struct Wanted {
  bool cubins = false, kernels = false;
};

/// The contents of one binary, and what was extracted from it.
struct Extraction {
  const OpenBinary &binary;
  Wanted wanted;
  std::vector<Listed> entries;
  std::vector<BinaryProblem> problems;
};

} // namespace

static StringRef roleName(Role role) {
  switch (role) {
  case Role::Loaded: return "loaded";
  case Role::Relocatable: return "relocatable";
  case Role::Loose: return "loose";
  case Role::Debugging: return "debugging";
  }
  return "";
}

static std::string writtenVersion(const Entry &entry) { return entry.major || entry.minor ? entry.version() : ""; }

static std::string kindText(const Entry &entry) {
  return entry.kind == ImageKind::Unknown ? "kind 0x" + llvm::utohexstr(entry.code, true) : nameOf(entry.kind).str();
}

/// Returns the tool and its version: `ptxas 13.5.37`.
static std::string compilerText(const Entry &entry) {
  const StringRef number = entry.compilerVersion.rsplit(", V").second;
  return escaped((entry.compiler + (number.empty() ? "" : " ") + number).str());
}

// ------------------------------------------------------------------------------------------ output
static void printTable(const Extraction &found, llvm::raw_ostream &out) {
  const Binary &content = found.binary.content;
  std::vector<std::vector<std::string>> rows{{"entry", "where", "offset", "kind", "target", "version", "packed",
                                              "bytes", "unpacked", "source", "options", "compiler",
                                              found.wanted.kernels ? "kernels" : ""}};
  for (const Listed &one : found.entries) {
    const Entry &entry = content.entries[one.index];
    const Container &container = content.containerOf(entry);
    std::string where = content.objectOf(entry).member;
    if (!container.section.empty())
      where += (where.empty() ? "" : " ") + container.section.str();
    if (container.role == Role::Loose)
      where = "in " + (where.empty() ? "no section" : where);
    rows.push_back({std::to_string(one.index + 1), escaped(where), "0x" + llvm::utohexstr(entry.offset, true),
                    kindText(entry), entry.number ? entry.target() : "", writtenVersion(entry),
                    nameOf(entry.packing).str(), std::to_string(entry.data.size()), std::to_string(entry.bytes),
                    escaped(entry.identifier), escaped(entry.options.trim()), compilerText(entry),
                    escaped(llvm::join(one.kernels, " "))});
  }
  std::vector<size_t> widths(rows.front().size());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  auto isNumber = [](size_t column) { return llvm::is_contained({0, 2, 7, 8}, static_cast<int>(column)); };
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      if (widths[i]) {
        llvm::raw_string_ostream stream(line);
        stream << (line.empty() ? "" : "  ");
        if (isNumber(i))
          stream << llvm::right_justify(row[i], widths[i]);
        else
          stream << llvm::left_justify(row[i], widths[i]);
      }
    out << StringRef(line).rtrim() << '\n';
  }
}

static Json toJson(const Listed &one, const Binary &content) {
  const Entry &entry = content.entries[one.index];
  const Container &container = content.containerOf(entry);
  Json json = {{"entry", one.index + 1},
               {"container", entry.container + 1},
               {"role", roleName(container.role).str()},
               {"member", content.objectOf(entry).member},
               {"section", container.section.str()},
               {"offset", entry.offset},
               {"kind", kindText(entry)},
               {"target", entry.number ? entry.target() : ""},
               {"version", writtenVersion(entry)},
               {"packing", nameOf(entry.packing).str()},
               {"concatenated", entry.isConcatenated},
               {"bytes", entry.data.size()},
               {"unpacked", entry.bytes},
               {"source", entry.identifier.str()},
               {"options", entry.options.str()}};
  if (!entry.compiler.empty())
    json["compiler"] = {{"tool", entry.compiler.str()}, {"version", entry.compilerVersion.str()}};
  if (!one.file.empty())
    json["file"] = one.file;
  return json;
}

static Json withKernels(Json json, const Listed &one) {
  json["kernels"] = one.kernels;
  return json;
}

static void printJson(const Extraction &found, llvm::raw_ostream &out) {
  Json json = {{"version", 1}, {"path", found.binary.path}, {"entries", Json::array()}, {"problems", Json::array()}};
  for (const Listed &one : found.entries)
    json["entries"].push_back(found.wanted.kernels ? withKernels(toJson(one, found.binary.content), one)
                                                   : toJson(one, found.binary.content));
  for (const BinaryProblem &problem : found.problems)
    json["problems"].push_back({{"member", problem.member}, {"offset", problem.offset}, {"message", problem.message}});
  out << dump(json, 1) << '\n';
}

// ------------------------------------------------------------------------------------------ files
/// Returns the name of a file, such as `libfoo.so.3.sm_90.ptx`. Only its numbers come from the binary.
static std::string fileName(const OpenBinary &binary, size_t index) {
  const Entry &entry = binary.content.entries[index];
  StringRef name = StringRef(binary.path).rsplit('/').second;
  if (name.empty())
    name = binary.path;
  if (name == "<stdin>")
    name = "stdin";
  return name.str() + "." + std::to_string(index + 1) + "." + entry.target() + (entry.isText() ? ".ptx" : ".cubin");
}

static bool isWritten(const Entry &entry, Wanted wanted) {
  return entry.isText() || (wanted.cubins && entry.kind == ImageKind::Cubin);
}

/// Reads the requested images, and writes them into the folder if there is one. An image that cannot be unpacked is a
/// problem of the binary. Returns an exit status.
static int readImages(Extraction &found, std::optional<std::string> folder) {
  Unpacker unpacker(found.binary.limits);
  for (Listed &one : found.entries) {
    const Entry &entry = found.binary.content.entries[one.index];
    const bool hasKernels = found.wanted.kernels && (entry.isText() || entry.kind == ImageKind::Cubin);
    const bool writes = folder && isWritten(entry, found.wanted);
    if (!writes && !hasKernels)
      continue;
    const auto unpacked = unpacker.unpack(entry, "");
    const std::string reason = unpacked && entry.isText() ? whyNoText((*unpacked)->text()) : unpacked.problem();
    if (!reason.empty())
      found.problems.push_back(unreadableEntry(found.binary.content, entry, reason));
    if (!unpacked)
      continue;
    const std::unique_ptr<SourceBuffer> &image = *unpacked;
    if (hasKernels)
      one.kernels = kernelsIn(entry, image->text());
    if (!writes)
      continue;
    const std::string path = *folder + "/" + fileName(found.binary, one.index);
    if (const std::string problem = writeFile(path, image->text()); !problem.empty())
      return usageError("cannot write `" + path + "`: " + problem);
    one.file = path;
  }
  return Clean;
}

static bool isWanted(const Entry &entry, std::optional<StringRef> arch) {
  return !arch || entry.target() == *arch || entry.target() == "sm_" + arch->str();
}

/// Returns why so many files are not written, or an empty string if they are few enough.
static std::string tooManyFiles(const Extraction &found, const Arguments &arguments) {
  uint64_t most = 10'000;
  if (const std::optional<StringRef> written = arguments.value("--max-files"))
    if (written->getAsInteger(10, most))
      return "`--max-files` requires a number, not `" + written->str() + "`";
  const auto files = static_cast<uint64_t>(llvm::count_if(found.entries, [&](const Listed &one) {
    return isWritten(found.binary.content.entries[one.index], found.wanted);
  }));
  if (files <= most)
    return "";
  return "the binary holds " + std::to_string(files) +
         " files; to write all of them, add `--max-files=" + std::to_string(files) + "`";
}

static int runExtract(const Arguments &arguments) {
  const Expected<ReadLimits> limits = readLimits(arguments);
  if (!limits)
    return usageError(limits.problem());
  const StringRef path = arguments.operands.front();
  const Expected<OpenInput> input = openInput(path, *limits);
  if (!input || input->text)
    return usageError("cannot read `" + path.str() +
                      "`: " + (input ? "it is a text file, not a binary" : input.problem()));
  const std::unique_ptr<OpenBinary> &binary = input->binary;
  const std::optional<StringRef> arch = arguments.value("--arch");
  Extraction found{*binary, {arguments.has("--cubins"), arguments.has("--kernels")}, {}, binary->content.problems};
  for (size_t i = 0; i < binary->content.entries.size(); ++i)
    if (isWanted(binary->content.entries[i], arch))
      found.entries.push_back({i, "", {}});
  const bool listOnly = arguments.has("--list"), asJson = arguments.value("--format") == "json";
  const bool hasImage = llvm::any_of(
      found.entries, [&](const Listed &one) { return isWritten(binary->content.entries[one.index], found.wanted); });
  if (listOnly) {
    if (const int status = readImages(found, std::nullopt))
      return status;
  } else if (hasImage) {
    if (const std::string problem = tooManyFiles(found, arguments); !problem.empty())
      return usageError(problem);
    const std::string folder = arguments.value("-o").value_or(".").str();
    if (const auto error = llvm::sys::fs::create_directory(folder, /*IgnoreExisting=*/true, llvm::sys::fs::all_all))
      return usageError("cannot make the folder `" + folder + "`: " + error.message());
    if (const int status = readImages(found, folder))
      return status;
  }
  if (asJson)
    printJson(found, llvm::outs());
  else if (listOnly && !found.entries.empty())
    printTable(found, llvm::outs());
  else
    for (const Listed &one : found.entries)
      if (!one.file.empty())
        llvm::outs() << escaped(one.file) << '\n';
  llvm::outs().flush();
  for (const BinaryProblem &problem : asJson ? llvm::ArrayRef<BinaryProblem>() : llvm::ArrayRef(found.problems))
    llvm::errs() << "ptxray: " << escaped(binary->path) << ": " << escaped(problemText(problem)) << '\n';
  if (!listOnly && !hasImage && !found.entries.empty() && !asJson)
    llvm::errs() << "ptxray: " << escaped(binary->path) << " holds no PTX" << (arch ? " for " + arch->str() : "")
                 << ", but " << found.entries.size() << (found.entries.size() == 1 ? " image" : " images")
                 << " of another kind (--list)\n";
  if (found.entries.empty() && found.problems.empty())
    llvm::errs() << "ptxray: " << escaped(binary->path) << " holds no device code"
                 << (arch ? " for " + arch->str() : "") << '\n';
  return found.problems.empty() ? Clean : BadUsage;
}

Command extractCommand() {
  return {.name = "extract",
          .summary = "write the PTX of a library, object, archive or wheel to files, or list its contents",
          .syntax = {.operands = "FILE|-",
                     .fewest = 1,
                     .most = 1,
                     .options = {{"--list", "", "write no files, and list all entries, including cubins and NVVM"},
                                 {"--cubins", "", "also write the cubins"},
                                 {"--kernels", "", "with --list or --format=json, name the kernels of each"},
                                 {"-o", "DIR", "folder for the files (default: the working folder)"},
                                 {"--arch", "sm_X", "only entries for this target"},
                                 textOrJsonOption(),
                                 {"--max-files", "N", "write at most N files (default: 10000)"},
                                 maxSizeOption()}},
          .run = runExtract};
}

} // namespace ptxray
