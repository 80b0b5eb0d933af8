// The driver functions that programs get from this library. It notes what they load, and records their launches.
#include "Graphs.h"
#include "Images.h"
#include "Launches.h"
#include "Session.h"
#include "Textures.h"

using namespace ptxray::recorder;
using ptxray::driver::Copy3D;
using ptxray::driver::FillNodeParameters;
using ptxray::driver::HostNodeParameters;
using ptxray::driver::InstantiateParameters;
using ptxray::driver::KernelNodeParameters;
using ptxray::driver::LaunchAttribute;
using ptxray::driver::LaunchConfig;
using ptxray::driver::NodeParameters;
using ptxray::driver::ResourceDescription;
using ptxray::driver::TextureDescription;
using ptxray::driver::UpdateResult;
using ptxray::driver::ViewDescription;

#define PTXRAY_API extern "C" __attribute__((visibility("default"))) ptxray::driver::Result
static constexpr Result missing = NotSupported; // the result if the driver is too old for a function

/// Calls the driver, then notes its results.
template <class Call, class Note> static Result noting(const Call &call, const Note &note) {
  const Result result = call();
  if (result == Success)
    note();
  return result;
}
/// Calls a function of the driver, if the driver has it.
#define PTXRAY_REAL(name, ...) (real().name ? real().name(__VA_ARGS__) : missing)

PTXRAY_API cuGetProcAddress(const char *name, void **to, int version, uint64_t flags) {
  return noting([&] { return PTXRAY_REAL(cuGetProcAddress, name, to, version, flags); },
                [&] { to ? void(*to = ours(*to)) : void(); });
}
PTXRAY_API cuGetProcAddress_v2(const char *name, void **to, int version, uint64_t flags, int *status) {
  return noting([&] { return PTXRAY_REAL(cuGetProcAddress_v2, name, to, version, flags, status); },
                [&] { to ? void(*to = ours(*to)) : void(); });
}

// ---- modules and libraries

PTXRAY_API cuModuleLoad(void **module, const char *path) {
  return noting([&] { return PTXRAY_REAL(cuModuleLoad, module, path); }, [&] { addImageOfFile(*module, path, false); });
}
PTXRAY_API cuModuleLoadData(void **module, const void *image) {
  return noting([&] { return PTXRAY_REAL(cuModuleLoadData, module, image); }, [&] { addImage(*module, image, false); });
}
PTXRAY_API cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  return noting([&] { return PTXRAY_REAL(cuModuleLoadDataEx, module, image, count, options, values); },
                [&] { addImage(*module, image, false); });
}
PTXRAY_API cuModuleLoadFatBinary(void **module, const void *image) {
  return noting([&] { return PTXRAY_REAL(cuModuleLoadFatBinary, module, image); },
                [&] { addImage(*module, image, false); });
}
PTXRAY_API cuModuleUnload(void *module) {
  removeImage(module);
  return PTXRAY_REAL(cuModuleUnload, module);
}
PTXRAY_API cuModuleGetFunction(void **function, void *module, const char *name) {
  return noting([&] { return PTXRAY_REAL(cuModuleGetFunction, function, module, name); },
                [&] { addFunction(*function, module, name); });
}
PTXRAY_API cuLibraryLoadData(void **library, const void *code, int *jitOptions, void **jitValues, unsigned jitCount,
                             int *options, void **values, unsigned count) {
  return noting(
      [&] {
        return PTXRAY_REAL(cuLibraryLoadData, library, code, jitOptions, jitValues, jitCount, options, values, count);
      },
      [&] { addImage(*library, code, true); });
}
PTXRAY_API cuLibraryLoadFromFile(void **library, const char *path, int *jitOptions, void **jitValues, unsigned jitCount,
                                 int *options, void **values, unsigned count) {
  return noting(
      [&] {
        return PTXRAY_REAL(cuLibraryLoadFromFile, library, path, jitOptions, jitValues, jitCount, options, values,
                           count);
      },
      [&] { addImageOfFile(*library, path, true); });
}
PTXRAY_API cuLibraryUnload(void *library) {
  removeImage(library);
  return PTXRAY_REAL(cuLibraryUnload, library);
}
PTXRAY_API cuLibraryGetKernel(void **kernel, void *library, const char *name) {
  return noting([&] { return PTXRAY_REAL(cuLibraryGetKernel, kernel, library, name); },
                [&] { addFunction(*kernel, library, name); });
}
PTXRAY_API cuLibraryGetModule(void **module, void *library) {
  return noting([&] { return PTXRAY_REAL(cuLibraryGetModule, module, library); }, [&] { addAlias(*module, library); });
}
PTXRAY_API cuKernelGetFunction(void **function, void *kernel) {
  return noting([&] { return PTXRAY_REAL(cuKernelGetFunction, function, kernel); },
                [&] { addFunctionAlias(*function, kernel); });
}

