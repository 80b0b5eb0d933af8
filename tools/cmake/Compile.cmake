# In a release the files of a room are compiled as one: the headers of LLVM and the C++ library are most of what a
# compiler reads and instantiates, so that this takes a third of the time, and the program becomes smaller. Names in
# anonymous namespaces have to differ within a room.
set(unity OFF)
if(CMAKE_BUILD_TYPE STREQUAL Release)
  set(unity ON)
endif()
option(PTXRAY_UNITY "Compile the files of a room as one" ${unity})
# Three quarters of a compiler's time goes into optimisation, which who waits for the first answer does not need.
option(PTXRAY_UNOPTIMISED "Compile in the least time; the program is slow" OFF)

# ptxray_headers(<target>): the headers of the C++ library and of LLVM, which are most of what is left then, are read
# once. The first target that asks keeps them, and the others have its options.
function(ptxray_headers target)
  if(NOT PTXRAY_UNOPTIMISED)
    return()
  endif()
  get_property(keeper GLOBAL PROPERTY ptxray_keeper_of_headers)
  if(keeper)
    target_precompile_headers(${target} REUSE_FROM ${keeper})
    return()
  endif()
  set_property(GLOBAL PROPERTY ptxray_keeper_of_headers ${target})
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <deque> <functional> <map> <memory> <optional> <set> <string> <tuple> <vector>
    <llvm/ADT/DenseMap.h> <llvm/ADT/DenseSet.h> <llvm/ADT/STLExtras.h> <llvm/ADT/SmallSet.h> <llvm/ADT/SmallVector.h>
    <llvm/ADT/StringExtras.h> <llvm/ADT/StringMap.h> <llvm/ADT/StringSet.h> <llvm/ADT/StringSwitch.h>
    <llvm/Support/FormatVariadic.h> <llvm/Support/raw_ostream.h>)
endfunction()

# ptxray_unhurried(<target>): it is compiled without optimisation where there are sanitizers: to optimise what they add
# takes a compiler three times as long, and the tests wait for other code.
function(ptxray_unhurried target)
  if(PTXRAY_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>)
  endif()
endfunction()

# ptxray_compiled(<target> <optimisation>): how a target is compiled in a release.
function(ptxray_compiled target optimisation)
  if(PTXRAY_UNOPTIMISED)
    set(optimisation -O0)
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${optimisation}>)
  set(busy "^(language-server|ptxray_(editor|layout|pictures|samples|semantics))$") # in tests
  if(NOT optimisation MATCHES "O[23]" AND NOT target MATCHES "${busy}")
    ptxray_unhurried(${target})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PTXRAY_UNITY} UNITY_BUILD_BATCH_SIZE 0)
endfunction()
