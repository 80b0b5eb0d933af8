#include "Gpus/CudaReleases.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static constexpr CudaRelease releases[] = {
    {1, 0, 100, ""},
    {1, 1, 101, ""},
    {2, 0, 102, ""},
    {2, 1, 103, ""},
    {2, 2, 104, ""},
    {2, 3, 105, "190"},
    {3, 0, 200, "195"},
    {3, 1, 201, "256"},
    {3, 2, 202, "260"},
    {4, 0, 203, "270"},
    {4, 1, 300, "285"},
    {5, 0, 301, "304"},
    {5, 5, 302, "319"},
    {6, 0, 400, "331"},
    {6, 5, 401, "340"},
    {7, 0, 402, "346"},
    {7, 5, 403, "352"},
    {8, 0, 500, "367"},
    {9, 0, 600, "384"},
    {9, 1, 601, "390"},
    {9, 2, 602, "396"},
    {10, 0, 603, "410"},
    {10, 1, 604, "418"},
    {10, 2, 605, "440"},
    {11, 0, 700, "450"},
    {11, 1, 701, "455"},
    {11, 2, 702, "460"},
    {11, 3, 703, "465"},
    {11, 4, 704, "470"},
    {11, 5, 705, "495"},
    {11, 6, 706, "510"},
    {11, 7, 707, "515"},
    {11, 8, 708, "520"},
    {12, 0, 800, "525"},
    {12, 1, 801, "530"},
    {12, 2, 802, "535"},
    {12, 3, 803, "545"},
    {12, 4, 804, "550"},
    {12, 5, 805, "555"},
    {12, 6, 805, "555"},
    {12, 7, 806, "565", false},
    {12, 8, 807, "570"},
    {12, 9, 808, "575"},
    {13, 0, 900, "580"},
    {13, 1, 901, "590"},
    {13, 2, 902, "595"},
    {13, 3, 903, "610"},
    {13, 4, 904, ""},
    {13, 5, 905, ""},
};

llvm::ArrayRef<CudaRelease> cudaReleases() { return releases; }

const CudaRelease &firstToolkitFor(uint16_t ptx) {
  const auto *found = llvm::find_if(releases, [&](const CudaRelease &r) { return r.hasToolkit && r.ptx >= ptx; });
  return found == std::end(releases) ? found[-1] : *found;
}

llvm::StringRef firstDriverFor(uint16_t ptx) {
  const auto *found = llvm::find_if(releases, [&](const CudaRelease &r) { return r.ptx >= ptx; });
  return found == std::end(releases) ? llvm::StringRef() : llvm::StringRef(found->driver);
}

} // namespace ptxray
