# Toolchain of a release: zig as C and C++ compiler for the target ZIG_TARGET (x86_64-linux-musl, aarch64-macos, ...).
# zig brings the C and C++ libraries of every target; everything else comes from CMAKE_PREFIX_PATH.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZIG ZIG_TARGET)
set(CMAKE_SYSTEM_NAME Linux)
if(ZIG_TARGET MATCHES windows)
  set(CMAKE_SYSTEM_NAME Windows)
elseif(ZIG_TARGET MATCHES macos)
  set(CMAKE_SYSTEM_NAME Darwin)
  set(CMAKE_OSX_SYSROOT "") # there is no SDK to look for
elseif(ZIG_TARGET MATCHES wasm32)
  set(CMAKE_SYSTEM_NAME Generic)
endif()
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${ZIG_TARGET})

# The arguments keep what is built free of this machine: no debugging information, no CPU but the oldest of its kind.
set(CMAKE_C_COMPILER ${ZIG} cc -target ${ZIG_TARGET})
set(CMAKE_CXX_COMPILER ${ZIG} c++ -target ${ZIG_TARGET})
if(ZIG_TARGET MATCHES wasm32)
  include(${CMAKE_CURRENT_LIST_DIR}/wasm.cmake)
endif()
foreach(language C CXX)
  set(CMAKE_${language}_ARCHIVE_CREATE "${ZIG} ar qcD <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_APPEND "${ZIG} ar qD <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_FINISH "${ZIG} ranlib -D <TARGET>")
endforeach()
if(ZIG_TARGET MATCHES windows) # CMake wants the resource compiler of Windows to be one word
  file(WRITE ${CMAKE_BINARY_DIR}/zig-rc "#!/bin/sh\nexec '${ZIG}' rc \"$@\"\n")
  file(CHMOD ${CMAKE_BINARY_DIR}/zig-rc PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  set(CMAKE_RC_COMPILER ${CMAKE_BINARY_DIR}/zig-rc)
endif()

set(CMAKE_FIND_ROOT_PATH ${CMAKE_PREFIX_PATH})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
