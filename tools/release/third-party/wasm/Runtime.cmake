# libc++, libc++abi and libunwind out of zig's sources, with WebAssembly's exceptions, the stubs of threads that
# wasi-libc has, and <filesystem>: the ones that zig itself links have none of these.
get_filename_component(zig_lib ${ZIG} DIRECTORY)
set(cxx ${zig_lib}/lib/libcxx)
set(abi ${zig_lib}/lib/libcxxabi)
set(unwind ${zig_lib}/lib/libunwind)
file(GLOB runtime ${cxx}/src/*.cpp ${cxx}/src/filesystem/*.cpp ${cxx}/src/ryu/*.cpp)
list(FILTER runtime EXCLUDE REGEX "/(barrier|any|strstream|random_shuffle|shared_mutex|print|regex)\\.cpp$")
foreach(name abort_message cxa_aux_runtime cxa_default_handlers cxa_exception cxa_exception_storage cxa_guard
             cxa_handlers cxa_personality cxa_thread_atexit cxa_vector cxa_virtual fallback_malloc private_typeinfo
             stdlib_exception stdlib_new_delete stdlib_stdexcept stdlib_typeinfo)
  list(APPEND runtime ${abi}/src/${name}.cpp)
endforeach()
set(here ${CMAKE_CURRENT_LIST_DIR})
third_party(c++eh ${runtime} ${unwind}/src/Unwind-wasm.c ${here}/tag.c ${here}/missing.c)
target_include_directories(c++eh PRIVATE ${cxx}/src ${cxx}/libc ${unwind}/include)
target_compile_definitions(c++eh PRIVATE _LIBCPP_BUILDING_LIBRARY _LIBCXXABI_BUILDING_LIBRARY
  LIBCXX_BUILDING_LIBCXXABI NDEBUG LIBCXXABI_NON_DEMANGLING_TERMINATE _LIBUNWIND_HIDE_SYMBOLS)
target_compile_options(c++eh PRIVATE -Os)
set_source_files_properties(${cxx}/src/filesystem/operations.cpp PROPERTIES
  COMPILE_OPTIONS "-Dcopy_file_range=no_copy;-include;${here}/no_copy.h")
set_target_properties(c++eh PROPERTIES CXX_STANDARD 23 CXX_STANDARD_REQUIRED ON)
install(DIRECTORY ${here}/machine DESTINATION include) # an LLVM header asks for it
