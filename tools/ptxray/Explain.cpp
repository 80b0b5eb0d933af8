#include "Explore/Explain.h"
#include "Check/CheckModule.h"
#include "Command.h"
#include "Diagnostics/RuleLevels.h"
#include "Diagnostics/RulePages.h"
#include "Isa/Isa.h"
#include "Render/Render.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

using llvm::StringRef;

/// `kernel.ptx:12`: what is reported in the line, and the rules.
static std::optional<int> explainLine(StringRef written, llvm::raw_ostream &out) {
  const auto [path, number] = written.rsplit(':');
  unsigned line = 0;
  if (path == written || number.getAsInteger(10, line))
    return std::nullopt;
  std::string problem;
  const std::unique_ptr<SourceBuffer> source = SourceBuffer::open(path, problem);
  if (!source)
    return usageError("cannot read `" + path.str() + "`: " + problem);
  DiagnosticSink sink;
  checkSource(*source, {}, sink);
  out << source->lineText(line).trim() << '\n';
  bool anything = false;
  for (const Diagnostic &d : sink.diagnostics()) {
    if (source->lineColumn(d.range.begin).line != line)
      continue;
    anything = true;
    out << '\n' << severityName(d.severity) << ": " << d.message() << "\n\n" << rulePage(info(d.id).id);
  }
  if (anything)
    return Clean;
  StringRef text = source->lineText(line).trim();
  if (text.starts_with("@"))
    text = text.drop_until([](char c) { return c == ' ' || c == '\t'; }).ltrim();
  const StringRef opcode = text.take_until([](char c) { return c == ' ' || c == '\t' || c == ';'; });
  out << '\n';
  if (const auto mnemonics = findMnemonics(opcode); !mnemonics.empty())
    explainInstruction(mnemonics, opcode, false, out);
  else if (!explainDirective(opcode, out))
    out << "nothing is reported in this line\n";
  return Clean;
}

static std::string didYouMeanAny(StringRef wanted) {
  llvm::SmallVector<StringRef> known;
  for (const RulePage &page : rulePages())
    known.push_back(page.id);
  for (const isa::Mnemonic &mnemonic : isa::mnemonics())
    known.push_back(mnemonic.text);
  for (const isa::Directive &directive : isa::tables().directives)
    known.push_back(directive.name);
  for (const isa::SpecialRegister &reg : isa::specialRegisters())
    known.push_back(reg.name);
  return didYouMean(wanted, known);
}

static int runExplain(const Arguments &arguments) {
  const StringRef wanted = arguments.operands.front();
  if (const auto [rule, problem] = findRule(wanted); rule) {
    llvm::outs() << rulePage(info(rule->id).id);
    return Clean;
  } else if (findDiag(wanted.split(':').first)) {
    return usageError(problem);
  }
  if (const auto mnemonics = findMnemonics(wanted); !mnemonics.empty()) {
    explainInstruction(mnemonics, wanted, arguments.has("--source"), llvm::outs());
    return Clean;
  }
  if (explainDirective(wanted, llvm::outs()) || explainRegister(wanted, llvm::outs()) ||
      explainTarget(wanted, llvm::outs()) || explainWord(wanted, llvm::outs()))
    return Clean;
  if (const std::optional<int> status = explainLine(wanted, llvm::outs()))
    return *status;
  return usageError("no rule, instruction, directive, special register, or target `" + wanted.str() + "`" +
                    didYouMeanAny(wanted));
}

int unknownInstruction(StringRef written) {
  llvm::SmallVector<StringRef> known;
  for (const isa::Mnemonic &mnemonic : isa::mnemonics())
    known.push_back(mnemonic.text);
  return usageError("no instruction `" + written.str() + "`" + didYouMean(written, known));
}

Command explainCommand() {
  return {.name = "explain",
          .summary = "explain a rule, instruction, qualifier, directive, special register, target, or line of a file",
          .syntax = {.operands = "RULE|NAME|FILE:LINE",
                     .fewest = 1,
                     .most = 1,
                     .options = {{"--source", "", "also show how grammar/isa describes the instruction"}}},
          .run = runExplain};
}

} // namespace ptxray
