#pragma once
// The functions of the driver API that the runtime calls, after the public documentation.
#include "../driver/Types.h"

namespace ptxray::driver {
extern "C" {

// ---- devices and contexts
Result cuInit(unsigned);
Result cuDriverGetVersion(int *);
Result cuDeviceGet(int *, int);
Result cuDeviceGetCount(int *);
Result cuDeviceGetName(char *, int, int);
Result cuDeviceGetUuid_v2(Uuid *, int);
Result cuDeviceGetAttribute(int *, int, int);
Result cuDeviceTotalMem_v2(size_t *, int);
Result cuDeviceCanAccessPeer(int *, int, int);
Result cuDeviceGetPCIBusId(char *, int, int);
Result cuDeviceGetByPCIBusId(int *, const char *);
Result cuDeviceGetDefaultMemPool(void **, int);
Result cuDeviceGetMemPool(void **, int);
Result cuDeviceSetMemPool(int, void *);
Result cuDevicePrimaryCtxRetain(void **, int);
Result cuDevicePrimaryCtxReset_v2(int);
Result cuDevicePrimaryCtxSetFlags_v2(int, unsigned);
Result cuDevicePrimaryCtxGetState(int, unsigned *, int *);
Result cuCtxGetCurrent(void **);
Result cuCtxSetCurrent(void *);
Result cuCtxGetDevice(int *);
Result cuCtxSynchronize();
Result cuCtxGetLimit(size_t *, int);
Result cuCtxSetLimit(int, size_t);
Result cuCtxGetCacheConfig(int *);
Result cuCtxSetCacheConfig(int);
Result cuCtxGetStreamPriorityRange(int *, int *);
Result cuCtxResetPersistingL2Cache();
Result cuCtxEnablePeerAccess(void *, unsigned);
Result cuProfilerStart();
Result cuProfilerStop();
Result cuGetErrorString(int, const char **);
Result cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);

// ---- modules
Result cuModuleLoadFatBinary(void **, const void *);
Result cuModuleUnload(void *);
Result cuModuleGetFunction(void **, void *, const char *);
Result cuModuleGetGlobal_v2(Address *, size_t *, void *, const char *);

// ---- memory
Result cuMemAlloc_v2(Address *, size_t);
Result cuMemAllocPitch_v2(Address *, size_t *, size_t, size_t, unsigned);
Result cuMemAllocManaged(Address *, size_t, unsigned);
Result cuMemAllocAsync(Address *, size_t, void *);
Result cuMemAllocFromPoolAsync(Address *, size_t, void *, void *);
Result cuMemFree_v2(Address);
Result cuMemFreeAsync(Address, void *);
Result cuMemHostAlloc(void **, size_t, unsigned);
Result cuMemFreeHost(void *);
Result cuMemHostRegister_v2(void *, size_t, unsigned);
Result cuMemHostUnregister(void *);
Result cuMemHostGetDevicePointer_v2(Address *, void *, unsigned);
Result cuMemHostGetFlags(unsigned *, void *);
Result cuMemGetInfo_v2(size_t *, size_t *);
Result cuMemAdvise(Address, size_t, int, int);
Result cuMemPrefetchAsync(Address, size_t, int, void *);
Result cuMemPoolCreate(void **, const void *);
Result cuMemPoolDestroy(void *);
Result cuMemPoolTrimTo(void *, size_t);
Result cuMemPoolSetAttribute(void *, int, void *);
Result cuMemPoolGetAttribute(void *, int, void *);
Result cuMemPoolSetAccess(void *, const void *, size_t);
Result cuMemPoolGetAccess(int *, void *, const void *);
Result cuPointerGetAttribute(void *, int, Address);
Result cuMemcpy(Address, Address, size_t);
Result cuMemcpyAsync(Address, Address, size_t, void *);
Result cuMemcpyHtoD_v2(Address, const void *, size_t);
Result cuMemcpyDtoH_v2(void *, Address, size_t);
Result cuMemcpyDtoD_v2(Address, Address, size_t);
Result cuMemcpyHtoDAsync_v2(Address, const void *, size_t, void *);
Result cuMemcpyDtoHAsync_v2(void *, Address, size_t, void *);
Result cuMemcpyDtoDAsync_v2(Address, Address, size_t, void *);
Result cuMemcpy2DUnaligned_v2(const Copy2D *);
Result cuMemcpy2DAsync_v2(const Copy2D *, void *);
Result cuMemcpy3D_v2(const Copy3D *);
Result cuMemcpy3DAsync_v2(const Copy3D *, void *);
Result cuMemsetD8_v2(Address, unsigned char, size_t);
Result cuMemsetD8Async(Address, unsigned char, size_t, void *);
Result cuMemsetD2D8_v2(Address, size_t, unsigned char, size_t, size_t);
Result cuMemsetD2D8Async(Address, size_t, unsigned char, size_t, size_t, void *);

// ---- arrays, textures, surfaces
Result cuArray3DCreate_v2(void **, const ArrayDescription *);
Result cuArray3DGetDescriptor_v2(ArrayDescription *, void *);
Result cuArrayDestroy(void *);
Result cuMipmappedArrayCreate(void **, const ArrayDescription *, unsigned);
Result cuMipmappedArrayDestroy(void *);
Result cuMipmappedArrayGetLevel(void **, void *, unsigned);
Result cuTexObjectCreate(uint64_t *, const ResourceDescription *, const TextureDescription *, const ViewDescription *);
Result cuTexObjectDestroy(uint64_t);
Result cuSurfObjectCreate(uint64_t *, const ResourceDescription *);
Result cuSurfObjectDestroy(uint64_t);

// ---- streams and events
Result cuStreamCreateWithPriority(void **, unsigned, int);
Result cuStreamDestroy_v2(void *);
Result cuStreamSynchronize(void *);
Result cuStreamQuery(void *);
Result cuStreamSetAttribute(void *, int, const AttributeValue *);
Result cuStreamGetAttribute(void *, int, AttributeValue *);
Result cuStreamCopyAttributes(void *, void *);
Result cuStreamWaitEvent(void *, void *, unsigned);
Result cuStreamGetFlags(void *, unsigned *);
Result cuStreamGetPriority(void *, int *);
Result cuStreamGetId(void *, unsigned long long *);
Result cuStreamGetDevice(void *, int *);
Result cuStreamAddCallback(void *, void (*)(void *, int, void *), void *, unsigned);
Result cuStreamAttachMemAsync(void *, Address, size_t, unsigned);
Result cuStreamBeginCapture_v2(void *, int);
Result cuStreamBeginCaptureToGraph(void *, void *, void *const *, const void *, size_t, int);
Result cuStreamEndCapture(void *, void **);
Result cuStreamIsCapturing(void *, int *);
Result cuStreamGetCaptureInfo_v3(void *, int *, unsigned long long *, void **, void *const **, const void **, size_t *);
Result cuStreamUpdateCaptureDependencies_v2(void *, void *const *, const void *, size_t, unsigned);
Result cuThreadExchangeStreamCaptureMode(int *);
Result cuLaunchHostFunc(void *, void (*)(void *), void *);
Result cuEventCreate(void **, unsigned);
Result cuEventDestroy_v2(void *);
Result cuEventRecordWithFlags(void *, void *, unsigned);
Result cuEventQuery(void *);
Result cuEventSynchronize(void *);
Result cuEventElapsedTime(float *, void *, void *);

// ---- kernels
Result cuLaunchKernelEx(const LaunchConfig *, void *, void **, void **);
Result cuFuncGetAttribute(int *, int, void *);
Result cuFuncSetAttribute(void *, int, int);
Result cuFuncSetCacheConfig(void *, int);
Result cuFuncGetParamInfo(void *, size_t, size_t *, size_t *);
Result cuFuncGetName(const char **, void *);
Result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, void *, int, size_t, unsigned);
Result cuOccupancyAvailableDynamicSMemPerBlock(size_t *, void *, int, int);
Result cuOccupancyMaxActiveClusters(int *, void *, const LaunchConfig *);
Result cuOccupancyMaxPotentialClusterSize(int *, void *, const LaunchConfig *);

