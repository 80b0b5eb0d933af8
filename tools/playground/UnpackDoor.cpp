// Unpacks the second program of the page. It is packed as the difference to the first program, since both contain the
// parser, the tables, and the C++ library.
#include <cstdlib>
#include <zstd.h>

static char *unpackedProgram;

/// Unpacks a program. `place` holds `known` bytes of the first program, and then `packed` packed bytes. Returns the
/// size, or 0 if they cannot be unpacked.
__attribute__((export_name("unpack"))) extern "C" size_t unpack(const char *place, size_t known, size_t packed) {
  const size_t size = ZSTD_getFrameContentSize(place + known, packed);
  unpackedProgram = static_cast<char *>(std::malloc(size));
  ZSTD_DCtx *context = ZSTD_createDCtx();
  ZSTD_DCtx_refPrefix(context, place, known);
  const size_t result =
      unpackedProgram ? ZSTD_decompressDCtx(context, unpackedProgram, size, place + known, packed) : 0;
  ZSTD_freeDCtx(context);
  return ZSTD_isError(result) ? 0 : result;
}

/// Returns the address of the unpacked program.
__attribute__((export_name("unpacked"))) extern "C" const char *unpacked() { return unpackedProgram; }
