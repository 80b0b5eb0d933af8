#include "Module/Gates.h"
#include "Module/ModuleRules.h"

namespace ptxray {

/// Checks `.b8 1, -2`, `.b64 label+8` or `.b32 end-begin`: numbers, or one address of at least 32 bits.
static void checkSectionData(uint32_t node, ModuleState &module) {
  const Operand &data = module.ast.operands[node];
  const llvm::StringRef type = module.ast.text(data.suffix);
  const uint32_t bits = type == ".b8" ? 8 : type == ".b16" ? 16 : type == ".b32" ? 32 : 64;
  auto wrong = [&](Range range, const std::string &why) { module.sink.report(DiagId::SectionData, range, type, why); };
  if (type != ".b8" && type != ".b16" && type != ".b32" && type != ".b64")
    return wrong({data.range.begin, data.range.begin + static_cast<uint32_t>(type.size())},
                 "cannot be used in a section; use `.b8`, `.b16`, `.b32` or `.b64`");
  for (uint32_t child = node + 1; child < node + data.extent; child += module.ast.operands[child].extent) {
    const Operand &value = module.ast.operands[child];
    if (value.kind == OperandKind::Integer) {
      const bool isNegative = value.value < 0 && !(value.flags & UnsignedSuffix);
      if (isNegative)
        requireFeature(isa::FeatureId::SectionNegative, value.range, module);
      // ptxas checks only the lower half of a positive number.
      const int64_t low = static_cast<int64_t>(static_cast<uint32_t>(value.value));
      if (bits < 64 && (isNegative ? value.value < -(int64_t(1) << (bits - 1)) : low >> bits != 0))
        wrong(value.range, "cannot hold `" + std::to_string(value.value) + "`");
      continue;
    }
    if (bits < 32)
      wrong(value.range, "cannot hold an address");
    else if (child + value.extent < node + data.extent || child > node + 1)
      wrong(value.range, "accepts an address alone, not in a list");
    if (value.kind == OperandKind::Pair)
      requireFeature(isa::FeatureId::SectionDifference, value.range, module);
    else if (value.flags & HasOffset)
      requireFeature(isa::FeatureId::SectionOffset, value.range, module);
  }
}

void checkSection(const Directive &directive, ModuleState &module) {
  module.debugging.hasSection = true;
  const uint32_t braces = directive.operands.first + 1;
  if (directive.operands.count < 2)
    return;
  for (uint32_t node = braces + 1; node < braces + module.ast.operands[braces].extent;
       node += module.ast.operands[node].extent) {
    const Operand &item = module.ast.operands[node];
    if (item.kind == OperandKind::List) {
      checkSectionData(node, module);
      continue;
    }
    requireFeature(isa::FeatureId::SectionLabel, item.range, module);
    auto [before, isNew] = module.debugging.sectionLabels.try_emplace(static_cast<uint32_t>(item.name), item.range);
    if (!isNew)
      module.sink.report(DiagId::DuplicateDefinition, item.range, module.ast.text(item.name))
          .notes.push_back({"declared here before", before->second});
  }
}

void checkDebugInfo(ModuleState &module) {
  if (module.header.debugOption().size() && !module.debugging.hasSection)
    module.sink.report(DiagId::MissingDebugInfo, module.header.debugOption());
}

} // namespace ptxray
