# LLVM's Support, without LLVM's own build, which would ask the compiler two hundred questions a target: its answers
# are below, as in llvm/utils/gn of the source, and the files are those that ptxray's links ask for.
set(llvm ${SOURCES}/llvm-project/llvm)
set(demangle ItaniumDemangle)
set(support
  ABIBreak APFloat APInt Allocator CommandLine ConvertUTF ConvertUTFWrapper CrashRecoveryContext Debug DebugCounter
  DynamicLibrary Errno Error ErrorHandling ExtensibleRTTI FormatVariadic GlobPattern GraphWriter
  IntegerInclusiveInterval JSON Jobserver MD5 ManagedStatic MemAlloc Memory MemoryBuffer NativeFormatting Optional
  Path PrettyStackTrace Process Program RandomNumberGenerator Regex Signals Signposts SmallPtrSet SmallVector SourceMgr
  Statistic StringExtras StringMap StringRef StringSaver Threading Timer Twine Unicode UnicodeCaseFold VirtualFileSystem
  Watchdog WithColor YAMLParser circular_raw_ostream raw_os_ostream raw_ostream xxhash)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL wasm32) # there are no signals and no processes
  list(REMOVE_ITEM support CommandLine CrashRecoveryContext Debug DebugCounter DynamicLibrary GraphWriter
       IntegerInclusiveInterval Jobserver Memory PrettyStackTrace Program RandomNumberGenerator Signals Signposts
       SourceMgr Statistic Timer VirtualFileSystem Watchdog YAMLParser)
endif()
list(TRANSFORM support APPEND .cpp)
list(APPEND support regcomp.c regerror.c regexec.c regfree.c regstrlcpy.c)

file(READ ${llvm}/../cmake/Modules/LLVMVersion.cmake versions)
foreach(part MAJOR MINOR PATCH)
  string(REGEX MATCH "LLVM_VERSION_${part} ([0-9]+)" line "${versions}")
  set(LLVM_VERSION_${part} ${CMAKE_MATCH_1})
endforeach()
set(PACKAGE_VERSION ${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}.${LLVM_VERSION_PATCH})
set(PACKAGE_NAME LLVM)
if(WIN32)
  set(LLVM_SYSTEM_LIBRARIES ";psapi;shell32;ole32;uuid;advapi32;ws2_32;ntdll")
endif()
set(PACKAGE_STRING "LLVM ${PACKAGE_VERSION}")
set(LLVM_DEFAULT_TARGET_TRIPLE ${ZIG_TARGET})
set(LLVM_HOST_TRIPLE ${ZIG_TARGET})
foreach(answer LLVM_ENABLE_THREADS LLVM_HAS_ATOMICS LLVM_UNREACHABLE_OPTIMIZE HAVE_DECL_FE_ALL_EXCEPT
               HAVE_DECL_FE_INEXACT)
  set(${answer} 1)
endforeach()
if(WIN32)
  set(HAVE_DECL_STRERROR_S 1)
  set(HAVE__CHSIZE_S 1)
  set(stricmp _stricmp)
  set(strdup _strdup)
  set(LTDL_SHLIB_EXT .dll)
else()
  foreach(answer LLVM_ON_UNIX HAVE_SYSEXITS_H HAVE_DLOPEN HAVE_FUTIMENS HAVE_GETPAGESIZE HAVE_GETRUSAGE HAVE_ISATTY
                 HAVE_LIBPTHREAD HAVE_PTHREAD_SETNAME_NP HAVE_PREAD HAVE_PTHREAD_H HAVE_PTHREAD_MUTEX_LOCK
                 HAVE_PTHREAD_RWLOCK_INIT HAVE_SETENV HAVE_SIGALTSTACK HAVE_STRERROR_R HAVE_SYSCONF HAVE_SYS_IOCTL_H
                 HAVE_SYS_MMAN_H HAVE_UNISTD_H HAVE_POSIX_SPAWN HAVE_PTHREAD_GETNAME_NP)
    set(${answer} 1)
  endforeach()
  set(LTDL_SHLIB_EXT .so)
endif()
if(APPLE)
  foreach(answer HAVE_DECL_ARC4RANDOM HAVE_MACH_MACH_H HAVE_MALLOC_MALLOC_H HAVE_MALLOC_ZONE_STATISTICS
                 HAVE_PROC_PID_RUSAGE HAVE_STRUCT_STAT_ST_MTIMESPEC_TV_NSEC)
    set(${answer} 1)
  endforeach()
elseif(NOT WIN32)
  set(HAVE_STRUCT_STAT_ST_MTIM_TV_NSEC 1)
  set(HAVE_GETAUXVAL 1)
endif()
set(made ${CMAKE_CURRENT_BINARY_DIR}/include)
foreach(header config.h llvm-config.h abi-breaking.h)
  configure_file(${llvm}/include/llvm/Config/${header}.cmake ${made}/llvm/Config/${header})
endforeach()

list(TRANSFORM support PREPEND ${llvm}/lib/Support/)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL wasm32)
  list(APPEND support ${CMAKE_CURRENT_SOURCE_DIR}/wasm/NoSignals.cpp)
endif()
third_party(LLVMSupport ${support})
list(TRANSFORM demangle PREPEND ${llvm}/lib/Demangle/)
list(TRANSFORM demangle APPEND .cpp)
third_party(LLVMDemangle ${demangle})
foreach(library LLVMSupport LLVMDemangle)
  target_include_directories(${library} PRIVATE ${made} ${llvm}/include ${llvm}/lib/Support)
  target_compile_definitions(${library} PRIVATE _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS
                                                __STDC_LIMIT_MACROS)
  target_compile_options(${library} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>") # RTTI is asked for
  set_target_properties(${library} PROPERTIES CXX_STANDARD 17)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL wasm32)
    set(shim ${CMAKE_CURRENT_SOURCE_DIR}/wasm)
    target_include_directories(${library} PRIVATE ${shim})
    target_compile_options(${library} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-include;${shim}/support.h>")
  endif()
endforeach()
foreach(folder ADT Support Demangle Config BinaryFormat Object Option TargetParser)
  install(DIRECTORY ${llvm}/include/llvm/${folder} DESTINATION include/llvm FILES_MATCHING PATTERN *.h PATTERN *.def
          PATTERN *.inc)
endforeach()
install(DIRECTORY ${llvm}/include/llvm-c DESTINATION include)
install(DIRECTORY ${made}/llvm DESTINATION include)
configure_file(LLVMConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/LLVMConfig.cmake @ONLY)
configure_file(LLVMConfigVersion.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/LLVMConfigVersion.cmake @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/LLVMConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/LLVMConfigVersion.cmake
        DESTINATION lib/cmake/llvm)
