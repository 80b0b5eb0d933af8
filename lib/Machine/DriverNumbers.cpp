#include "Machine/DriverNumbers.h"
#include <iterator>

namespace ptxray::machine {

bool setDriverNumbers(TensorMap &map, const DriverNumbers &numbers) {
  using Type = TensorType;
  static constexpr Type types[] = {Type::U8,      Type::U16,   Type::U32,      Type::S32,     Type::U64,    Type::S64,
                                   Type::F16,     Type::F32,   Type::F64,      Type::Bf16,    Type::F32Ftz, Type::Tf32,
                                   Type::Tf32Ftz, Type::B4x16, Type::B4x16P64, Type::B6x16P32};
  struct Swizzled {
    TensorSwizzle swizzle;
    SwizzleAtom atom;
  };
  static constexpr Swizzled swizzles[] = {
      {TensorSwizzle::None, SwizzleAtom::By16},  {TensorSwizzle::By32, SwizzleAtom::By16},
      {TensorSwizzle::By64, SwizzleAtom::By16},  {TensorSwizzle::By128, SwizzleAtom::By16},
      {TensorSwizzle::By128, SwizzleAtom::By32}, {TensorSwizzle::By128, SwizzleAtom::By32Flipped8},
      {TensorSwizzle::By128, SwizzleAtom::By64}};
  const auto isIn = [](int number, size_t count) { return number >= 0 && static_cast<size_t>(number) < count; };
  if (!isIn(numbers.type, std::size(types)) || !isIn(numbers.swizzle, std::size(swizzles)) ||
      !isIn(numbers.interleave, 3) || !isIn(numbers.fill, 2))
    return false;
  map.type = types[numbers.type];
  map.interleave = static_cast<TensorInterleave>(numbers.interleave);
  map.swizzle = swizzles[numbers.swizzle].swizzle;
  map.atom = swizzles[numbers.swizzle].atom;
  map.fillsWithNan = numbers.fill != 0;
  return true;
}

} // namespace ptxray::machine
