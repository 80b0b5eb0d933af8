# ptxray_check(TARGET [FILES FILE...] [INLINE] [OPTIONS OPTION...])
#
# Checks PTX as part of the build: one step a file, run again only when the file, the options or ptxray have
# changed, so that the build tool does the scheduling. The steps belong to the target TARGET_ptxray, which is
# part of `all`; a file with an error fails the build.
#
#   FILES     the PTX files of a custom target, as its commands name them. Without FILES, TARGET is a CUDA
#             target: its objects are checked where they are PTX (CUDA_PTX_COMPILATION), else its sources are
#             compiled to PTX once more for the checks.
#             They may be CUDA, Python or LLVM sources, too: then the assembly in them is checked.
#   INLINE    the sources of TARGET are checked as they are, without a compiler
#   OPTIONS   of `ptxray check`, for instance --werror or --arch=sm_90a
function(ptxray_check target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INLINE" "" "FILES;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ptxray_check: unknown argument ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "ptxray_check: there is no target ${target}")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_ptxray.dir)
  file(MAKE_DIRECTORY ${folder})
  set(files ${arg_FILES})
  if(arg_INLINE)
    _ptxray_sources(${target} sources)
    list(APPEND files ${sources})
  endif()
  get_target_property(as_ptx ${target} CUDA_PTX_COMPILATION)
  if(NOT files AND as_ptx)
    _ptxray_step($<TARGET_OBJECTS:${target}> ${folder}/objects)
    set(stamps ${folder}/objects.checked)
  elseif(NOT files)
    _ptxray_compile(${target} ${folder} files)
  endif()
  foreach(file IN LISTS files)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} NORMALIZE)
    string(MD5 name ${file})
    cmake_path(GET file FILENAME plain)
    string(SUBSTRING ${name} 0 8 name)
    _ptxray_step(${file} ${folder}/${plain}.${name})
    list(APPEND stamps ${folder}/${plain}.${name}.checked)
  endforeach()
  add_custom_target(${target}_ptxray ALL DEPENDS ${stamps})
  add_dependencies(${target}_ptxray ${target})
endfunction()

# Makes ${stamp}.checked when `input` is without errors.
macro(_ptxray_step input stamp)
  add_custom_command(
    OUTPUT ${stamp}.checked
    COMMAND ptxray::tool check --color=always ${arg_OPTIONS} "${input}"
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}.checked
    DEPENDS "${input}" ptxray::tool
    COMMENT "Checking the PTX of ${target}" COMMAND_EXPAND_LISTS VERBATIM)
endmacro()

# The sources of a target that may hold assembly.
function(_ptxray_sources target result)
  get_target_property(sources ${target} SOURCES)
  get_target_property(source_dir ${target} SOURCE_DIR)
  set(files)
  foreach(source IN LISTS sources)
    if(source MATCHES "\\.(cuh?|h|hpp|inl|c|cc|cpp|cxx)$")
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${source_dir} NORMALIZE OUTPUT_VARIABLE path)
      list(APPEND files ${path})
    endif()
  endforeach()
  if(NOT files)
    message(FATAL_ERROR "ptxray_check: ${target} has no source for INLINE")
  endif()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# Compiles each CUDA source of a target to PTX, with the target's own flags.
function(_ptxray_compile target folder result)
  get_target_property(sources ${target} SOURCES)
  get_target_property(source_dir ${target} SOURCE_DIR)
  get_target_property(architectures ${target} CUDA_ARCHITECTURES)
  set(arch)
  if(architectures MATCHES "^([0-9]+[af]?)")
    set(arch -arch=compute_${CMAKE_MATCH_1})
  endif()
  set(includes $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  set(standard $<TARGET_PROPERTY:${target},CUDA_STANDARD>)
  set(files)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.cu$")
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${source_dir} NORMALIZE OUTPUT_VARIABLE path)
    string(MD5 name ${path})
    string(SUBSTRING ${name} 0 8 name)
    cmake_path(GET source STEM plain)
    set(ptx ${folder}/${plain}.${name}.ptx)
    add_custom_command(
      OUTPUT ${ptx}
      COMMAND ${CMAKE_CUDA_COMPILER} -ptx ${arch} -lineinfo "$<$<BOOL:${standard}>:-std=c++${standard}>"
              "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
              "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>" -MD -MF ${ptx}.d -MT ${ptx} -o ${ptx}
              ${path}
      DEPENDS ${path} DEPFILE ${ptx}.d
      COMMENT "Compiling ${plain}.cu to PTX" COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND files ${ptx})
  endforeach()
  if(NOT files)
    message(FATAL_ERROR "ptxray_check: ${target} has no CUDA source, and no FILES are given")
  endif()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# ptxray_check_binary(TARGET [GPUS sm_X...] [DRIVER N] [OPTIONS OPTION...])
#
# Checks the PTX in the library or program that TARGET makes, and that all of it runs on each of GPUS, with driver
# N and later. The steps belong to the target TARGET_ptxray_binary, which is part of `all`.
#
#   OPTIONS   of `ptxray check`, for instance --warnings
function(ptxray_check_binary target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DRIVER" "GPUS;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ptxray_check_binary: unknown argument ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_DRIVER AND NOT arg_GPUS)
    message(FATAL_ERROR "ptxray_check_binary: DRIVER needs GPUS")
  endif()
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${target}_ptxray_binary.checked)
  set(questions)
  foreach(gpu IN LISTS arg_GPUS)
    list(APPEND questions COMMAND ptxray::tool targets --gpu=${gpu})
    if(arg_DRIVER)
      list(APPEND questions --driver=${arg_DRIVER})
    endif()
    list(APPEND questions $<TARGET_FILE:${target}>)
  endforeach()
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ptxray::tool check --color=always ${arg_OPTIONS} $<TARGET_FILE:${target}>
    ${questions}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${target} $<TARGET_FILE:${target}> ptxray::tool
    COMMENT "Checking where ${target} runs" VERBATIM)
  add_custom_target(${target}_ptxray_binary ALL DEPENDS ${stamp})
endfunction()
