# The commands of ptxray by part: what each is made of, besides what all share. A command that this build lacks is known
# by name, with what would add it. To add a command, add it here and in Command.h.

# ptxray_command(<name> [LINUX] [PART machine|clients] FILES <file>... [ROOMS <library>...])
#
#   LINUX   on Linux only: it starts other programs, or was never tried elsewhere
#   PART    the part that it belongs to, instead of check
#   FILES   its sources; a file that several parts share belongs to the first of them
#   ROOMS   the libraries that it needs, besides those of ptxray-main
#
# `built_commands` are the names of the commands, `lacking_commands` the others, each as `name:reason`;
# `check_commands`, `check_sources` and `check_rooms` those of a part, their files and their libraries.
set(built_commands)
set(lacking_commands)
foreach(part check machine clients)
  set(${part}_commands)
  set(${part}_sources)
  set(${part}_rooms)
endforeach()
macro(ptxray_command name)
  cmake_parse_arguments(arg "LINUX" "PART" "FILES;ROOMS" ${ARGN})
  set(part check)
  if(arg_PART)
    set(part ${arg_PART})
  endif()
  string(TOUPPER PTXRAY_${part} option)
  set(missing -D${option}=ON)
  if(part STREQUAL clients AND NOT PTXRAY_MACHINE)
    set(missing "-DPTXRAY_MACHINE=ON -DPTXRAY_CLIENTS=ON")
  endif()
  if((arg_LINUX OR part STREQUAL clients) AND NOT CMAKE_SYSTEM_NAME STREQUAL Linux)
    list(APPEND lacking_commands "${name}:it exists on Linux only")
  elseif(part STREQUAL machine AND NOT ptxray_emulates)
    list(APPEND lacking_commands "${name}:it exists on Linux only")
  elseif(NOT part STREQUAL check AND NOT ${option})
    list(APPEND lacking_commands "${name}:`cmake ${missing}` adds it (docs/packaging.md)")
  else()
    list(APPEND built_commands ${name})
    list(APPEND ${part}_commands ${name})
    foreach(file ${arg_FILES})
      if(NOT file IN_LIST check_sources AND NOT file IN_LIST machine_sources AND NOT file IN_LIST clients_sources)
        list(APPEND ${part}_sources ${file})
      endif()
    endforeach()
    list(APPEND ${part}_rooms ${arg_ROOMS})
  endif()
endmacro()

# ---- The checker

ptxray_command(check FILES Batch.cpp Check.cpp CheckJobs.cpp CheckOutput.cpp CheckTask.cpp CompileCommands.cpp
                           Progress.cpp ShowConfig.cpp Watch.cpp)
ptxray_command(as LINUX FILES Assemble.cpp ModuleInput.cpp ROOMS ptxray_ptxas launcher)
ptxray_command(ptxas LINUX FILES DropIn.cpp ROOMS ptxray_ptxas launcher)
ptxray_command(explain FILES Explain.cpp PagesJson.cpp ROOMS ptxray_pages)
ptxray_command(rules FILES Rules.cpp)
ptxray_command(targets FILES BinaryTargets.cpp Targets.cpp ROOMS ptxray_targets)
ptxray_command(extract FILES Extract.cpp ROOMS ptxray_targets)
ptxray_command(hazards FILES HazardsCommand.cpp ROOMS ptxray_pictures)
ptxray_command(graph FILES GraphCommand.cpp ROOMS ptxray_pictures)
ptxray_command(layout FILES LayoutCommand.cpp ROOMS ptxray_layout)
ptxray_command(desc FILES DescCommand.cpp ROOMS ptxray_descriptor ptxray_layout)
ptxray_command(fmt FILES Fmt.cpp ROOMS ptxray_format)
ptxray_command(diff FILES DiffCommand.cpp ROOMS ptxray_compare)
ptxray_command(lsp FILES LspCommand.cpp)
ptxray_command(reduce LINUX FILES LaunchServer.cpp LaunchTest.cpp Reduce.cpp Sizes.cpp
                      ROOMS ptxray_reduce ptxray_ptxas launcher)
ptxray_command(generate FILES Generate.cpp ManPage.cpp ROOMS ptxray_generate)
ptxray_command(isa FILES FormulasJson.cpp IsaCommand.cpp IsaJson.cpp IsaNamesJson.cpp ROOMS ptxray_samples)
ptxray_command(dump FILES Dump.cpp ROOMS ptxray_dump ptxray_pages)
ptxray_command(version FILES Version.cpp)

# ---- The machine: all that executes kernels

set(launch_files CountersOutput.cpp CountersPicture.cpp Emulate.cpp EmulatedImages.cpp Kernels.cpp LaunchWatch.cpp
                 ModuleInput.cpp Run.cpp)
if(CMAKE_SYSTEM_NAME STREQUAL Linux) # a launch on a GPU starts ptxas and ptxray-run
  list(APPEND launch_files Assemble.cpp LaunchServer.cpp RunOnGpu.cpp)
endif()
file(GLOB console_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} debug/*.cpp)
file(GLOB adapter_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} dap/*.cpp)
ptxray_command(run PART machine FILES ${launch_files} ROOMS launcher ptxray_emulate ptxray_ptxas)
ptxray_command(replay LINUX PART machine FILES ${launch_files} ReplayCommand.cpp)
ptxray_command(debug PART machine FILES ${launch_files} DebugCommand.cpp ${console_files} ROOMS ptxray_debug)
ptxray_command(dap PART machine FILES ${launch_files} DapCommand.cpp ${adapter_files} ROOMS ptxray_debug)
ptxray_command(equal LINUX PART machine FILES ${launch_files} EqualCommand.cpp EqualRuns.cpp EqualSolver.cpp
               ROOMS ptxray_equal ptxray_prove)
ptxray_command(prove LINUX PART machine FILES Kernels.cpp ProveCommand.cpp ROOMS ptxray_prove)
ptxray_command(judge LINUX PART machine FILES ClientCommand.cpp JudgeCommand.cpp)

# ---- The clients: programs that use the CUDA driver

ptxray_command(emulate PART clients FILES ClientCommand.cpp EmulateCommand.cpp EmulateReport.cpp
                                          ${PROJECT_SOURCE_DIR}/tools/driver/Chips.cpp ROOMS ptxray_emulate)
ptxray_command(record PART clients FILES ClientCommand.cpp RecordCommand.cpp ROOMS launcher ptxray_ptxas)

# For tests: the names of what this build lacks.
set(names ${lacking_commands})
list(TRANSFORM names REPLACE ":.*" "")
set_property(GLOBAL PROPERTY ptxray_lacking_commands ${names})

# ptxray_command_list(<file> [<command>...]): the C++ file that lists all commands, or these.
function(ptxray_command_list file)
  set(commands ${ARGN})
  if(NOT commands)
    set(commands ${built_commands})
  endif()
  list(SORT commands)
  list(TRANSFORM commands REPLACE "(.+)" "\\1Command()")
  list(JOIN commands ", " commands)
  set(lacking ${lacking_commands})
  list(TRANSFORM lacking REPLACE "([^:]+):(.+)" "{\"\\1\", \"\\2\"}")
  list(JOIN lacking ",\n          " lacking)
  file(CONFIGURE OUTPUT ${file} CONTENT [=[
// The commands of tools/ptxray/Commands.cmake that this build has, and those that it lacks.
#include "Command.h"

namespace ptxray {

std::vector<Command> allCommands() { return {@commands@}; }

std::vector<LackingCommand> lackingCommands() {
  return {@lacking@};
}

} // namespace ptxray
]=] @ONLY)
endfunction()