// ---- the linker

PTXRAY_API cuLinkAddData_v2(void *link, int kind, void *data, size_t size, const char *name, unsigned count,
                            int *options, void **values) {
  return noting([&] { return PTXRAY_REAL(cuLinkAddData_v2, link, kind, data, size, name, count, options, values); },
                [&] { addToLink(link, kind, data, size); });
}
PTXRAY_API cuLinkComplete(void *link, void **image, size_t *size) {
  size_t own = 0;
  size_t *to = size ? size : &own;
  return noting([&] { return PTXRAY_REAL(cuLinkComplete, link, image, to); },
                [&] { completeLink(link, image ? *image : nullptr, *to); });
}
PTXRAY_API cuLinkDestroy(void *link) {
  removeLink(link);
  return PTXRAY_REAL(cuLinkDestroy, link);
}

// ---- launches

static Asked askedOf(const LaunchConfig &config, void *function, void **parameters, void **extra) {
  Asked asked{ptxray::driver::shapeOf(config)};
  asked.function = function;
  asked.stream = config.stream;
  asked.parameters = parameters;
  asked.extra = extra;
  return asked;
}

#define PTXRAY_LAUNCH(name, perThread)                                                                                 \
  PTXRAY_API name(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,    \
                  unsigned blockZ, unsigned shared, void *stream, void **parameters, void **extra) {                   \
    Asked asked = askedOf({gridX, gridY, gridZ, blockX, blockY, blockZ, shared, stream, nullptr, 0}, function,         \
                          parameters, extra);                                                                          \
    asked.isPerThread = perThread;                                                                                     \
    return record(asked, [&] {                                                                                         \
      return PTXRAY_REAL(name, function, gridX, gridY, gridZ, blockX, blockY, blockZ, shared, stream, parameters,      \
                         extra);                                                                                       \
    });                                                                                                                \
  }
PTXRAY_LAUNCH(cuLaunchKernel, false)
PTXRAY_LAUNCH(cuLaunchKernel_ptsz, true)

#define PTXRAY_LAUNCH_EX(name, perThread)                                                                              \
  PTXRAY_API name(const LaunchConfig *config, void *function, void **parameters, void **extra) {                       \
    const auto launch = [&] { return PTXRAY_REAL(name, config, function, parameters, extra); };                        \
    if (!config)                                                                                                       \
      return launch();                                                                                                 \
    Asked asked = askedOf(*config, function, parameters, extra);                                                       \
    asked.isPerThread = perThread;                                                                                     \
    return record(asked, launch);                                                                                      \
  }
PTXRAY_LAUNCH_EX(cuLaunchKernelEx, false)
PTXRAY_LAUNCH_EX(cuLaunchKernelEx_ptsz, true)

#define PTXRAY_LAUNCH_COOPERATIVE(name, perThread)                                                                     \
  PTXRAY_API name(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,    \
                  unsigned blockZ, unsigned shared, void *stream, void **parameters) {                                 \
    Asked asked = askedOf({gridX, gridY, gridZ, blockX, blockY, blockZ, shared, stream, nullptr, 0}, function,         \
                          parameters, nullptr);                                                                        \
    asked.isPerThread = perThread;                                                                                     \
    asked.isCooperative = true;                                                                                        \
    return record(asked, [&] {                                                                                         \
      return PTXRAY_REAL(name, function, gridX, gridY, gridZ, blockX, blockY, blockZ, shared, stream, parameters);     \
    });                                                                                                                \
  }
PTXRAY_LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel, false)
PTXRAY_LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel_ptsz, true)

// ---- textures and surfaces

PTXRAY_API cuTexObjectCreate(uint64_t *to, const ResourceDescription *resource, const TextureDescription *sampling,
                             const ViewDescription *view) {
  return noting([&] { return PTXRAY_REAL(cuTexObjectCreate, to, resource, sampling, view); },
                [&] { addImageObject(*to, true, *resource, sampling, view && view->format); });
}
PTXRAY_API cuTexObjectDestroy(uint64_t handle) {
  removeImageObject(handle);
  return PTXRAY_REAL(cuTexObjectDestroy, handle);
}
PTXRAY_API cuSurfObjectCreate(uint64_t *to, const ResourceDescription *resource) {
  return noting([&] { return PTXRAY_REAL(cuSurfObjectCreate, to, resource); },
                [&] { addImageObject(*to, false, *resource, nullptr, false); });
}
PTXRAY_API cuSurfObjectDestroy(uint64_t handle) {
  removeImageObject(handle);
  return PTXRAY_REAL(cuSurfObjectDestroy, handle);
}

// ---- graphs

