#include "Pages/Examples.h"
#include "Check/Checker.h"
#include "Isa/Isa.h"
#include "Pages/EffectText.h"
#include "Read/ReadModule.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using llvm::StringRef;

/// Declarations for names in the lines of grammar/isa/examples.isa. Only names that a line contains are declared.
struct StageDeclaration {
  StringRef mentioned, text;
};
static constexpr StageDeclaration ofModule[] = {
    {"smem", ".shared .align 1024 .b8 smem[4096];"},
    {"mbar]", ".shared .align 8 .b64 mbar;"},
    {"[tex", ".global .texref tex;"},
    {"[surf", ".global .surfref surf;"},
    {" f,", ".extern .func (.param .b32 result) f (.param .b32 argument);"},
    {" f;", ".extern .func (.param .b32 result) f (.param .b32 argument);"},
    {".loc", ".file 1 \"kernel.cu\""},
};
static constexpr StageDeclaration registers[] = {{"%p", ".pred"}, {"%c", ".b8"},  {"%h", ".b16"},  {"%r", ".b32"},
                                                 {"%rd", ".b64"}, {"%f", ".f32"}, {"%fd", ".f64"}, {"%q", ".b128"}};

static std::string declared(llvm::ArrayRef<StageDeclaration> declarations, StringRef line) {
  std::string text;
  for (const StageDeclaration &declaration : declarations)
    if (line.contains(declaration.mentioned) && !StringRef(text).contains(declaration.text))
      text += declaration.text.str() + "\n";
  return text;
}

/// Declares the register families that the line uses, with the necessary sizes.
static std::string declaredRegisters(StringRef line) {
  std::string text;
  for (const StageDeclaration &family : registers) {
    unsigned count = 0;
    for (size_t at = line.find(family.mentioned); at != StringRef::npos; at = line.find(family.mentioned, at + 1)) {
      StringRef rest = line.drop_front(at + family.mentioned.size());
      if (unsigned number = 0; !rest.consumeInteger(10, number))
        count = std::max(count, number + 1);
    }
    if (count)
      text += ("    .reg " + family.text + " " + family.mentioned + "<" + llvm::Twine(count) + ">;\n").str();
  }
  return text;
}

static uint16_t placesOfName(StringRef name) {
  const isa::Directive *directive = isa::findDirective(name);
  return directive ? directive->places : uint16_t(isa::InEntry); // instructions and pragmas are in bodies
}

namespace {

/// A module with positions for a line.
struct Stage {
  std::string version, target, size;
  std::string module, parameter, head, body;
  StringRef line;

  ExampleModule text() const {
    const bool hasTable = line.contains("TABLE");
    const auto label = [&](const char *name) {
      return hasTable || line.contains(name) ? std::string(name) + ":\n" : std::string();
    };
    std::string before = version + "\n" + target + "\n" + size + (size.empty() ? "" : "\n") + module +
                         ".visible .entry kernel(" + parameter + ")\n" + head + "{\n" + declaredRegisters(line) +
                         (hasTable ? "    TABLE: .branchtargets LOOP, DONE;\n" : "") + label("LOOP") + body +
                         label("DONE") + "    ret;\n}\n";
    const size_t at = before.find(line.str());
    return {before, static_cast<uint32_t>(1 + StringRef(before).take_front(at).count('\n'))};
  }
};

} // namespace

ExampleModule exampleModule(StringRef name, StringRef line, uint16_t ptx, StringRef target) {
  Stage stage;
  stage.version = ".version " + isa::versionText(ptx);
  stage.target = ".target " + target.str();
  stage.size = ptx < 203 ? "" : ".address_size 64"; // older versions lack the directive
  stage.line = line;
  stage.module = declared(ofModule, line);
  const std::string own = line.str() + "\n";
  if (name == ".version")
    stage.version = line.str();
  else if (name == ".target")
    stage.target = line.str();
  else if (name == ".address_size")
    stage.size = line.str();
  else if (name == ".alias") // requires functions with bodies
    stage.module = ".func f () { ret; }\n.func g ();\n" + own;
  else if (const uint16_t places = placesOfName(name); places & isa::OnParameter && !(places & isa::OnVariable))
    stage.parameter = line.str();
  else if (const bool hasBody = line.ends_with("}");
           name == ".pragma" || (places & (isa::InEntry | isa::InFunction) && !hasBody))
    stage.body = "    " + own;
  else if (places & isa::OnEntry && !(places & isa::OnVariable))
    stage.head = own;
  else if (places & isa::OnFunction && !(places & isa::OnVariable))
    stage.module += ".func g ()\n" + own + "{ ret; }\n";
  else
    stage.module += own;
  return stage.text();
}

std::optional<ExampleReport> reportOf(const ExampleModule &module) {
  CheckOptions options;
  options.isFragment = true;
  const auto source = SourceBuffer::fromText("example", module.text);
  const DiagnosticList found = findingsIn(*source, options);
  const Diagnostic *first = nullptr;
  for (const Diagnostic &d : found)
    if (!first || (d.severity == Severity::Error && first->severity != Severity::Error))
      first = &d;
  if (!first)
    return std::nullopt;
  ExampleReport report{first->severity == Severity::Error, first->message() + " [" + first->ruleText() + "]", {}};
  if (first->fix)
    report.advice.push_back(std::string(StringRef(first->fix->title)));
  return report;
}

/// Abbreviates long vectors to their first and last element.
static std::string shortened(StringRef text) {
  constexpr size_t most = 40;
  return text.size() <= most || !text.starts_with("{")
             ? text.str()
             : (text.split(',').first + ", ..., " + text.rsplit(' ').second).str();
}

ReadExample readExample(const ExampleModule &module) {
  ReadExample read;
  const auto source = SourceBuffer::fromText("example", module.text);
  const auto see = [&](const Body &body, const ModuleState &) {
    for (uint32_t number = 0; number < body.size(); ++number) {
      const Instruction &instruction = body.instruction(number);
      if (source->lineColumn(instruction.range.begin).line != module.line || !body.verdicts[number]->match)
        continue;
      read.match = *body.verdicts[number]->match;
      const auto nodes = body.ast->operandsOf(instruction.operands);
      read.effects =
          effectsOf(body.facts(number), [&](unsigned node) { return shortened(source->text(nodes[node].range)); });
    }
  };
  streamModule(*source, {}, see);
  return read;
}

ExampleSetting settingOfExample(StringRef name, StringRef line) {
  static constexpr StringRef targets[] = {"sm_90",   "sm_100a", "sm_90a", "sm_107a", "sm_107f", "sm_120a",
                                          "sm_110a", "sm_53",   "sm_20",  "sm_13",   "sm_10"};
  const uint16_t newest = isa::versions().back(), old = 200, oldest = 104; // some directives were removed
  for (const bool isStrict : {true, false})
    for (const uint16_t ptx : {newest, old, oldest})
      for (const StringRef target : targets)
        if (const auto report = reportOf(exampleModule(name, line, ptx, target));
            !report || (!isStrict && !report->isError))
          return {ptx, target};
  return {newest, ""};
}

} // namespace ptxray
