#include "Module/Gates.h"
#include "Module/ModuleRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

bool fits(const Operand &number, ModuleState &module) {
  const auto value = static_cast<uint64_t>(number.value);
  if (number.kind != OperandKind::Integer || value <= UINT32_MAX)
    return true;
  module.sink.report(DiagId::ConstantOverflow, number.range, std::to_string(value), 32);
  return false;
}

/// Returns a range as text: "a number from 0 to 11".
static std::string rangeText(const isa::ValueRange &range) {
  if (range.low == range.high)
    return "the value " + std::to_string(range.low);
  if (range.high == INT64_MAX)
    return range.low == 1 ? "a value above zero" : "a number from " + std::to_string(range.low) + " on";
  return "a number from " + std::to_string(range.low) + " to " + std::to_string(range.high);
}

/// Returns whether the argument permits that value.
static bool allows(const isa::DirectiveArgument &argument, const Operand &operand, const Ast &ast) {
  const isa::Tables &tables = isa::tables();
  if (operand.kind == OperandKind::Integer) {
    const auto ranges = isa::run(tables.ranges, argument.ranges);
    return ranges.empty() || llvm::any_of(ranges, [&](const isa::ValueRange &range) {
             return range.low <= operand.value && operand.value <= range.high;
           });
  }
  if (operand.kind != OperandKind::String)
    return true;
  const llvm::StringRef text = ast.text(operand.name).drop_front().drop_back();
  const auto texts = isa::run(tables.directiveTexts, argument.texts);
  return texts.empty() || llvm::any_of(texts, [&](isa::StoredText one) { return text.equals_insensitive(one()); });
}

bool checkValue(const Operand &operand, const isa::Directive &known, const isa::DirectiveArgument &argument,
                ModuleState &module) {
  if (argument.kind == isa::ArgumentKind::U32 && !fits(operand, module))
    return false;
  if (!allows(argument, operand, module.ast))
    module.sink.report(DiagId::DirectiveValue, operand.range, known.name(),
                       operand.kind == OperandKind::String
                           ? "the name of a known " + std::string(argument.name())
                           : rangeText(isa::run(isa::tables().ranges, argument.ranges).front()));
  return true;
}

/// Returns whether an operand is a plain number, which is the case for nearly all of the thousands of `.loc` in a file.
static bool isPlain(const Operand &operand, const isa::DirectiveArgument &argument) {
  return operand.kind == OperandKind::Integer && static_cast<uint64_t>(operand.value) <= UINT32_MAX &&
         argument.ranges.count == 0;
}

bool checkValues(const Directive &directive, const isa::Directive &known, ModuleState &module) {
  const llvm::ArrayRef<isa::DirectiveArgument> arguments = isa::run(isa::tables().arguments, known.arguments);
  bool allFit = true;
  uint32_t next = 0;
  for (const Operand &operand : module.ast.operandsOf(directive.operands)) {
    if (next == arguments.size())
      break;
    const isa::DirectiveArgument &argument = arguments[next];
    next += !argument.repeats;
    if (!isPlain(operand, argument))
      allFit &= checkValue(operand, known, argument, module);
  }
  return allFit;
}

void checkModuleDirective(const Directive &directive, ModuleState &module) {
  const llvm::StringRef name = module.ast.text(directive.name);
  requireDirective(directive.name, directive.nameRange, isa::InModule, module);
  if (name == ".pragma")
    return checkPragma(directive, isa::InModule, module);
  if (name == ".alias")
    return checkAlias(directive, module);
  if (name == ".file")
    checkFile(directive, module);
  else if (name == ".section")
    checkSection(directive, module);
  else if (name == ".metadata_section")
    checkMetadata(directive, module);
  else if (name == ".nv_intermediate_source_section")
    checkSources(directive, module);
  if (name != "@@DWARF")
    return;
  module.debugging.hasSection = true;
  if (!module.has(isa::FeatureId::DwarfLines))
    module.sink.report(DiagId::DwarfDirective, directive.nameRange);
}

void checkBodyDirective(const Directive &directive, ModuleState &module) {
  const isa::DirectivePlace place = module.inEntry ? isa::InEntry : isa::InFunction;
  const isa::Directive *known = requireDirective(directive.name, directive.nameRange, place, module);
  if (directive.label != NameId::None)
    checkTargets(directive, module);
  else if (!known)
    return;
  else if (isa::is(*known, isa::DirectiveId::Pragma))
    checkPragma(directive, place, module);
  else if (isa::is(*known, isa::DirectiveId::Alias))
    checkAlias(directive, module);
  else if (checkValues(directive, *known, module) && isa::is(*known, isa::DirectiveId::Loc))
    checkLocation(directive, module);
}

} // namespace ptxray
