#include "Operate/Codes.h"
#include "Operate/Sets.h"

namespace ptxray::machine {

#ifdef PTXRAY_WIDE_HANDLERS
bool &usesWideHandlers() {
  static bool areThere = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                         __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt");
  return areThere;
}
Handler handlerOf(Code code, Lane type, Lane from) {
  return usesWideHandlers() ? wideHandlerOf(code, type, from) : baseHandlerOf(code, type, from);
}
Handler foldHandlerOf(Code code, Lane type) {
  return usesWideHandlers() ? wideFoldOf(code, type) : baseFoldOf(code, type);
}
#else
bool &usesWideHandlers() {
  static bool areThere = false;
  return areThere;
}
Handler handlerOf(Code code, Lane type, Lane from) { return baseHandlerOf(code, type, from); }
Handler foldHandlerOf(Code code, Lane type) { return baseFoldOf(code, type); }
#endif

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
