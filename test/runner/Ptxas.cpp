#include "Ptxas.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace ptxray::test {

namespace fs = std::filesystem;

/// Reads `13.5.37` as {13, 5, 37}.
static std::vector<unsigned> releaseOf(const fs::path &path) {
  std::vector<unsigned> numbers;
  llvm::SmallVector<llvm::StringRef> parts;
  const std::string name = path.filename();
  llvm::StringRef(name).split(parts, '.');
  for (llvm::StringRef part : parts)
    part.getAsInteger(10, numbers.emplace_back());
  return numbers;
}

std::string findPtxas() {
  if (const char *path = std::getenv("PTXRAY_PTXAS"))
    return path;
  fs::path newest;
  std::error_code error;
  for (const fs::directory_entry &release : fs::directory_iterator(PTXRAY_CUDA_DIR, error))
    if (fs::exists(release.path() / "bin/ptxas") && (newest.empty() || releaseOf(newest) < releaseOf(release.path())))
      newest = release.path();
  if (!newest.empty())
    return newest / "bin/ptxas";
  auto inPath = llvm::sys::findProgramByName("ptxas");
  return inPath ? *inPath : "";
}

int statusWithoutPtxas() {
  llvm::outs() << "skipped: no ptxas ($PTXRAY_PTXAS, `tools/dev cuda`, PATH)\n";
  const char *required = std::getenv("PTXRAY_REQUIRE");
  llvm::SmallVector<llvm::StringRef> tools;
  llvm::StringRef(required ? required : "").split(tools, ',');
  constexpr int skipped = 77; // exit status by which CTest recognises a skipped test
  return llvm::is_contained(tools, "ptxas") || llvm::is_contained(tools, "all") ? 1 : skipped;
}

/// Returns the architecture under which ptxas reads a module of that target, without its `sm_` or `compute_`.
static std::string architectureFor(llvm::StringRef target) {
  unsigned number = 0;
  target.consume_front("sm_");
  target.consumeInteger(10, number); // the variant remains
  if (number < 75)
    return "75";
  if (number == 82)
    return "86";
  if (number == 101)
    number = 110;
  return std::to_string(number) + target.str();
}

PtxasVerdict askPtxas(const std::string &ptxas, const Module &module, bool compile) {
  PtxasVerdict verdict;
  llvm::SmallString<64> input, output;
  if (llvm::sys::fs::createTemporaryFile("ptxray", "ptx", input) ||
      llvm::sys::fs::createTemporaryFile("ptxray", "txt", output)) {
    verdict.output = "cannot create a temporary file";
    return verdict;
  }
  std::error_code error;
  llvm::raw_fd_ostream(input, error) << module.text;
  const std::string arch = (compile ? "-arch=sm_" : "-arch=compute_") + architectureFor(module.target);
  llvm::SmallVector<llvm::StringRef> arguments = {ptxas, arch, input, "-o", "/dev/null"};
  if (compile && module.linking == Linking::Separate)
    arguments.push_back("-c");
  const std::optional<llvm::StringRef> redirects[] = {"", output, output};
  const int status = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt, redirects, 60, 0, &verdict.output);
  if (auto buffer = llvm::MemoryBuffer::getFile(output))
    verdict.output += (*buffer)->getBuffer();
  llvm::sys::fs::remove(input);
  llvm::sys::fs::remove(output);

  verdict.accepts = status == 0;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(verdict.output).split(lines, '\n');
  for (llvm::StringRef line : lines) { // for example: ptxas k.ptx, line 12; error   : ...
    unsigned number;
    auto [place, message] = line.split("; ");
    if (!place.rsplit(", line ").second.getAsInteger(10, number) &&
        (message.starts_with("error") || message.starts_with("fatal")))
      verdict.errorLines.insert(number);
  }
  return verdict;
}

std::set<unsigned> askLines(const std::string &ptxas, const TestFile &file, const Module &section) {
  std::vector<unsigned> lines = linesIn(section);
  std::set<unsigned> refused;
  while (!lines.empty()) {
    const Module module = linesOf(file, section, lines);
    const PtxasVerdict verdict = askPtxas(ptxas, module);
    if (verdict.accepts)
      break;
    std::set<unsigned> now;
    for (unsigned line : verdict.errorLines)
      if (line <= module.origins.size() && module.origins[line - 1] != 0)
        now.insert(module.origins[line - 1]);
    // ptxas may name the next line (for an unfinished statement) or a line of its own text (after expanding a line).
    if (now.empty()) {
      for (unsigned line : lines)
        if (!askPtxas(ptxas, linesOf(file, section, line)).accepts)
          now.insert(line);
      if (now.empty())
        ADD_FAILURE_AT(file.path.c_str(), lines.front())
            << "ptxas refuses the section `" << section.header << "` at none of its lines:\n"
            << verdict.output;
      refused.insert(now.begin(), now.end());
      break;
    }
    refused.insert(now.begin(), now.end());
    std::erase_if(lines, [&](unsigned line) { return now.contains(line); });
  }
  return refused;
}

} // namespace ptxray::test
