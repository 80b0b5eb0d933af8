#include "Expectation.h"
#include "Render/Render.h"
#include "llvm/ADT/STLExtras.h"
#include <regex>

namespace ptxray::test {

/// Finds where the comment with an expectation begins, or returns npos.
static size_t findComment(llvm::StringRef line) {
  static const std::regex comment(R"(//\s*(error|warning|pedantic|ptxas):)");
  std::cmatch match;
  if (!std::regex_search(line.begin(), line.end(), match, comment))
    return llvm::StringRef::npos;
  return match.position();
}

bool Expectation::hasError() const {
  return llvm::any_of(diagnostics, [](const ExpectedDiagnostic &d) { return d.severity == "error"; });
}

static bool isOfCode(const ExpectedDiagnostic &d) { return llvm::StringRef(d.id).starts_with("codegen-"); }

bool Expectation::hasCodegenError() const {
  return llvm::any_of(diagnostics, [](const ExpectedDiagnostic &d) { return d.severity == "error" && isOfCode(d); });
}

bool Expectation::ptxasRejects() const {
  if (ptxas != Verdict::Same)
    return ptxas == Verdict::Rejects;
  return llvm::any_of(diagnostics, [](const ExpectedDiagnostic &d) { return d.severity == "error" && !isOfCode(d); });
}

Expectation readExpectation(llvm::StringRef line) {
  static const std::regex item(R"re(\s*(?:(error|warning|pedantic): \[([a-z0-9-]+(?::[a-z0-9-]+)?)\](?: "([^"]*)")?)re"
                               R"re(|ptxas: (accepts|rejects)(?: \([^)]*\))?)\s*(;|$))re");
  Expectation expectation;
  const size_t comment = findComment(line);
  if (comment == llvm::StringRef::npos)
    return expectation;
  llvm::StringRef rest = line.drop_front(comment + 2).rtrim();
  while (!rest.empty()) {
    std::cmatch match;
    if (!std::regex_search(rest.begin(), rest.end(), match, item, std::regex_constants::match_continuous)) {
      expectation.problem = "cannot read the expectation at `" + rest.str() + "`";
      break;
    }
    if (match[4].matched)
      expectation.ptxas = match[4] == "accepts" ? Verdict::Accepts : Verdict::Rejects;
    else
      expectation.diagnostics.push_back({match[1], match[2], match[3]});
    rest = rest.drop_front(match.length());
  }
  return expectation;
}

static bool fits(const ExpectedDiagnostic &expected, const Diagnostic &found) {
  const bool isRule = expected.id == info(found.id).id.str() || expected.id == found.ruleText();
  return isRule && expected.severity == severityName(found.severity) &&
         llvm::StringRef(found.message()).contains(expected.part);
}

/// Returns the expectation that each diagnostic meets, or -1 if none is left for it.
static std::vector<int> pair(const Expectation &expected, llvm::ArrayRef<const Diagnostic *> found) {
  std::vector<int> met(found.size(), -1);
  std::vector<bool> used(expected.diagnostics.size());
  // Expectations that name a part of the message choose first.
  for (bool withPart : {true, false})
    for (size_t i = 0; i < expected.diagnostics.size(); ++i)
      for (size_t j = 0; j < found.size() && !used[i]; ++j)
        if (expected.diagnostics[i].part.empty() != withPart && met[j] < 0 &&
            fits(expected.diagnostics[i], *found[j])) {
          met[j] = i;
          used[i] = true;
        }
  return met;
}

std::vector<std::string> differences(const Expectation &expected, llvm::ArrayRef<const Diagnostic *> found) {
  std::vector<std::string> out;
  if (!expected.problem.empty())
    out.push_back(expected.problem);
  const std::vector<int> met = pair(expected, found);
  for (size_t j = 0; j < found.size(); ++j)
    if (met[j] < 0)
      out.push_back("not expected: " + severityName(found[j]->severity).str() + ": [" + found[j]->ruleText() + "] " +
                    found[j]->message());
  for (size_t i = 0; i < expected.diagnostics.size(); ++i)
    if (!llvm::is_contained(met, static_cast<int>(i))) {
      const ExpectedDiagnostic &e = expected.diagnostics[i];
      out.push_back("not reported: " + e.severity + ": [" + e.id + "]" + (e.part.empty() ? "" : " \"" + e.part + "\""));
    }
  return out;
}

std::string withExpectation(llvm::StringRef line, llvm::ArrayRef<const Diagnostic *> found) {
  const Expectation old = readExpectation(line);
  const size_t comment = findComment(line);
  const std::vector<int> met = pair(old, found);
  std::string text;
  auto add = [&text](const std::string &item) { text += (text.empty() ? "" : "; ") + item; };
  for (size_t j = 0; j < found.size(); ++j) {
    const std::string part = met[j] < 0 ? "" : old.diagnostics[met[j]].part;
    add(severityName(found[j]->severity).str() + ": [" + found[j]->ruleText() + "]" +
        (part.empty() ? "" : " \"" + part + "\""));
  }
  if (old.ptxas != Verdict::Same) {
    const size_t at = line.find("ptxas: ", comment);
    add(line.substr(at).split(';').first.rtrim().str());
  }
  if (comment == llvm::StringRef::npos)
    return text.empty() ? line.str() : line.rtrim().str() + "  // " + text;
  if (text.empty())
    return line.take_front(comment).rtrim().str();
  return line.take_front(comment).str() + "// " + text;
}

} // namespace ptxray::test
