#include "Observe/GlobalShadow.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>

namespace ptxray::machine {

void GlobalShadows::Free::operator()(GlobalCell *cells) const { std::free(cells); }

GlobalCell *GlobalShadows::of(const Allocation &allocation) {
  const std::lock_guard lock(mutex);
  const size_t count = (allocation.end - allocation.begin) / bytesOfCell + 1;
  const auto known =
      llvm::find_if(all, [&](const Cells &one) { return one.begin == allocation.begin && one.count == count; });
  if (known == all.end()) { // pages that are never touched need no memory
    auto *cells = static_cast<GlobalCell *>(std::calloc(count, sizeof(GlobalCell)));
    all.push_back({allocation.begin, count, std::unique_ptr<GlobalCell[], Free>(cells)});
    return cells;
  }
  return known->cells.get();
}

void GlobalShadows::forget() {
  constexpr size_t mostKept = (size_t(64) << 20) / sizeof(GlobalCell);
  size_t cells = 0;
  for (const Cells &one : all)
    cells += one.count;
  launch = static_cast<uint32_t>(launch % mostLaunches + 1);
  if (cells > mostKept || launch == 1)
    all.clear();
  others.clear();
  bytesOfCell = coarse;
}

bool GlobalShadows::withOthers(const GlobalCell &cell, llvm::function_ref<void(std::vector<GlobalContent> &)> use) {
  constexpr size_t most = 1 << 16; // number of cells
  const std::lock_guard lock(mutex);
  if (others.size() >= most && !others.contains(&cell))
    return false;
  use(others[&cell]);
  return true;
}

} // namespace ptxray::machine
