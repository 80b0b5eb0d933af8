#include "Check/ArrayIndex.h"
#include "Check/Rules.h"

namespace ptxray {

/// On an array of textures the first coordinate is the number of the layer, an integer, whatever the type
/// of the others; elsewhere it must go with them. An operand has one type, so no declaration can say it.
void rules::array_index(RuleContext &context) {
  const llvm::StringRef geometry = context.slotText(".geom");
  const Shape *coordinates = context.operand("c");
  if (!coordinates || coordinates->kind != ShapeKind::Vector)
    return;
  const Place vector = context.placeOfOperand("c");
  const Shape &index = coordinates[1];
  if (!geometry.starts_with(".a") && geometry != ".5d") {
    for (unsigned n = 2; mayBeIndex(index) && n < coordinates->extent; ++n)
      if (coordinates[n].kind == ShapeKind::Float ||
          (coordinates[n].kind == ShapeKind::Register && viewType(coordinates[n].type).kind == isa::TypeKind::Float)) {
        context.report(Phase::Type, DiagId::VectorElements, {Place::Operand, static_cast<uint16_t>(vector.index + n)},
                       {"", "c"}).sourceArg = 0;
        return;
      }
    return;
  }
  // In unified mode ptxas expands a fetch with an explicit sampler, and does not look.
  if (context.isWritten("b") && !context.written.availability.module().independent)
    return;
  const bool floating = index.kind == ShapeKind::Float ||
                        (index.kind == ShapeKind::Register &&
                         viewType(index.type).kind == isa::TypeKind::Float);
  if (floating)
    context.report(Phase::Type, DiagId::ArrayIndex,
                   {Place::Operand, static_cast<uint16_t>(vector.index + 1)}, {""})
        .sourceArg = 0;
}

} // namespace ptxray
