#include "Module/ModuleRules.h"

namespace ptxray {

/// Checks `.code_block { .ir_name: "x" .sourceFileName: 1 .source_begin ... .source_end }`.
void checkSources(const Directive &directive, ModuleState &module) {
  const uint32_t braces = directive.operands.first, end = braces + module.ast.operands[braces].extent;
  for (uint32_t node = braces + 1; node < end; node += module.ast.operands[node].extent) {
    const Operand &block = module.ast.operands[node];
    static constexpr llvm::StringLiteral order[] = {".ir_name", ".sourceFileName", ".source_begin"};
    size_t field = 0;
    auto wrong = [&](const Operand &at, llvm::StringRef found, llvm::StringRef expected) {
      module.sink.report(DiagId::SyntaxError, at.range, found, "`" + expected.str() + "`");
    };
    if (module.ast.text(block.suffix) != ".code_block")
      wrong(block, module.ast.text(block.suffix), ".code_block");
    for (uint32_t child = node + 1; child < node + block.extent; child += module.ast.operands[child].extent) {
      const Operand &item = module.ast.operands[child];
      if (item.kind != OperandKind::List) { // the source, after all fields
        if (field < 2)
          wrong(item, ".source_begin", order[field]);
        continue;
      }
      const llvm::StringRef name = module.ast.text(item.suffix);
      if (name != order[field]) {
        wrong(item, name, order[field]);
        break;
      }
      const Operand &value = module.ast.operands[child + 1];
      if (value.kind != (field ? OperandKind::Integer : OperandKind::String))
        module.sink.report(DiagId::SyntaxError, value.range, field ? "a string" : "a number",
                           field ? "a number" : "a string");
      else if (field && !module.debugging.files.contains(value.value))
        module.sink.report(DiagId::UndefinedFileIndex, value.range, value.value);
      ++field;
    }
  }
}

} // namespace ptxray
