#include "Flow/BlockShape.h"
#include "Isa/Directives.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

BlockShape blockShapeOf(const Body &body) {
  BlockShape shape;
  const Slice directives = body.function->directives;
  for (const Directive &one : llvm::ArrayRef(body.ast->directives).slice(directives.first, directives.count)) {
    const llvm::StringRef name = body.ast->text(one.name);
    const bool isExact = name == llvm::StringRef(isa::directive(isa::DirectiveId::Reqntid).name);
    if (!isExact && (name != llvm::StringRef(isa::directive(isa::DirectiveId::Maxntid).name) || shape.isExact))
      continue;
    std::array<uint64_t, 3> sizes = {1, 1, 1};
    for (auto [size, operand] : llvm::zip(sizes, body.ast->operandsOf(one.operands)))
      size = std::clamp<int64_t>(operand.value, 1, 1024);
    shape = {isExact, true, sizes[0], sizes[1], sizes[0] * sizes[1] * sizes[2]};
  }
  return shape;
}

} // namespace ptxray
