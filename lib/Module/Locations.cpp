#include "Module/Gates.h"
#include "Module/ModuleRules.h"

namespace ptxray {

void checkFile(const Directive &directive, ModuleState &module) {
  llvm::ArrayRef<Operand> operands = module.ast.operandsOf(directive.operands);
  if (operands.size() > 2)
    requireFeature(isa::FeatureId::FileTimestamp, operands[2].range, module);
  if (operands.empty() || !checkValues(directive, isa::directive(isa::DirectiveId::File), module))
    return;
  auto [before, isNew] = module.debugging.files.emplace(operands[0].value, operands[0].range);
  if (!isNew)
    module.sink.report(DiagId::DuplicateFileIndex, operands[0].range, operands[0].value)
        .notes.push_back({"the first is here", before->second});
}

/// Checks `.loc file line column`. For inlined code, `, function_name label, inlined_at file line column` follows.
void checkLocation(const Directive &directive, ModuleState &module) {
  llvm::ArrayRef<Operand> operands = module.ast.operandsOf(directive.operands);
  if (operands.size() < 3)
    return;
  auto place = [](llvm::ArrayRef<Operand> numbers) {
    return std::pair(static_cast<uint64_t>(numbers[0].value << 32 | numbers[1].value),
                     static_cast<uint64_t>(numbers[2].value)); // 32 bits: never equals a reserved key of the set
  };
  if (operands.size() == 9) {
    for (auto [index, word] : {std::pair(3, "function_name"), std::pair(5, "inlined_at")})
      if (module.ast.text(operands[index].name) != word)
        module.sink.report(DiagId::SyntaxError, operands[index].range, module.ast.text(operands[index].name),
                           "`" + std::string(word) + "`");
    llvm::ArrayRef<Operand> outer = operands.drop_front(6);
    if (!module.debugging.locations.contains(place(outer)))
      module.sink.report(DiagId::InlinedAt, {outer[0].range.begin, outer[2].range.end}, outer[0].value, outer[1].value,
                         outer[2].value);
  }
  module.debugging.locations.insert(place(operands));
}

} // namespace ptxray
