#include "Generate/Program.h"
#include "Check/Checker.h"
#include "Generate/Writer.h"

namespace ptxray {

static ModuleContext contextOf(const ProgramTarget &target) {
  ModuleContext module;
  module.ptx = target.ptx ? target.ptx : isa::versions().back();
  module.target = static_cast<uint16_t>(isa::findTarget(target.target));
  return module;
}

struct Generator::State {
  explicit State(ProgramTarget asked) : target(std::move(asked)), module(contextOf(target)), stock(module, target) {}

  const ProgramTarget target;
  const ModuleContext module;
  Stock stock;
  Checker checker;
};

Generator::Generator(ProgramTarget target) : state(std::make_unique<State>(std::move(target))) {}
Generator::~Generator() = default;

/// Returns the text without the lines of these findings.
static std::string withoutLines(const SourceBuffer &source, const DiagnosticList &findings) {
  std::vector<uint32_t> lines;
  for (const Diagnostic &found : findings)
    lines.push_back(source.lineColumn(found.range.begin).line);
  std::string text;
  uint32_t number = 0;
  for (llvm::StringRef rest = source.text(); !rest.empty();) {
    const auto [line, after] = rest.split('\n');
    if (!llvm::is_contained(lines, ++number))
      (text += line) += '\n';
    rest = after;
  }
  return text;
}

std::string Generator::program(const ProgramOptions &options) {
  std::string text = Writer(options, state->target.target, state->stock).write(state->module.ptx);
  // Remove lines with warnings, such as a comparison that is always true.
  constexpr unsigned attempts = 4;
  for (unsigned attempt = 0; attempt < attempts; ++attempt) {
    FileReport report;
    report.source = SourceBuffer::fromOwned("", std::move(text));
    report = state->checker.check(std::move(report), Language::Ptx, {});
    text = withoutLines(*report.source, report.diagnostics);
    if (report.diagnostics.empty())
      break;
  }
  return text;
}

} // namespace ptxray
