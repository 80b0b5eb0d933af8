// `ptxray diff` compares two modules, apart from names and layout.
#include "Binaries.h"
#include "Compare/Compare.h"
#include "Diagnostics/Diagnostic.h"
#include "Parse/Parse.h"
#include "Source/Escape.h"
#include "Source/JsonValue.h"

namespace ptxray {

static bool hasSyntaxErrors(const SourceBuffer &source) {
  DiagnosticSink sink;
  Parser parser;
  parser.read(source, sink);
  return sink.hasErrors();
}

static std::string placeOf(const std::vector<Difference::Line> &lines) {
  if (lines.empty())
    return "nothing";
  const std::string first = std::to_string(lines.front().number), last = std::to_string(lines.back().number);
  return first == last ? "line " + first : "lines " + first + " to " + last;
}

static void writeDifferences(llvm::ArrayRef<Difference> differences, llvm::StringRef before, llvm::StringRef after,
                             llvm::raw_ostream &out) {
  if (differences.empty())
    return;
  out << "--- " << escaped(before) << "\n+++ " << escaped(after) << '\n';
  for (const Difference &difference : differences) {
    out << "@@ " << placeOf(difference.before) << ", " << placeOf(difference.after);
    out << (difference.function.empty() ? "" : " in " + difference.function) << " @@\n";
    for (const Difference::Line &line : difference.before)
      out << "-  " << line.text << '\n';
    for (const Difference::Line &line : difference.after)
      out << "+  " << line.text << '\n';
  }
}

static void writeDifferencesJson(llvm::ArrayRef<Difference> differences, llvm::raw_ostream &out) {
  Json json = {{"version", 1}, {"differences", Json::array()}};
  auto lines = [](const std::vector<Difference::Line> &all) {
    Json list = Json::array();
    for (const Difference::Line &line : all)
      list.push_back({{"line", line.number}, {"text", line.text}});
    return list;
  };
  for (const Difference &difference : differences)
    json["differences"].push_back(
        {{"function", difference.function}, {"before", lines(difference.before)}, {"after", lines(difference.after)}});
  out << dump(json, 1) << '\n';
}

static int runDiff(const Arguments &arguments) {
  std::vector<OneText> texts;
  for (const llvm::StringRef path : arguments.operands) {
    texts.push_back(openText(path, arguments));
    if (!texts.back().source)
      return usageError("cannot read `" + path.str() + "`: " + texts.back().problem);
    if (hasSyntaxErrors(*texts.back().source)) {
      faultyInput(path);
      return BadUsage; // as in `diff`, where 1 means that they differ
    }
  }
  const std::vector<Difference> differences = differencesOf(*texts.front().source, *texts.back().source);
  if (arguments.value("--format") == "json")
    writeDifferencesJson(differences, llvm::outs());
  else
    writeDifferences(differences, arguments.operands.front(), arguments.operands.back(), llvm::outs());
  return differences.empty() ? Clean : FoundErrors;
}

Command diffCommand() {
  return {.name = "diff",
          .summary = "compare two modules, ignoring the names of registers and labels",
          .syntax = {.operands = "FILE FILE", .fewest = 2, .most = 2, .options = {textOrJsonOption(), entryOption()}},
          .run = runDiff};
}

} // namespace ptxray
