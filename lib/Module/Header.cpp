#include "Module/Header.h"
#include "Diagnostics/Nearest.h"
#include "Isa/Directives.h"
#include "Source/Narrow.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

std::optional<uint16_t> parseVersion(llvm::StringRef text) {
  auto [major, minor] = text.split('.');
  unsigned majorNumber = 0, minorNumber = 0;
  if (major.getAsInteger(10, majorNumber) || minor.getAsInteger(10, minorNumber) || majorNumber > 99 ||
      minorNumber > 99)
    return std::nullopt;
  return narrow<uint16_t>(majorNumber * 100 + minorNumber);
}

bool Header::read(const Ast &ast, const Directive &directive) {
  llvm::StringRef name = ast.text(directive.name);
  if (name == ".version" && reached == Nothing) {
    readVersion(ast, directive);
    reached = Version;
    return true;
  }
  if (name == ".target" && (reached == Version || reached == Target)) {
    readTarget(ast, directive);
    reached = Target;
    return true;
  }
  if (name == ".address_size" && reached == Target) {
    readAddressSize(ast, directive);
    reached = AddressSize;
    return true;
  }
  if (name != ".version" && name != ".target" && name != ".address_size")
    return false;
  if (missingVersion && name != ".target") { // a consequence of the missing version
    if (name == ".version") {
      Diagnostic &d = sink.at(*missingVersion);
      d.fix.reset();
      d.notes.push_back({"it is here, after another directive", directive.nameRange});
    }
    return true;
  }
  if (name == ".target" && reached == Nothing) {
    missingVersion = sink.diagnostics().size();
    suggestVersion(ast, directive, sink.report(DiagId::MissingVersion, directive.range));
  } else if (name == ".address_size" && reached < Target)
    sink.report(reached == Nothing ? IdTakingTexts<0>(DiagId::MissingVersion) : DiagId::MissingTarget, directive.range);
  else
    sink.report(DiagId::MisplacedDirective, directive.nameRange, name);
  if (name == ".target" && target < 0)
    readTarget(ast, directive);
  reached = Done; // prevents a second report about missing parts
  return true;
}

/// Returns the architecture for `sm80`, `SM_80` or `80`: `sm_80`. Empty for other texts.
static std::string architectureLike(llvm::StringRef name) {
  if (name.starts_with("sm_"))
    return "";
  llvm::StringRef number = name;
  number.consume_front_insensitive("sm");
  number.consume_front("_");
  const std::string near = "sm_" + number.lower();
  return isa::findTarget(near) < 0 ? "" : near;
}

/// Suggests the lowest version that supports the target.
void Header::suggestVersion(const Ast &ast, const Directive &directive, Diagnostic &d) {
  for (const Operand &operand : ast.operandsOf(directive.operands)) {
    const int known = operand.name == NameId::None ? -1 : isa::findTarget(ast.text(operand.name));
    if (known < 0)
      continue;
    const std::string line = ".version " + isa::versionText(isa::targets()[known].since);
    const uint32_t begin = directive.range.begin;
    d.fix = Fix{"insert `" + line + "`", {{{begin, begin}, line + "\n"}}};
    return;
  }
}

void Header::setVersion(llvm::StringRef text, Range range) {
  llvm::ArrayRef<uint16_t> known = isa::versions();
  std::optional<uint16_t> version = parseVersion(text);
  if (version && llvm::is_contained(known, *version)) {
    ptx = isa::versionMeaning(*version);
    return;
  }
  sink.report(DiagId::UnknownVersion, range, text, isa::versionText(known.front()), isa::versionText(known.back()));
  ptx = known.back();
  for (uint16_t candidate : known)
    if (version && candidate <= *version)
      ptx = candidate;
}

void Header::readVersion(const Ast &ast, const Directive &directive) {
  llvm::ArrayRef<Operand> operands = ast.operandsOf(directive.operands);
  if (operands.empty()) // a syntax error
    return;
  const Range range = operands.front().range;
  ptxText = source.text(range).str();
  versionRange = range;
  setVersion(options.ptx.empty() ? llvm::StringRef(ptxText) : options.ptx, range);
}

