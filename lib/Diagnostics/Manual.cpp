#include "Diagnostics/Manual.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static constexpr ManualSection sections[] = {
#define SECTION(number, title, anchor) {number, title, anchor},
#include "Diagnostics/Manual.def"
};

std::string ManualSection::url() const {
  return "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#" + anchor.str();
}

const ManualSection *findManualSection(llvm::StringRef numbers) {
  const llvm::StringRef number = numbers.split(',').first;
  const ManualSection *found =
      llvm::find_if(sections, [&](const ManualSection &section) { return section.number == number; });
  return found == std::end(sections) ? nullptr : found;
}

} // namespace ptxray
