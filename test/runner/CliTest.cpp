// Runs the commands that the files of test/cli name, and compares all that they print.
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <tuple>

namespace fs = std::filesystem;
using llvm::StringRef;

namespace {

struct CliCommand {
  std::string file, name; // `name` is empty if the file has only one command
  bool mayFail;
  std::vector<std::string> words;
};

/// Returns whether this build lacks a command, as one of a part that is switched off.
bool isLacking(StringRef command) {
  llvm::SmallVector<StringRef> lacking;
  StringRef(PTXRAY_LACKING).split(lacking, ' ', -1, false);
  return llvm::is_contained(lacking, command);
}

/// Removes the commands that this build lacks from the list of all commands.
std::string withoutLacking(StringRef help) {
  std::string kept;
  for (auto [line, rest] = help.split('\n'); !line.empty() || !rest.empty(); std::tie(line, rest) = rest.split('\n'))
    if (!line.starts_with("  ") || !isLacking(line.ltrim().split(' ').first))
      kept += line.str() + "\n";
  return kept;
}

std::string readFile(const fs::path &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path.string());
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Returns the whole output of a command: standard output, standard error, and exit status.
std::string runCommand(const CliCommand &command, int &status) {
  std::vector<std::string> words = command.words;
  std::string input;
  if (words.size() >= 2 && words[words.size() - 2] == "<") {
    input = words.back();
    words.resize(words.size() - 2);
  }
  llvm::SmallString<64> output, error;
  llvm::sys::fs::createTemporaryFile("ptxray", "out", output);
  llvm::sys::fs::createTemporaryFile("ptxray", "err", error);
  std::vector<StringRef> arguments{PTXRAY_BINARY};
  arguments.insert(arguments.end(), words.begin(), words.end());
  const std::optional<StringRef> redirects[] = {StringRef(input), output.str(), error.str()};
  std::string problem;
  status = llvm::sys::ExecuteAndWait(PTXRAY_BINARY, arguments, std::nullopt, redirects, 60, 0, &problem);
  std::string all = readFile(output.str().str());
  if (const std::string errors = readFile(error.str().str()); !errors.empty())
    all += "-- standard error\n" + errors;
  if (status != 0)
    all += "-- exit status " + std::to_string(status) + "\n" + problem;
  llvm::sys::fs::remove(output);
  llvm::sys::fs::remove(error);
  return all;
}

/// Returns the command that runs: `run` for reductions that launch a kernel.
std::string launcherIn(const CliCommand &command) {
  const bool launches = llvm::any_of(command.words, [](StringRef word) { return word.starts_with("--keep-finding"); });
  return launches ? "run" : command.words.front();
}

class CliTest : public testing::Test {
public:
  explicit CliTest(const CliCommand &command) : command(command) {}

  void TestBody() override {
    const std::string golden = command.file + (command.name.empty() ? "" : "." + command.name) + ".out";
    int status = 0;
    const std::string found = runCommand(command, status);
    if (isLacking(launcherIn(command))) {
      EXPECT_EQ(status, 2);
      EXPECT_TRUE(StringRef(found).contains("this build has no `" + launcherIn(command) + "`: ")) << found;
      return;
    }
    EXPECT_EQ(status != 0, command.mayFail) << found;
    if (std::getenv("PTXRAY_BLESS"))
      std::ofstream(golden) << found;
    else
      EXPECT_EQ(command.words.front() == "--help" ? withoutLacking(readFile(golden)) : readFile(golden), found);
  }

private:
  const CliCommand &command;
};

/// An output that a document shows, and the command that prints it.
struct ShownOutput {
  const char *document, *opening; // the document, such as `README.md`, and the line with the command
  bool mayFail;
  std::vector<std::string> words;
};
const ShownOutput shownOutputs[] = {
    {"README.md", "$ ptxray check docs/examples/pipeline.ptx\n", false, {"check", "../../docs/examples/pipeline.ptx"}},
    {"docs/binaries.md",
     "$ ptxray targets docs/examples/library.so\n",
     false,
     {"targets", "../../docs/examples/library.so"}},
};

/// Compares an output that a page shows with what the command prints.
class ShownTest : public testing::Test {
public:
  explicit ShownTest(const ShownOutput &shown) : shown(shown) {}

  void TestBody() override {
    int status = 0;
    const std::string found = runCommand({"", "", shown.mayFail, shown.words}, status);
    std::string output;
    for (StringRef rest = StringRef(found).split("-- exit status").first; !rest.empty();) {
      auto [line, behind] = rest.split('\n');
      line.consume_front("../../");
      output += line.str() + "\n";
      rest = behind;
    }
    const std::string document = std::string(PTXRAY_TEST_DIR "/../") + shown.document, text = readFile(document);
    ASSERT_TRUE(StringRef(text).contains(shown.opening)) << document;
    const auto [before, behind] = StringRef(text).split(shown.opening);
    const StringRef block = behind.take_front(behind.find("```"));
    if (std::getenv("PTXRAY_BLESS"))
      std::ofstream(document) << before.str() << shown.opening << output << behind.drop_front(block.size()).str();
    else
      EXPECT_EQ(block, output);
  }

private:
  const ShownOutput &shown;
};

std::vector<CliCommand> readCommands(const std::string &file) {
  std::vector<CliCommand> commands;
  const std::string text = readFile(file);
  llvm::SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef line : lines) {
    if (!line.consume_front("// "))
      continue;
    const bool mayFail = line.starts_with("FAIL");
    if (!line.consume_front("RUN") && !line.consume_front("FAIL"))
      continue;
    CliCommand command{file, "", mayFail, {}};
    if (line.consume_front("[")) {
      command.name = line.split(']').first.str();
      line = line.split(']').second;
    }
    if (!line.consume_front(": "))
      continue;
    llvm::SmallVector<StringRef> words;
    line.split(words, ' ', -1, false);
    for (StringRef word : words) {
      std::string text = word.str();
      if (const size_t at = text.find('%'); at != std::string::npos)
        text.replace(at, 1, file);
      command.words.push_back(text);
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  // Paths in golden files are relative, and colour and width do not depend on the terminal of the tests.
  fs::current_path(PTXRAY_TEST_DIR "/cli");
  static std::vector<CliCommand> commands;
  std::vector<fs::path> files(fs::directory_iterator("."), fs::directory_iterator{});
  std::sort(files.begin(), files.end());
  for (const fs::path &path : files)
    if (path.extension() == ".ptx")
      for (CliCommand &command : readCommands(path.filename()))
        commands.push_back(std::move(command));
  for (const CliCommand &command : commands) {
    const std::string name = fs::path(command.file).stem().string() + (command.name.empty() ? "" : "." + command.name);
    testing::RegisterTest("cli", name.c_str(), nullptr, nullptr, command.file.c_str(), 1,
                          [&command]() -> CliTest * { return new CliTest(command); });
  }
  for (const ShownOutput &shown : shownOutputs)
    testing::RegisterTest("shown", (shown.document + std::string(" ") + shown.words.front()).c_str(), nullptr, nullptr,
                          __FILE__, __LINE__, [&shown]() -> ShownTest * { return new ShownTest(shown); });
  return RUN_ALL_TESTS();
}
