# Programs that open the CUDA driver are dynamic. With zig as the compiler (`zig` in PATH, or the Python package
# `ziglang`) they run on every Linux with glibc 2.28 or newer; without it, on machines as new as this one.
find_program(ZIG zig)
if(NOT ZIG)
  find_package(Python3 COMPONENTS Interpreter)
  execute_process(COMMAND ${Python3_EXECUTABLE} -m ziglang version RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(Python3_FOUND AND failed EQUAL 0)
    set(ZIG ${Python3_EXECUTABLE} -m ziglang)
  endif()
endif()
set(PTXRAY_OLDEST_GLIBC 2.28)

# ptxray_portable(<name> <source>... INCLUDES <folder>...): sources with their whole paths.
function(ptxray_portable name)
  cmake_parse_arguments(arg "" "" INCLUDES ${ARGN})
  if(ZIG)
    list(TRANSFORM arg_INCLUDES PREPEND -I)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${name})
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/ptxray-run/*.h
         ${PROJECT_SOURCE_DIR}/test/device/reference/*.h)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${ZIG} c++ -target ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu.${PTXRAY_OLDEST_GLIBC} -std=c++20 -O2 -s
              ${arg_INCLUDES} ${arg_UNPARSED_ARGUMENTS} -o ${output}
      DEPENDS ${arg_UNPARSED_ARGUMENTS} ${headers} VERBATIM)
    add_custom_target(${name} ALL DEPENDS ${output})
  else()
    add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
    target_include_directories(${name} PRIVATE ${arg_INCLUDES})
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
    target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS} pthread)
  endif()
endfunction()
