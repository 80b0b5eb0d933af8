#include "Workspace/Options.h"
#include "Diagnostics/Nearest.h"
#include "Isa/Isa.h"
#include "Module/Header.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

std::string unknownTargetText(llvm::StringRef value) {
  const std::string text = "unknown target `" + value.str() + "`";
  if (const int nearest = nearestOlderTarget(value); nearest >= 0)
    return text + "; the nearest known is `" + std::string(isa::targets()[nearest].name()) + "`";
  llvm::SmallVector<llvm::StringRef> known;
  for (const isa::Target &target : isa::targets())
    known.push_back(target.name());
  return text + didYouMean(value, known);
}

static std::string setTarget(std::string &target, llvm::StringRef value) {
  if (isa::findTarget(value) < 0)
    return unknownTargetText(value);
  target = value.str();
  return "";
}

static std::string setVersion(std::string &ptx, llvm::StringRef value) {
  const std::optional<uint16_t> version = parseVersion(value);
  if (!version || !llvm::is_contained(isa::versions(), *version))
    return "unknown PTX version `" + value.str() + "`";
  ptx = value.str();
  return "";
}

static std::string setChoice(bool &flag, llvm::StringRef name, llvm::StringRef yes, llvm::StringRef no,
                             llvm::StringRef value) {
  if (value != yes && value != no)
    return "`" + name.str() + "` is " + yes.str() + " or " + no.str() + ", not `" + value.str() + "`";
  flag = value == yes;
  return "";
}

static std::string setLinking(Linking &linking, llvm::StringRef value) {
  bool isWhole = false;
  const std::string wrong = setChoice(isWhole, "link", "whole", "separate", value);
  if (wrong.empty())
    linking = isWhole ? Linking::Whole : Linking::Separate;
  return wrong;
}

static std::string setLevels(RuleLevels &levels, RuleLevel level, llvm::StringRef value) {
  llvm::SmallVector<llvm::StringRef> words;
  value.split(words, ',');
  for (llvm::StringRef word : words) {
    word = word.trim();
    const auto [rules, problem] = findRules(word);
    if (rules.empty())
      return problem;
    if (rules.front().id == DiagId::UnreadableInput)
      return "`" + word.str() + "` is not a rule about PTX";
    for (const RuleName &rule : rules)
      if (rule.id != DiagId::UnreadableInput)
        levels.set(rule, level);
  }
  return "";
}

std::string setOption(CheckOptions &options, llvm::StringRef name, llvm::StringRef value) {
  static constexpr std::pair<llvm::StringLiteral, RuleLevel> levels[] = {
      {"on", RuleLevel::On},
      {"off", RuleLevel::Off},
      {"warning", RuleLevel::Warning},
      {"error", RuleLevel::Error},
  };
  if (name == "target")
    return setTarget(options.target, value);
  if (name == "arch")
    return setTarget(options.arch, value);
  if (name == "ptx")
    return setVersion(options.ptx, value);
  if (name == "pedantic")
    return setChoice(options.pedantic, name, "yes", "no", value);
  if (name == "werror")
    return setChoice(options.werror, name, "yes", "no", value);
  if (name == "link")
    return setLinking(options.linking, value);
  for (const auto &[verb, level] : levels)
    if (name == verb)
      return setLevels(options.levels, level, value);
  return "unknown option `" + name.str() + "`" +
         didYouMean(name, {"target", "arch", "ptx", "link", "pedantic", "werror", "on", "off", "warning", "error"});
}

} // namespace ptxray
