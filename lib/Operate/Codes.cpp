#include "Operate/Codes.h"
#include "Operate/Sets.h"

namespace ptxray::machine {

#ifdef PTXRAY_WIDE_HANDLERS
static bool areThere() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt");
}
static bool areUsed = areThere();
bool &usesWideHandlers() { return areUsed; }
Handler handlerOf(Code code, Lane type, Lane from) {
  return usesWideHandlers() ? wideHandlerOf(code, type, from) : baseHandlerOf(code, type, from);
}
Handler foldHandlerOf(Code code, Lane type) {
  return usesWideHandlers() ? wideFoldOf(code, type) : baseFoldOf(code, type);
}
void keepSome(char *registers, const Op &op, uint32_t mask) {
  (areUsed ? wideKeepSome : baseKeepSome)(registers, op, mask);
}
#else
bool &usesWideHandlers() {
  static bool areThere = false;
  return areThere;
}
Handler handlerOf(Code code, Lane type, Lane from) { return baseHandlerOf(code, type, from); }
Handler foldHandlerOf(Code code, Lane type) { return baseFoldOf(code, type); }
void keepSome(char *registers, const Op &op, uint32_t mask) { baseKeepSome(registers, op, mask); }
#endif

/// Returns whether registers of this type hold several numbers each.
static bool isPacked(Lane type) {
  return type == Lane::U8x4 || type == Lane::S8x4 || type == Lane::U16x2 || type == Lane::S16x2 ||
         type == Lane::F16x2 || type == Lane::BF16x2 || type == Lane::F32x2;
}

bool isGivenSlot(Code code, Lane type) {
  const bool isComparison = code >= Code::Less && code <= Code::IsNan;
  return type != Lane::Mask && code != Code::CarryOf && code != Code::Spread && code < Code::LaneNumber &&
         (!isComparison || isPacked(type));
}

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
