#include "Flow/BlockShape.h"
#include "Module/KernelHead.h"

namespace ptxray {

BlockShape blockShapeOf(const Body &body) {
  constexpr uint64_t most = 1024;
  const KernelHead head = headOf(*body.ast, *body.function);
  const auto [x, y, z] = head.requiredBlock;
  if (x)
    return {true, true, std::min<uint64_t>(x, most), std::min<uint64_t>(y, most),
            std::min<uint64_t>(x, most) * std::min<uint64_t>(y, most) * std::min<uint64_t>(z, most)};
  BlockShape shape;
  shape.isKnown = head.threads.has_value();
  shape.threads = std::min(head.threads.value_or(most), most * most * most);
  return shape;
}

} // namespace ptxray
