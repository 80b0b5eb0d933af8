#include "Command.h"
#include "Diagnostics/RuleGroups.h"
#include "Render/Render.h"
#include "Source/JsonValue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

namespace ptxray {

/// All rules, or those that the operands name.
static Expected<std::vector<DiagId>> wantedRules(const Arguments &arguments) {
  std::vector<DiagId> rules;
  for (size_t i = 0; arguments.operands.empty() && i < allDiagInfos().size(); ++i)
    rules.push_back(static_cast<DiagId>(i));
  for (const llvm::StringRef operand : arguments.operands) {
    const llvm::SmallVector<DiagId, 0> found = matchRules(operand);
    if (found.empty())
      return Problem{"no rule or group `" + operand.str() + "`" + didYouMeanRule(operand)};
    llvm::append_range(rules, found);
  }
  llvm::sort(rules);
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

static void rulesAsText(llvm::ArrayRef<DiagId> rules, llvm::raw_ostream &out) {
  const RuleGroup *group = nullptr;
  for (const DiagId id : rules) {
    if (std::exchange(group, &groupOf(id)) != &groupOf(id))
      out << (id == rules.front() ? "" : "\n") << groupOf(id).name << ": " << groupOf(id).title << '\n';
    out << llvm::formatv("  {0,-27} {1,-8} {2}  {3}\n", info(id).id, severityName(info(id).level),
                         mayHaveFix(id) ? "fix" : "   ", info(id).message);
  }
}

static void rulesAsMarkdown(llvm::ArrayRef<DiagId> rules, llvm::raw_ostream &out) {
  out << "# Rules\n\nLook up here which rules there are, in the groups of `ptxray rules`. `--off=syntax` names a "
         "group, `--off='codegen-*'` a "
         "pattern.\n";
  const RuleGroup *group = nullptr;
  for (const DiagId id : rules) {
    if (std::exchange(group, &groupOf(id)) != &groupOf(id))
      out << "\n## " << groupOf(id).title << ": `" << groupOf(id).name
          << "`\n\n| rule | level | fix | message |\n|---|---|---|---|\n";
    std::string message = info(id).message.str();
    for (size_t at = 0; (at = message.find('|', at)) != std::string::npos; at += 2)
      message.insert(at, "\\");
    out << "| [" << info(id).id << "](diagnostics/" << info(id).id << ".md) | " << severityName(info(id).level) << " | "
        << (mayHaveFix(id) ? "yes" : "") << " | " << message << " |\n";
  }
}

static void rulesAsJson(llvm::ArrayRef<DiagId> rules, llvm::raw_ostream &out) {
  Json list = Json::array();
  for (const DiagId id : rules) {
    Json kinds = Json::array();
    for (const Kind kind : kindsOf(id))
      kinds.push_back(kindText(kind).str());
    list.push_back({{"id", info(id).id.str()},
                    {"group", groupOf(id).name.str()},
                    {"level", severityName(info(id).level).str()},
                    {"fixable", mayHaveFix(id)},
                    {"message", info(id).message.str()},
                    {"kinds", std::move(kinds)}});
  }
  out << dump(list, 1) << '\n';
}

static int runRules(const Arguments &arguments) {
  const Expected<std::vector<DiagId>> rules = wantedRules(arguments);
  if (!rules)
    return usageError(rules.problem());
  const llvm::StringRef format = arguments.value("--format").value_or("text");
  (format == "json" ? rulesAsJson : format == "markdown" ? rulesAsMarkdown : rulesAsText)(*rules, llvm::outs());
  return Clean;
}

Command rulesCommand() {
  return {.name = "rules",
          .summary = "list the rules by group, with their level and whether they offer fixes",
          .syntax = {.operands = "[RULE|GROUP|PATTERN]...",
                     .most = anyNumber,
                     .options = {{"--format", "text|json|markdown", "form of the output"}}},
          .run = runRules};
}

} // namespace ptxray
