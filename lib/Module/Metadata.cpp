#include "Module/Gates.h"
#include "Module/ModuleRules.h"

namespace ptxray {

static void checkMetadataValues(uint32_t braces, ModuleState &module) {
  const uint32_t end = braces + module.ast.operands[braces].extent;
  if (module.ast.operands[braces].extent == 2) {
    const uint32_t brace = module.ast.operands[braces].range.end - 1;
    module.sink.report(DiagId::SyntaxError, {brace, brace + 1}, "}", "`,` and a value");
  }
  for (uint32_t node = braces + 1; node < end; node += module.ast.operands[node].extent) {
    const Operand &value = module.ast.operands[node];
    if (value.kind != OperandKind::List)
      continue;
    const Operand &content = module.ast.operands[node + 1];
    const llvm::StringRef type = module.ast.text(value.suffix);
    const isa::WordId word = module.resolver.word(value.suffix);
    const bool isType = word && isa::word(word).wordClass == isa::WordClass::Type;
    if (content.kind == OperandKind::String ? type != ".metadata_label" : !isType)
      module.sink.report(DiagId::SyntaxError, value.range, type,
                         "a type and a number, or `.metadata_label` and a string");
    else
      fits(content, module);
  }
}

void checkMetadata(const Directive &directive, ModuleState &module) {
  if (module.metadata.exists)
    module.sink.report(DiagId::DuplicateMetadata, directive.nameRange, "a `.metadata_section`");
  module.metadata.exists = true;
  const uint32_t braces = directive.operands.first, end = braces + module.ast.operands[braces].extent;
  llvm::DenseSet<int64_t> nodes;
  for (uint32_t node = braces + 1; node < end; node += module.ast.operands[node].extent) {
    const Operand &entry = module.ast.operands[node], &number = module.ast.operands[node + 1];
    const llvm::StringRef name = module.ast.text(entry.suffix);
    const Range word{entry.range.begin, entry.range.begin + static_cast<uint32_t>(name.size())};
    const bool hasValues = entry.extent > 2;
    if (name == ".metadata_domain" && node == braces + 1 && !hasValues) {
      requireDirective(entry.suffix, word, isa::InDirective, module);
      module.metadata.hasTraceDomain |= number.value == 1;
      const isa::Directive &known = isa::directive(isa::DirectiveId::MetadataDomain);
      checkValue(number, known, isa::run(isa::tables().arguments, known.arguments).front(), module);
      continue;
    }
    if (name != ".metadata" || !hasValues) {
      module.sink.report(DiagId::SyntaxError, word, name, "`.metadata` with values or `}`");
      continue;
    }
    const isa::Directive &known = isa::directive(isa::DirectiveId::Metadata);
    requireDirective(known, word, isa::InDirective, module);
    if (checkValue(number, known, isa::run(isa::tables().arguments, known.arguments).front(), module) &&
        !nodes.insert(number.value).second)
      module.sink.report(DiagId::DuplicateMetadata, number.range, "`.metadata " + std::to_string(number.value) + "`");
    checkMetadataValues(node + 2, module);
  }
}

/// Checks that the metadata contain the domain of the trace. Without any metadata, ptxas generates them.
void checkTrace(Range range, llvm::StringRef instruction, ModuleState &module) {
  if (module.metadata.exists && !module.metadata.hasTraceDomain)
    module.sink.report(DiagId::DirectiveMissing, range, instruction,
                       "`.metadata_domain 1` in the `.metadata_section` before");
  else
    module.metadata.exists = module.metadata.hasTraceDomain = true;
}

} // namespace ptxray