PTXRAY_API cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags) {
  return noting([&] { return PTXRAY_REAL(cuGraphInstantiateWithFlags, exec, graph, flags); },
                [&] { addExec(*exec, graph); });
}
PTXRAY_API cuGraphInstantiate_v2(void **exec, void *graph, void **node, char *log, size_t size) {
  return noting([&] { return PTXRAY_REAL(cuGraphInstantiate_v2, exec, graph, node, log, size); },
                [&] { addExec(*exec, graph); });
}
PTXRAY_API cuGraphInstantiateWithParams(void **exec, void *graph, InstantiateParameters *parameters) {
  return noting([&] { return PTXRAY_REAL(cuGraphInstantiateWithParams, exec, graph, parameters); },
                [&] { addExec(*exec, graph); });
}
PTXRAY_API cuGraphInstantiateWithParams_ptsz(void **exec, void *graph, InstantiateParameters *parameters) {
  return noting([&] { return PTXRAY_REAL(cuGraphInstantiateWithParams_ptsz, exec, graph, parameters); },
                [&] { addExec(*exec, graph); });
}
PTXRAY_API cuGraphExecDestroy(void *exec) {
  removeExec(exec);
  return PTXRAY_REAL(cuGraphExecDestroy, exec);
}

/// Makes the same change in the clone as the driver made in the executable graph.
template <class Set> static void follow(void *exec, void *node, const Set &set) {
  void *same = nodeOfClone(exec, node);
  if (!same || set(same) != Success)
    forgetExec(exec);
}
PTXRAY_API cuGraphExecKernelNodeSetParams_v2(void *exec, void *node, const KernelNodeParameters *given) {
  return noting(
      [&] { return PTXRAY_REAL(cuGraphExecKernelNodeSetParams_v2, exec, node, given); },
      [&] { follow(exec, node, [&](void *same) { return PTXRAY_REAL(cuGraphKernelNodeSetParams_v2, same, given); }); });
}
PTXRAY_API cuGraphExecKernelNodeSetParams(void *exec, void *node, const KernelNodeParameters *given) {
  return noting(
      [&] { return PTXRAY_REAL(cuGraphExecKernelNodeSetParams, exec, node, given); },
      [&] { follow(exec, node, [&](void *same) { return PTXRAY_REAL(cuGraphKernelNodeSetParams, same, given); }); });
}
PTXRAY_API cuGraphExecMemcpyNodeSetParams(void *exec, void *node, const Copy3D *given, void *context) {
  return noting(
      [&] { return PTXRAY_REAL(cuGraphExecMemcpyNodeSetParams, exec, node, given, context); },
      [&] { follow(exec, node, [&](void *same) { return PTXRAY_REAL(cuGraphMemcpyNodeSetParams, same, given); }); });
}
PTXRAY_API cuGraphExecMemsetNodeSetParams(void *exec, void *node, const FillNodeParameters *given, void *context) {
  return noting(
      [&] { return PTXRAY_REAL(cuGraphExecMemsetNodeSetParams, exec, node, given, context); },
      [&] { follow(exec, node, [&](void *same) { return PTXRAY_REAL(cuGraphMemsetNodeSetParams, same, given); }); });
}
PTXRAY_API cuGraphExecHostNodeSetParams(void *exec, void *node, const HostNodeParameters *given) {
  return noting(
      [&] { return PTXRAY_REAL(cuGraphExecHostNodeSetParams, exec, node, given); },
      [&] { follow(exec, node, [&](void *same) { return PTXRAY_REAL(cuGraphHostNodeSetParams, same, given); }); });
}
/// Defines a function whose change the clone does not follow, so that the clone is dropped.
#define PTXRAY_CHANGE(name, type)                                                                                      \
  PTXRAY_API name(void *exec, void *node, type given) {                                                                \
    forgetExec(exec);                                                                                                  \
    return PTXRAY_REAL(name, exec, node, given);                                                                       \
  }
PTXRAY_CHANGE(cuGraphExecUpdate_v2, UpdateResult *)
PTXRAY_CHANGE(cuGraphExecChildGraphNodeSetParams, void *)
PTXRAY_CHANGE(cuGraphExecEventRecordNodeSetEvent, void *)
PTXRAY_CHANGE(cuGraphExecEventWaitNodeSetEvent, void *)
PTXRAY_CHANGE(cuGraphExecNodeSetParams, NodeParameters *)
PTXRAY_CHANGE(cuGraphNodeSetEnabled, unsigned)

PTXRAY_API cuGraphLaunch(void *exec, void *stream) {
  Result result = Success;
  return recordGraph(exec, stream, result) ? result : PTXRAY_REAL(cuGraphLaunch, exec, stream);
}
PTXRAY_API cuGraphLaunch_ptsz(void *exec, void *stream) {
  void *const ofThread = reinterpret_cast<void *>(2);
  Result result = Success;
  return recordGraph(exec, stream ? stream : ofThread, result) ? result : PTXRAY_REAL(cuGraphLaunch_ptsz, exec, stream);
}
