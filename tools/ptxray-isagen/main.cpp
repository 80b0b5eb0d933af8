// ptxray-isagen: compiles grammar/isa to constant tables and refuses data that cannot be right.
#include "Resolve.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace ptxray::isagen;

static const char *usageText =
    R"(usage: ptxray-isagen [options] FOLDER|FILE...

Reads all .isa files (of a folder: below it) and compiles them together.

  --check                only say what is wrong with the data; `FILE:LINE: error: ... [lint]`
  --tables FILE          write the tables (IsaTables.inc)
  --checks FILE          write the declarations of the named checks (Checks.inc)
  --words FILE           write the ids of the words as constants (IsaWords.inc)
  --draft                what the lints find is a warning: for data that is still being written
  --diagnostics FILE     Diagnostics.def, to know the ids that `warn(id)` may name
)";

/// The ids in `DIAG(Name, "id", ...)`.
static RuleIds readRuleIds(const std::string &path) {
  RuleIds ids;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    size_t open = line.find('"'), close = line.find('"', open + 1);
    if (line.compare(0, 5, "DIAG(") == 0 && close != std::string::npos)
      ids.insert(line.substr(open + 1, close - open - 1));
  }
  return ids;
}

/// Leaves the file and its time alone when nothing changes, so that nothing is built again.
static bool writeIfChanged(const std::string &path, const std::string &text) {
  std::ifstream old(path);
  std::stringstream before;
  before << old.rdbuf();
  if (old && before.str() == text)
    return true;
  std::ofstream out(path);
  out << text;
  out.flush();
  if (!out)
    std::cerr << "ptxray-isagen: cannot write " << path << "\n";
  return bool(out);
}

int main(int argc, char **argv) {
  namespace fs = std::filesystem;
  std::string tables, checks, words, diagnostics;
  bool checkOnly = false, draft = false;
  std::vector<std::pair<fs::path, fs::path>> files; // and their folders
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    std::string *value = argument == "--tables"        ? &tables
                         : argument == "--checks"      ? &checks
                         : argument == "--words"       ? &words
                         : argument == "--diagnostics" ? &diagnostics
                                                       : nullptr;
    if (value && i + 1 < argc) {
      *value = argv[++i];
    } else if (argument == "--check") {
      checkOnly = true;
    } else if (argument == "--draft") {
      draft = true;
    } else if (argument == "--help" || argument[0] == '-') {
      std::cerr << usageText;
      return argument == "--help" ? 0 : 2;
    } else if (fs::is_directory(argument)) {
      for (const auto &found : fs::recursive_directory_iterator(argument))
        if (found.path().extension() == ".isa")
          files.push_back({found.path(), argument});
    } else {
      files.push_back({argument, fs::path(argument).parent_path()});
    }
  }
  if (files.empty() || (!checkOnly && tables.empty() && checks.empty() && words.empty())) {
    std::cerr << usageText;
    return 2;
  }
  std::sort(files.begin(), files.end());

  Model model;
  Errors errors(model), findings(model);
  for (const auto &[file, folder] : files)
    read(model, file.string(), file.lexically_relative(folder).generic_string(), errors);
  Output output;
  Usage usage;
  resolve(model, diagnostics.empty() ? RuleIds() : readRuleIds(diagnostics), output, usage, errors);
  lint(model, output, usage, findings);
  errors.print("error");
  findings.print(draft ? "warning" : "error");
  if (!errors.empty() || (!findings.empty() && !draft))
    return 1;

  std::ostringstream tableText, checkText, wordText;
  emitTables(output, tableText);
  emitChecks(output, checkText);
  emitWords(output, wordText);
  if (checkOnly) {
    std::cout << output.entries.size() << " entries, " << output.mnemonics.size() << " mnemonics, "
              << output.forms.size() << " forms, " << output.words.size() - 1 << " words\n";
    return 0;
  }
  bool good = tables.empty() || writeIfChanged(tables, tableText.str());
  good &= checks.empty() || writeIfChanged(checks, checkText.str());
  good &= words.empty() || writeIfChanged(words, wordText.str());
  return good ? 0 : 1;
}
