// ptxray-isagen compiles grammar/isa to constant tables, and rejects data that cannot be correct.
#include "CommandLine.h"
#include "Resolve.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace ptxray::isagen;

static const ptxray::Syntax syntax = {
    .operands = "FOLDER|FILE...",
    .fewest = 1,
    .most = ~size_t(0),
    .options = {
        {"--check", "", "only report errors in the data, as `FILE:LINE: error: ... [lint]`"},
        {"--explain", "NAME", "show everything that the entries of a mnemonic define, and the errors in the data"},
        {"--tables", "FILE", "write the tables (IsaTables.inc)"},
        {"--sources", "FILE", "write the text of the entries (Sources.txt)"},
        {"--checks", "FILE", "write the declarations of the named checks (Checks.inc)"},
        {"--words", "FILE", "write the ids of the words as constants (IsaWords.inc)"},
        {"--names", "FILE", "write the names of directives, features and limits (IsaNames.h)"},
        {"--draft", "", "report lints as warnings, for unfinished data"},
        {"--diagnostics", "FILE", "Diagnostics.def, which defines the ids for `warn(id)` and the kinds of words"},
        {"--help", "", "show this"}}};

static std::string usageText() {
  return "usage: ptxray-isagen [OPTION]... FOLDER|FILE...\n\n"
         "Reads all .isa files (of a folder: below it) and compiles them together.\n\n" +
         ptxray::helpFor(syntax.options);
}

/// Writes a file, unless its contents stay the same: then nothing is built again.
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

namespace fs = std::filesystem;
using Files = std::vector<std::pair<fs::path, fs::path>>; // files with their folders

static Files findFiles(const std::vector<std::string_view> &operands) {
  Files files;
  for (const fs::path path : operands) {
    if (!fs::is_directory(path)) {
      files.push_back({path, path.parent_path()});
      continue;
    }
    for (const auto &found : fs::recursive_directory_iterator(path))
      if (found.path().extension() == ".isa")
        files.push_back({found.path(), path});
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Each function writes the file that its option names.
static constexpr std::pair<std::string_view, void (*)(const Output &, std::ostream &)> outputs[] = {
    {"--tables", emitTables},
    {"--sources", emitSources},
    {"--checks", emitChecks},
    {"--words", emitWords},
    {"--names", emitNames}};

int main(int argc, char **argv) {
  ptxray::CommandLine line;
  const std::optional<ptxray::Complaint> complaint = ptxray::readCommandLine(syntax, {argv + 1, argv + argc}, line);
  if (line.has("--help")) {
    std::cout << usageText();
    return 0;
  }
  if (complaint) {
    std::cerr << "ptxray-isagen: " << complaint->text << "\n\n" << usageText();
    return 2;
  }
  const std::string diagnostics(line.value("--diagnostics").value_or(""));
  const bool checkOnly = line.has("--check"), draft = line.has("--draft");
  const Files files = findFiles(line.operands);
  const bool writes =
      std::any_of(std::begin(outputs), std::end(outputs), [&](auto &one) { return line.has(one.first); });
  if (files.empty() || (!checkOnly && !line.has("--explain") && !writes)) {
    std::cerr << usageText();
    return 2;
  }

  Model model;
  Errors errors(model), findings(model);
  for (const auto &[file, folder] : files)
    read(model, file.string(), file.lexically_relative(folder).generic_string(), errors);
  if (const std::optional<std::string_view> wanted = line.value("--explain"))
    if (const std::string name(*wanted); !explain(model, name, std::cout)) {
      std::cerr << "ptxray-isagen: no instruction `" << name << "`" << nearestMnemonic(model, name) << "\n";
      return 2;
    }
  Output output;
  Usage usage;
  resolve(model, diagnostics.empty() ? RuleNames() : readRuleNames(diagnostics), output, usage, errors);
  lint(model, output, usage, findings);
  errors.print("error");
  findings.print(draft ? "warning" : "error");
  if (!errors.empty() || (!findings.empty() && !draft))
    return 1;
  if (line.has("--explain"))
    return 0;

  if (checkOnly) {
    std::cout << output.entries.size() << " entries, " << output.mnemonics.size() << " mnemonics, "
              << output.forms.size() << " forms, " << output.words.size() - 1 << " words\n";
    return 0;
  }
  bool good = true;
  for (const auto &[option, emit] : outputs)
    if (const auto path = line.value(option)) {
      std::ostringstream text;
      emit(output, text);
      good &= writeIfChanged(std::string(*path), text.str());
    }
  return good ? 0 : 1;
}
