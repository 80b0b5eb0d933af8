#include "Snippets.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <filesystem>

namespace ptxray::test {

namespace fs = std::filesystem;

static std::vector<std::string> readLines(const std::string &path) {
  std::vector<std::string> lines;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return lines;
  llvm::StringRef rest = (*buffer)->getBuffer();
  while (!rest.empty()) {
    auto [line, behind] = rest.split('\n');
    lines.push_back(line.str());
    rest = behind;
  }
  return lines;
}

/// Reads `8.6` as 806.
static unsigned readVersion(llvm::StringRef text) {
  unsigned major = 0, minor = 0;
  text.consumeInteger(10, major);
  text.consume_front(".");
  text.consumeInteger(10, minor);
  return major * 100 + minor;
}

static unsigned readTarget(llvm::StringRef text) {
  unsigned number = 0;
  text.consume_front("sm_");
  text.consumeInteger(10, number);
  return number;
}

/// Returns whether a condition such as `ptx 8.3, sm_70` holds. A part that is neither a version nor an architecture
/// must be a word of `.target`.
static bool reaches(llvm::StringRef condition, unsigned version, llvm::ArrayRef<llvm::StringRef> targets) {
  llvm::SmallVector<llvm::StringRef> parts;
  condition.split(parts, ',');
  return llvm::all_of(parts, [&](llvm::StringRef part) {
    part = part.trim();
    if (part.consume_front("ptx "))
      return version >= readVersion(part);
    return part.starts_with("sm_") ? !targets.empty() && readTarget(targets[0]) >= readTarget(part)
                                   : llvm::is_contained(targets, part);
  });
}

/// Returns whether a line holds more than blanks and a comment.
static bool hasText(llvm::StringRef line) {
  line = line.ltrim();
  return !line.empty() && !line.starts_with("//");
}

/// Makes the module of a section, whose header is `//@ ptx 8.6, sm_100a[, more words of .target][, pedantic]`.
static Module buildSnippetModule(llvm::StringRef header, const TestFile &file, llvm::ArrayRef<unsigned> lines) {
  static const std::vector<std::string> prelude = readLines(PTXRAY_TEST_DIR "/isa/prelude.ptx");
  Module module;
  module.header = header.str();
  module.isFragment = true;
  llvm::SmallVector<llvm::StringRef> words;
  header.split(words, ',');
  llvm::SmallVector<llvm::StringRef> targets;
  for (llvm::StringRef word : llvm::drop_begin(words)) {
    if (word.trim() == "pedantic")
      module.pedantic = true;
    else
      targets.push_back(word.trim());
  }
  const llvm::StringRef version = words[0].trim().drop_front(4);
  module.target = targets.empty() ? "" : targets[0].str();
  auto add = [&module](llvm::StringRef line, unsigned origin) {
    module.text += line.str() + "\n";
    module.origins.push_back(origin);
  };
  add((".version " + version).str(), 0);
  add(".target " + llvm::join(targets, ", "), 0);
  for (llvm::StringRef line : prelude) {
    auto [code, mark] = line.split("//@ ");
    const unsigned v = readVersion(version);
    if (mark == "snippet") {
      for (unsigned number : lines)
        add(file.lines[number - 1], number);
    } else if (!(mark.consume_front("from ") && !reaches(mark, v, targets)) &&
               !(mark.consume_front("before ") && reaches(mark, v, targets)))
      add(code.rtrim(), 0);
  }
  return module;
}

CheckOptions optionsOf(const Module &module) {
  CheckOptions options;
  options.pedantic = module.pedantic;
  options.linking = module.linking;
  options.isFragment = module.isFragment;
  return options;
}

std::vector<unsigned> linesIn(const Module &section) {
  std::vector<unsigned> lines;
  for (unsigned origin : section.origins)
    if (origin != 0)
      lines.push_back(origin);
  return lines;
}

Module linesOf(const TestFile &file, const Module &section, llvm::ArrayRef<unsigned> lines) {
  return buildSnippetModule(section.header, file, lines);
}

static void readSections(TestFile &file) {
  llvm::StringRef header;
  std::vector<unsigned> lines;
  auto finish = [&] {
    if (!lines.empty())
      file.modules.push_back(buildSnippetModule(header, file, lines));
    lines.clear();
  };
  for (unsigned number = 1; number <= file.lines.size(); ++number) {
    llvm::StringRef line = file.lines[number - 1];
    if (line.starts_with("//@ ")) {
      finish();
      header = line.drop_front(4);
      if (!header.starts_with("ptx ") || !header.contains(", sm_"))
        file.problem = "line " + std::to_string(number) + ": the header of a section is `//@ ptx 8.6, sm_100a`";
    } else if (hasText(line)) {
      if (header.empty())
        file.problem = "line " + std::to_string(number) + " stands before the first `//@ ptx V, sm_N`";
      lines.push_back(number);
    }
    if (!file.problem.empty())
      return;
  }
  finish();
}

Linking linkingOf(llvm::StringRef word) {
  return word == "whole" ? Linking::Whole : word == "separate" ? Linking::Separate : Linking::Unknown;
}

static void readModule(TestFile &file) {
  Module module;
  for (unsigned number = 1; number <= file.lines.size(); ++number) {
    const llvm::StringRef line = file.lines[number - 1];
    module.text += line.str() + "\n";
    module.origins.push_back(number);
    llvm::StringRef target = line.ltrim();
    if (module.target.empty() && target.consume_front(".target"))
      module.target = target.ltrim().take_until([](char c) { return !llvm::isAlnum(c) && c != '_'; }).str();
    module.pedantic |= line.trim() == "//@ pedantic";
    if (line.trim().starts_with("//@ link "))
      module.linking = linkingOf(line.trim().drop_front(9));
    module.isFragment |= line.trim() == "//@ fragment";
    module.compiles |= line.trim() == "//@ compile";
  }
  file.modules.push_back(std::move(module));
}

/// Divides the text into sections if it has headers. Otherwise it is one whole module.
static void readModules(TestFile &file) {
  if (llvm::any_of(file.lines, [](llvm::StringRef line) { return line.starts_with("//@ ptx "); }))
    readSections(file);
  else
    readModule(file);
}

static TestFile withLines(llvm::StringRef text) {
  TestFile file;
  llvm::SmallVector<llvm::StringRef> lines;
  text.rtrim('\n').split(lines, '\n');
  for (llvm::StringRef line : lines)
    file.lines.push_back(line.str());
  return file;
}

TestFile readSections(llvm::StringRef text) {
  TestFile file = withLines(text);
  readSections(file);
  return file;
}

TestFile readExample(llvm::StringRef text) {
  TestFile file = withLines(text);
  if (!text.contains(".version") && !text.starts_with("//@"))
    file.lines.insert(file.lines.begin(), "//@ ptx 9.0, sm_100a");
  readModules(file);
  return file;
}

static TestFile readTest(const fs::path &path, const std::string &suite, const fs::path &name) {
  TestFile file;
  file.path = path;
  file.suite = suite;
  file.name = name;
  file.lines = readLines(file.path);
  readModules(file);
  return file;
}

std::vector<TestFile> findTests(llvm::ArrayRef<char *> paths) {
  std::vector<TestFile> files;
  for (const char *path : paths)
    files.push_back(readTest(path, "given", path));
  if (!paths.empty())
    return files;
  for (const char *suite : {"isa", "module"}) {
    const fs::path root = fs::path(PTXRAY_TEST_DIR) / suite;
    std::error_code missing;
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(root, missing))
      if (entry.path().extension() == ".ptx" && entry.path().filename() != "prelude.ptx")
        files.push_back(readTest(entry.path(), suite, fs::relative(entry.path(), root).replace_extension()));
  }
  llvm::sort(files, [](const TestFile &a, const TestFile &b) { return a.path < b.path; });
  return files;
}

} // namespace ptxray::test
