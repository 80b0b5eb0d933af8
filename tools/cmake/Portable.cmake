# Programs that open the CUDA driver are dynamic. With zig as the compiler (build/zig, where tools/zig.py puts it, or
# `zig` in PATH) they run on every Linux with glibc 2.28 or newer; without it, on machines as new as this one.
# Sanitizers need the compiler of the rest.
file(GLOB fetched ${PROJECT_SOURCE_DIR}/build/zig/*)
find_program(PTXRAY_ZIG zig HINTS ${fetched} NO_CACHE)
set(ZIG "")
if(PTXRAY_ZIG AND NOT PTXRAY_SANITIZE)
  set(zig_cache ${PROJECT_SOURCE_DIR}/build/zig-cache)
  set(ZIG ${CMAKE_COMMAND} -E env ZIG_GLOBAL_CACHE_DIR=${zig_cache} ZIG_LOCAL_CACHE_DIR=${zig_cache} ${PTXRAY_ZIG})
endif()
set(PTXRAY_OLDEST_GLIBC 2.28)

# ptxray_portable(<name> <source>... INCLUDES <folder>...): sources with their whole paths.
function(ptxray_portable name)
  cmake_parse_arguments(arg "" "" INCLUDES ${ARGN})
  if(ZIG)
    list(TRANSFORM arg_INCLUDES PREPEND -I)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${name})
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/ptxray-run/*.h
         ${PROJECT_SOURCE_DIR}/tools/launcher/*.h ${PROJECT_SOURCE_DIR}/tools/command-line/*.h
         ${PROJECT_SOURCE_DIR}/lib/Launch/*.h ${PROJECT_SOURCE_DIR}/lib/Source/Expected.h
         ${PROJECT_SOURCE_DIR}/test/device/*.h ${PROJECT_SOURCE_DIR}/test/device/reference/*.h)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${ZIG} c++ -target ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu.${PTXRAY_OLDEST_GLIBC} -std=c++20 -O2 -s
              ${arg_INCLUDES} ${arg_UNPARSED_ARGUMENTS} -o ${output}
      DEPENDS ${arg_UNPARSED_ARGUMENTS} ${headers} VERBATIM)
    add_custom_target(zig-${name} ALL DEPENDS ${output}) # the plain name would be that of the file
  else()
    add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
    target_include_directories(${name} PRIVATE ${arg_INCLUDES})
    set_target_properties(${name} PROPERTIES UNITY_BUILD ${PTXRAY_UNITY} UNITY_BUILD_BATCH_SIZE 0)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc $<$<CONFIG:Release>:-s>)
    target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS} pthread)
  endif()
endfunction()
