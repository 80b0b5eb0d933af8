// The handlers for any processor.
#include "Numbers/Lanes.h"
#include "Operate/Codes.h"
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ptxray::machine {
namespace {
#include "Operate/Lanes.inc"
#include "Operate/Handlers.inc"
#include "Operate/Crossing.inc"
#include "Operate/Table.inc"
} // namespace

Handler handlerOf(Code code, Lane type, Lane from) { return handlerFor(code, type, from); }
Handler foldHandlerOf(Code code, Lane type) { return foldFor(code, type); }

unsigned bitsOf(Lane type) {
  switch (type) {
  case Lane::Mask: return 1;
  case Lane::U16:
  case Lane::S16:
  case Lane::F16:
  case Lane::BF16: return 16;
  case Lane::U64:
  case Lane::S64:
  case Lane::F32x2:
  case Lane::F64: return 64;
  case Lane::U128:
  case Lane::S128: return 128;
  default: return 32;
  }
}

} // namespace ptxray::machine
