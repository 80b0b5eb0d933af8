# The rest of the toolchain for wasm32-wasi. Chromium 95, Firefox 100, Safari 15.2, node 17 and newer have all features.
# `exception_handling` is what lets the compiler take -fwasm-exceptions.
set(features exception_handling bulk_memory sign_ext nontrapping_fptoint mutable_globals)
list(JOIN features + features)
set(arguments -mcpu=generic+${features} -fwasm-exceptions)
foreach(part MMAN SIGNAL PROCESS_CLOCKS)
  list(APPEND arguments -D_WASI_EMULATED_${part})
endforeach()
list(APPEND CMAKE_C_COMPILER ${arguments})
# zig says that its C++ library has no threads and no files; the one that third-party/wasm builds has both.
list(APPEND CMAKE_CXX_COMPILER ${arguments} -U_LIBCPP_HAS_THREADS -D_LIBCPP_HAS_THREADS=1
     -D_LIBCPP_HAS_THREAD_API_PTHREAD=1 -U_LIBCPP_HAS_FILESYSTEM -D_LIBCPP_HAS_FILESYSTEM=1)
# The stack holds the deepest nesting that ptxray reads (zig's 16 MB would be memory that no text needs).
set(CMAKE_CXX_STANDARD_LIBRARIES "-nostdlib++ -L${CMAKE_PREFIX_PATH}/lib -lc++eh -lwasi-emulated-mman \
-lwasi-emulated-signal -lwasi-emulated-process-clocks -Wl,-z,stack-size=4194304")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # a program would need that library
set(CMAKE_HAVE_LIBC_PTHREAD ON)
