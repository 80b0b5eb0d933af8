# In a release the files of a room are compiled as one: the headers of LLVM and the C++ library are most of what a
# compiler reads and instantiates, so that this takes a third of the time, and the program becomes smaller. Names in
# anonymous namespaces have to differ within a room.
set(unity OFF)
if(CMAKE_BUILD_TYPE STREQUAL Release)
  set(unity ON)
endif()
option(PTXRAY_UNITY "Compile the files of a room as one" ${unity})

# ptxray_compiled(<target> <optimisation>): how a target is compiled in a release.
function(ptxray_compiled target optimisation)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${optimisation}>)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PTXRAY_UNITY} UNITY_BUILD_BATCH_SIZE 0)
endfunction()
