#include "Check/Rules.h"

namespace ptxray {

/// On an array of textures the first coordinate is the number of the layer, an integer, whatever the type
/// of the others. An operand has one type, so no declaration can say it.
void rules::array_index(RuleContext &context) {
  const llvm::StringRef geometry = context.slotText(".geom");
  const Shape *coordinates = context.operand("c");
  if (!coordinates || coordinates->kind != ShapeKind::Vector || context.isWritten("b") ||
      (!geometry.starts_with(".a") && geometry != ".5d"))
    return;
  const Place vector = context.placeOfOperand("c");
  const Shape &index = coordinates[1];
  const bool floating = index.kind == ShapeKind::Float ||
                        (index.kind == ShapeKind::Register &&
                         viewType(index.type).kind == isa::TypeKind::Float);
  if (floating)
    context.report(Phase::Type, DiagId::ArrayIndex,
                   {Place::Operand, static_cast<uint16_t>(vector.index + 1)}, {""})
        .sourceArg = 0;
}

} // namespace ptxray