int nearestOlderTarget(llvm::StringRef name) {
  const llvm::StringRef digits = name.drop_front(std::min<size_t>(3, name.size()));
  const llvm::StringRef letters = digits.drop_while(llvm::isDigit);
  unsigned number = 0;
  int nearest = -1;
  if (!name.starts_with("sm_") || digits.drop_back(letters.size()).getAsInteger(10, number))
    return nearest;
  const llvm::ArrayRef<isa::Target> targets = isa::targets();
  for (size_t i = 0; i < targets.size(); ++i)
    if (targets[i].number <= number && (!targets[i].variant || letters.starts_with({&targets[i].variant, 1})))
      if (nearest < 0 || targets[i].number >= targets[nearest].number)
        nearest = static_cast<int>(i);
  return nearest;
}

/// Sets the target with that name, or the closest older one.
int Header::setTarget(llvm::StringRef text, Range range) {
  std::string name = text.str();
  if (text.starts_with("compute_"))
    name = ("sm_" + text.drop_front(8)).str();
  if (int found = isa::findTarget(name); found >= 0)
    return found;
  // ptxas parses the number, optionally with leading zeros, and then only the last character: `sm_090` and `sm_90b`
  // mean sm_90, `sm_90xa` means sm_90a.
  llvm::StringRef digits = llvm::StringRef(name).drop_front(std::min<size_t>(3, name.size()));
  llvm::StringRef letters = digits.drop_while(llvm::isDigit);
  std::string meant = "sm_" + digits.drop_back(letters.size()).ltrim('0').str();
  if (letters.ends_with("a") || letters.ends_with("f"))
    meant += letters.back();
  if (int found = isa::findTarget(meant); llvm::StringRef(name).starts_with("sm_") && found >= 0) {
    sink.report(DiagId::OddTarget, range, text, meant);
    return found;
  }
  Diagnostic &d = sink.report(DiagId::UnknownTarget, range, text);
  if (unsigned number = 0; digits.drop_back(letters.size()).getAsInteger(10, number)) {
    suggestTarget(text, range, d);
    return -1;
  }
  const int nearest = nearestOlderTarget(name);
  if (nearest < 0)
    return nearest;
  const llvm::ArrayRef<isa::Target> targets = isa::targets();
  const std::string known(targets[nearest].name());
  std::string alike;
  for (const isa::Target &target : targets)
    if (target.number == targets[nearest].number)
      alike += (alike.empty() ? "`" : ", `") + std::string(target.name()) + "`";
  d.notes.push_back({"the nearest known: " + alike, std::nullopt});
  if (options.target.empty())
    d.fix = Fix{"write `" + known + "`", {{range, known}}};
  return nearest;
}

void Header::suggestTarget(llvm::StringRef text, Range range, Diagnostic &d) const {
  Nearest nearest(text, text.size() / 2);
  for (const isa::Target &target : isa::targets())
    if (target.documented)
      nearest.offer(target.name());
  const std::string found = nearest.only().str();
  if (!found.empty() && options.target.empty())
    d.fix = Fix{"write `" + found + "`", {{range, found}}};
}

void Header::readTarget(const Ast &ast, const Directive &directive) {
  bool first = true;
  for (const Operand &operand : ast.operandsOf(directive.operands)) {
    std::string text = operand.name == NameId::None ? std::string() : ast.text(operand.name).str();
    llvm::StringRef name = text;
    if (name == "texmode_unified" || name == "texmode_independent") {
      auto mode = name == "texmode_unified" ? Unified : Independent;
      if (texmode != Unset && texmode != mode)
        sink.report(DiagId::TargetOptionConflict, operand.range, text);
      texmode = mode;
      if (mode == Independent)
        independent = operand.range;
    } else if (name == "debug") {
      debug = operand.range;
    } else if (name == "map_f64_to_f32") {
      mapF64 = operand.range;
    } else if (const std::string near = architectureLike(name); first && !near.empty()) {
      sink.report(DiagId::UnknownTarget, operand.range, text).fix =
          Fix{"write `" + near + "`", {{operand.range, near}}};
      target = isa::findTarget(near);
    } else if (first && !name.starts_with("sm_") && !name.starts_with("compute_")) {
      sink.report(DiagId::MissingArchitecture, operand.range, text)
          .notes.push_back({"an architecture is written `sm_80`, `sm_90a` ...", std::nullopt});
    } else {
      int before = target;
      target = setTarget(options.target.empty() ? name : llvm::StringRef(options.target), operand.range);
      if (before >= 0 && target >= 0 && before != target)
        sink.report(DiagId::SeveralTargets, operand.range, isa::targets()[before].name(), text);
      targetText = text;
      targetRange = operand.range;
    }
    if (first && (name == "debug" || name.starts_with("texmode_") || name == "map_f64_to_f32"))
      sink.report(DiagId::MissingArchitecture, operand.range, text);
    first = false;
  }
  if (mapF64.size() && !isMet(isa::feature(isa::FeatureId::MapF64).gate, context()))
    sink.report(DiagId::TargetOptionConflict, mapF64, "map_f64_to_f32");
}

