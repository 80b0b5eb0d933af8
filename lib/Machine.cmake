# The rooms of the machine: all that executes kernels. lib/CMakeLists.txt includes this file for PTXRAY_MACHINE; no room
# of the checker needs one of these.

# Instructions as operations on the 32 lanes of a warp, and a machine that executes them.
ptxray_library(operate Operate)
# Each set of handlers has the same names, and is compiled for a processor of its own. A product is rounded before
# something is added to it, unless an fma is meant.
set(handler_sets Operate/HandlersBase.cpp Operate/HandlersWide.cpp)
set(handler_options -ffp-contract=off -fno-math-errno -fno-trapping-math ${optimised})
set_source_files_properties(${handler_sets} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                                                       COMPILE_OPTIONS "${handler_options}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set_source_files_properties(Operate/HandlersWide.cpp
                              PROPERTIES COMPILE_OPTIONS
                                         "${handler_options};-mavx2;-mfma;-mf16c;-mbmi2;-mlzcnt;-mpopcnt")
  # Without AVX2, `-O3` would make them larger by half and no faster.
  string(REPLACE -O3 -O2 base_options "${handler_options}")
  set_source_files_properties(Operate/HandlersBase.cpp PROPERTIES COMPILE_OPTIONS "${base_options}")
  target_compile_definitions(ptxray_operate PRIVATE PTXRAY_WIDE_HANDLERS)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL wasm32)
  set_source_files_properties(Operate/HandlersBase.cpp PROPERTIES COMPILE_OPTIONS "${handler_options};-msimd128")
endif()
target_link_libraries(ptxray_operate PUBLIC ptxray_semantics)
ptxray_library(machine Machine)
# It catches what the standard library throws.
set_source_files_properties(Machine/EndOfMemory.cpp PROPERTIES COMPILE_OPTIONS -fexceptions
  SKIP_UNITY_BUILD_INCLUSION ON)
target_link_libraries(ptxray_machine PUBLIC ptxray_read ptxray_launch ptxray_operate ptxray_traffic
                      PRIVATE ptxray_layout ptxray_descriptor)
# What watches a launch: races, uninitialised bytes, counters, traces, halts.
ptxray_library(observe Observe)
target_link_libraries(ptxray_observe PUBLIC ptxray_machine)
# Launches, the observers that they select, and the words of what these find.
ptxray_library(emulate Emulate)
target_link_libraries(ptxray_emulate PUBLIC ptxray_observe)
# The machine spends its time in these files. Each is compiled by itself, for speed, so that several processors share
# the work.
set_source_files_properties(Emulate/Launch.cpp Machine/Access.cpp Machine/Block.cpp Machine/Frames.cpp
  Machine/Joins.cpp Machine/LaneShape.cpp Machine/MatrixProduct.cpp Machine/Memory.cpp Machine/Notify.cpp
  Machine/QuickAccess.cpp Machine/Run.cpp Machine/TensorCopy.cpp Machine/TensorProduct.cpp Machine/TensorTile.cpp
  Machine/Wgmma.cpp Observe/GlobalRaces.cpp Observe/GlobalShadow.cpp Observe/Order.cpp Observe/Races.cpp
  Observe/SharedShadow.cpp Observe/Unwritten.cpp Observe/Watch.cpp Observe/WatchedAccess.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS "${optimised}")

# Launches that are halted and looked at.
ptxray_library(debug Debug)
target_link_libraries(ptxray_debug PUBLIC ptxray_emulate PRIVATE ptxray_layout)

# Two launches compared by the terms that they leave in memory.
ptxray_library(equal Equal)
target_link_libraries(ptxray_equal PUBLIC ptxray_emulate PRIVATE ptxray_compare)

# Proofs for all sizes, threads and contents, with a solver in a process of its own.
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  ptxray_library(prove Prove)
  target_link_libraries(ptxray_prove PUBLIC ptxray_emulate PRIVATE ptxray_ptxas)
endif()
