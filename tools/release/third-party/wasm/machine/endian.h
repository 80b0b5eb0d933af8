#include <endian.h> /* where LLVM looks for it on systems that it does not know */