void Header::readAddressSize(const Ast &ast, const Directive &directive) {
  const isa::Directive &known = isa::directive(isa::DirectiveId::AddressSize);
  if (!isMet(known.gate, context()))
    sink.report(DiagId::RequiresPtx, directive.nameRange, "`" + std::string(known.name()) + "`", versionOf(known.gate),
                isa::versionText(ptx))
        .kind = Kind::Directive;
  llvm::ArrayRef<Operand> operands = ast.operandsOf(directive.operands);
  if (operands.empty())
    return;
  bits = operands.front().value;
  const bool isUnreadable = bits == 0 && operands.front().range.size() > 1; // reported by the parser
  if (bits != 32 && bits != 64 && !isUnreadable)
    sink.report(DiagId::AddressSize, operands.front().range, bits);
  if (bits == 32 && !isMet(isa::feature(isa::FeatureId::Address32).gate, ofArch(context())))
    sink.report(DiagId::CodegenAddress32, directive.range, ".address_size 32", targetName(ofArch(context())));
}

void Header::finish(Range place, bool isEmpty) {
  if (reached == Nothing)
    sink.report(DiagId::MissingVersion, place);
  else if (reached == Version)
    sink.report(DiagId::MissingTarget, place);
  bool isComplete = reached == Target || reached == AddressSize;
  reached = Done;
  if (!isComplete || target < 0 || !ptx)
    return;
  const isa::Target &known = isa::targets()[target];
  if (known.since > ptx && !isEmpty) { // ptxas checks when the first item follows
    const std::string needed = isa::versionText(known.since);
    Diagnostic &d = sink.report(DiagId::RequiresPtx, targetRange, "`" + std::string(known.name()) + "`", needed,
                                isa::versionText(ptx));
    d.kind = Kind::Target;
    if (versionRange.size() && options.ptx.empty())
      d.fix = Fix{"raise `.version` to " + needed, {{versionRange, needed}}};
    ptx = known.since; // suppresses further reports about the target's features
  }
  checkArch();
  for (auto [option, feature] :
       {std::pair(debug, isa::FeatureId::DebugTarget), std::pair(independent, isa::FeatureId::TexmodeIndependent)})
    if (const isa::ExprId gate = isa::feature(feature).gate; option.size() && !isMet(gate, context()))
      sink.report(DiagId::NotAvailable, option, "`" + source.text(option).str() + "`", gateText(gate), ptxText,
                  targetText);
}

/// Checks the requirements of ptxas for `-arch`: exactly the same architecture for an `a` target, the same family for
/// an `f` target, and never an older one.
void Header::checkArch() {
  if (options.arch.empty())
    return;
  int arch = isa::findTarget(options.arch);
  if (arch < 0)
    return; // the driver has rejected it already
  const isa::Target &has = isa::targets()[arch], &needs = isa::targets()[target];
  bool fits = has.number >= needs.number;
  if (needs.variant == 'a')
    fits = has.number == needs.number && has.variant == 'a';
  else if (needs.variant == 'f')
    fits = fits && has.family == needs.family && has.variant;
  if (!fits)
    sink.report(DiagId::ArchMismatch, targetRange, needs.name(), has.name());
}

ModuleContext Header::context() const {
  ModuleContext context;
  context.ptx = ptx ? ptx : isa::versions().back();
  context.target = target >= 0 ? narrow<uint16_t>(target) : anyTarget;
  if (!options.arch.empty())
    if (const int arch = isa::findTarget(options.arch); arch >= 0 && target >= 0 && arch != target)
      context.arch = narrow<uint16_t>(arch);
  context.pedantic = options.pedantic || options.levels.wantsPedantic();
  context.version = options.ptx.empty() ? versionRange : Range{};
  context.targetName = options.target.empty() ? targetRange : Range{};
  context.independent = texmode == Independent;
  return context;
}

ModuleSummary Header::summary() const {
  return {options.ptx.empty() ? ptxText : options.ptx, options.target.empty() ? targetText : options.target};
}

} // namespace ptxray
