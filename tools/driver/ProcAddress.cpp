// The functions by their names, those that are not supported, and the errors by their numbers.
#include "State.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace ptxray::driver;

// The addresses alone are needed here: each function has its own parameters.
#define PTXRAY_FUNCTION(name) extern "C" void name();
#define PTXRAY_ABSENT(name)                                                                                            \
  PTXRAY_API name() { return NotSupported; }
#include "Functions.def"
#undef PTXRAY_FUNCTION
#undef PTXRAY_ABSENT
#define PTXRAY_PER_THREAD(name, suffix, ...) extern "C" void name##suffix();
#include "PerThread.def"
#undef PTXRAY_PER_THREAD

namespace ptxray::driver {

using Address0 = void (*)();
struct Named {
  llvm::StringLiteral name;
  Address0 function;
};

/// All functions, by their names.
static llvm::ArrayRef<Named> functions() {
#define PTXRAY_FUNCTION(name) {#name, name},
#define PTXRAY_ABSENT(name) {#name, reinterpret_cast<Address0>(name)},
  static const Named all[] = {
#include "Functions.def"
  };
#undef PTXRAY_FUNCTION
#undef PTXRAY_ABSENT
  return all;
}

/// Those whose default stream is that of the calling thread, by the names that they have without it.
static llvm::ArrayRef<Named> functionsOfThreads() {
#define PTXRAY_PER_THREAD(name, suffix, ...) {#name, name##suffix},
  static const Named all[] = {
#include "PerThread.def"
  };
#undef PTXRAY_PER_THREAD
  return all;
}

/// The version of the API with which a function came whose older version takes other arguments; 0: any.
static int sinceOf(llvm::StringRef name) {
  static constexpr std::pair<llvm::StringLiteral, int> known[] = {{"cuCtxCreate_v4", 12050},
                                                                  {"cuGraphAddDependencies_v2", 12030},
                                                                  {"cuGraphAddKernelNode_v2", 12000},
                                                                  {"cuGraphAddNode_v2", 12030},
                                                                  {"cuGraphExecKernelNodeSetParams_v2", 12000},
                                                                  {"cuGraphGetEdges_v2", 12030},
                                                                  {"cuGraphKernelNodeGetParams_v2", 12000},
                                                                  {"cuGraphKernelNodeSetParams_v2", 12000},
                                                                  {"cuGraphNodeGetDependencies_v2", 12030},
                                                                  {"cuGraphNodeGetDependentNodes_v2", 12030},
                                                                  {"cuGraphRemoveDependencies_v2", 12030},
                                                                  {"cuMemAdvise_v2", 12020},
                                                                  {"cuMemPrefetchAsync_v2", 12020},
                                                                  {"cuStreamGetCaptureInfo_v3", 12030},
                                                                  {"cuStreamGetCtx_v2", 12050},
                                                                  {"cuStreamUpdateCaptureDependencies_v2", 12030}};
  const auto *found = llvm::find_if(known, [&](const auto &one) { return one.first == name; });
  return found == std::end(known) ? 0 : found->second;
}

/// The function of a name, in the newest version that a client of that version of the API knows; null: there is none.
void *findFunction(llvm::StringRef name, int version, bool ofThread) {
  if (name == "cuGraphInstantiate" && version >= 12000) // it took another name then
    name = "cuGraphInstantiateWithFlags";
  const Named *best = nullptr;
  for (const Named &one : functions()) {
    llvm::StringRef rest = one.name;
    if (rest.consume_front(name) && (rest.empty() || (rest.size() == 3 && rest.starts_with("_v"))) &&
        sinceOf(one.name) <= version &&
        (!best || best->name.size() < one.name.size() || llvm::StringRef(best->name) < one.name))
      best = &one;
  }
  const auto isBest = [&](const Named &one) { return best && one.name == best->name; };
  if (const auto *found = llvm::find_if(functionsOfThreads(), isBest); ofThread && found != functionsOfThreads().end())
    best = found;
  return best ? reinterpret_cast<void *>(best->function) : nullptr;
}

const ErrorText *findError(int number) {
  static constexpr ErrorText all[] = {
#define PTXRAY_ERROR(number, name, text) {number, "CUDA_" #name, text},
#include "Errors.def"
#undef PTXRAY_ERROR
  };
  const auto *found = llvm::find_if(all, [&](const ErrorText &one) { return one.number == number; });
  return found == std::end(all) ? nullptr : found;
}

} // namespace ptxray::driver