// ---- graphs
Result cuGraphCreate(void **, unsigned);
Result cuGraphDestroy(void *);
Result cuGraphClone(void **, void *);
Result cuGraphAddKernelNode_v2(void **, void *, void *const *, size_t, const KernelNodeParameters *);
Result cuGraphAddMemcpyNode(void **, void *, void *const *, size_t, const Copy3D *, void *);
Result cuGraphAddMemsetNode(void **, void *, void *const *, size_t, const FillNodeParameters *, void *);
Result cuGraphAddHostNode(void **, void *, void *const *, size_t, const HostNodeParameters *);
Result cuGraphAddEmptyNode(void **, void *, void *const *, size_t);
Result cuGraphAddNode_v2(void **, void *, void *const *, const void *, size_t, NodeParameters *);
Result cuGraphConditionalHandleCreate(Address *, void *, void *, unsigned, unsigned);
Result cuGraphAddChildGraphNode(void **, void *, void *const *, size_t, void *);
Result cuGraphAddEventRecordNode(void **, void *, void *const *, size_t, void *);
Result cuGraphAddEventWaitNode(void **, void *, void *const *, size_t, void *);
Result cuGraphAddMemAllocNode(void **, void *, void *const *, size_t, AllocNodeParameters *);
Result cuGraphMemAllocNodeGetParams(void *, AllocNodeParameters *);
Result cuGraphAddMemFreeNode(void **, void *, void *const *, size_t, Address);
Result cuGraphMemFreeNodeGetParams(void *, Address *);
Result cuDeviceGraphMemTrim(int);
Result cuDeviceGetGraphMemAttribute(int, int, void *);
Result cuDeviceSetGraphMemAttribute(int, int, void *);
Result cuGraphAddDependencies_v2(void *, void *const *, void *const *, const void *, size_t);
Result cuGraphRemoveDependencies_v2(void *, void *const *, void *const *, const void *, size_t);
Result cuGraphDestroyNode(void *);
Result cuGraphGetNodes(void *, void **, size_t *);
Result cuGraphGetRootNodes(void *, void **, size_t *);
Result cuGraphGetEdges_v2(void *, void **, void **, void *, size_t *);
Result cuGraphNodeGetDependencies_v2(void *, void **, void *, size_t *);
Result cuGraphNodeGetDependentNodes_v2(void *, void **, void *, size_t *);
Result cuGraphNodeGetType(void *, int *);
Result cuGraphNodeFindInClone(void **, void *, void *);
Result cuGraphNodeSetEnabled(void *, void *, unsigned);
Result cuGraphNodeGetEnabled(void *, void *, unsigned *);
Result cuGraphDebugDotPrint(void *, const char *, unsigned);
Result cuGraphKernelNodeSetParams_v2(void *, const KernelNodeParameters *);
Result cuGraphMemcpyNodeSetParams(void *, const Copy3D *);
Result cuGraphMemsetNodeSetParams(void *, const FillNodeParameters *);
Result cuGraphHostNodeSetParams(void *, const HostNodeParameters *);
Result cuGraphInstantiateWithFlags(void **, void *, unsigned long long);
Result cuGraphInstantiateWithParams(void **, void *, void *);
Result cuGraphExecDestroy(void *);
Result cuGraphExecUpdate_v2(void *, void *, void *);
Result cuGraphExecKernelNodeSetParams_v2(void *, void *, const KernelNodeParameters *);
Result cuGraphExecMemcpyNodeSetParams(void *, void *, const Copy3D *, void *);
Result cuGraphExecMemsetNodeSetParams(void *, void *, const FillNodeParameters *, void *);
Result cuGraphExecHostNodeSetParams(void *, void *, const HostNodeParameters *);
Result cuGraphExecChildGraphNodeSetParams(void *, void *, void *);
Result cuGraphUpload(void *, void *);
Result cuGraphLaunch(void *, void *);
Result cuUserObjectCreate(void **, void *, void (*)(void *), unsigned, unsigned);
Result cuUserObjectRetain(void *, unsigned);
Result cuUserObjectRelease(void *, unsigned);
Result cuGraphRetainUserObject(void *, void *, unsigned, unsigned);
Result cuGraphReleaseUserObject(void *, void *, unsigned);

} // extern "C"
} // namespace ptxray::driver
