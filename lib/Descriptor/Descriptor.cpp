#include "Descriptor/Descriptor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>

namespace ptxray::descriptor {
namespace {

constexpr Choice dense[] = {{"dense", 0}, {"sparse", 1}};
constexpr Choice off[] = {{"no", 0}, {"yes", 1}};
constexpr Choice typesF16[] = {{"f16", 0}, {"bf16", 1}};
constexpr Choice typesTf32[] = {{"tf32", 2}};
constexpr Choice typesF8[] = {{"e4m3", 0}, {"e5m2", 1}, {"e2m3", 3}, {"e3m2", 4}, {"e2m1", 5}};
constexpr Choice typesI8[] = {{"u8", 0}, {"s8", 1}};
constexpr Choice typesTi16[] = {{"s1z4m11", 3}};
constexpr Choice typesF4[] = {{"e2m1", 1}};
constexpr Choice resultF32[] = {{"f32", 1}};
constexpr Choice resultFloat[] = {{"f16", 0}, {"f32", 1}};
constexpr Choice resultS32[] = {{"s32", 2}};
constexpr Choice shifts[] = {{"none", 0}, {"8", 1}, {"16", 2}, {"32", 3}};
constexpr Choice scaleUe8m0[] = {{"ue8m0", 1}};
constexpr Choice scaleAny[] = {{"ue4m3", 0}, {"ue8m0", 1}};
constexpr Choice scaleSm107[] = {{"ue4m3", 0}, {"ue8m0", 1}, {"ue5m3", 2}};
constexpr Choice scaleLanes[] = {{"32", 0}, {"128", 1}};
constexpr Choice sparsityVersions[] = {{"v0", 0}, {"v1", 1}};
constexpr Choice depths4[] = {{"64", 0}, {"96", 1}};
constexpr Choice depths8[] = {{"32", 0}, {"64", 1}};
constexpr Choice segmentStarts[] = {{"0", 0}, {"24", 1}};
constexpr Choice strideModes[] = {{"relative", 0}, {"absolute", 1}};
constexpr Choice swizzles[] = {{"none", 0}, {"128B-base32B", 1}, {"128B", 2}, {"64B", 4}, {"32B", 6}};
constexpr Choice wgmmaSwizzles[] = {{"none", 0}, {"128B", 1}, {"64B", 2}, {"32B", 3}};

using Choices = llvm::ArrayRef<Choice>;
constexpr Field reserved(uint8_t first, uint8_t bits) { return {"", "", first, bits, 0, {}}; }

// Fields that several kinds share, ordered by their first bit.
constexpr Field sparse = {"sparse", "whether A is sparse", 2, 1, 0, dense};
constexpr Field idOfB = {"sfb-id", "scale factor id of B", 4, 2, 0, {}};
constexpr Field typeOfA(Choices types) { return {"a", "type of A", 7, 3, 0, types}; }
constexpr Field typeOfB(Choices types, uint8_t bits = 3) { return {"b", "type of B", 10, bits, 0, types}; }
constexpr Field negateA = {"negate-a", "whether A is negated", 13, 1, 0, off};
constexpr Field negateB = {"negate-b", "whether B is negated", 14, 1, 0, off};
constexpr Field transposeA = {"transpose-a", "whether A is transposed (M-major)", 15, 1, 0, off};
constexpr Field transposeB = {"transpose-b", "whether B is transposed (N-major)", 16, 1, 0, off};
constexpr Field columns = {"n", "columns of D", 17, 6, 3, {}};
constexpr Field typeOfScale(Choices types, uint8_t bits = 1) {
  return {"scale", "type of the scale factors", 23, bits, 0, types};
}
constexpr Field lanesOfScaleA = {"scale-a-lanes", "lanes that hold the scale factors of A", 26, 1, 0, scaleLanes};
constexpr Field scaledRows = {"m", "rows of D", 27, 2, 7, {}};
constexpr Field idOfA = {"sfa-id", "scale factor id of A", 29, 2, 0, {}};
constexpr Field depth(uint8_t bit, Choices values) { return {"k", "K of a dense A", bit, 1, 0, values}; }

/// Returns the fields of Table 42, with the types of one kind and the meaning of bit 29.
constexpr std::array<Field, 16> plain(Choices d, Choices ab, Field bit29 = reserved(29, 1)) {
  return {{{"selector", "sparsity selector", 0, 2, 0, {}},
           sparse,
           {"saturate", "whether integers saturate", 3, 1, 0, off},
           {"d", "type of D", 4, 2, 0, d},
           reserved(6, 1),
           typeOfA(ab),
           typeOfB(ab),
           negateA,
           negateB,
           transposeA,
           transposeB,
           columns,
           reserved(23, 1),
           {"m", "rows of D", 24, 5, 4, {}},
           bit29,
           {"max-shift", "maximum shift when .ws reuses B", 30, 2, 0, shifts}}};
}
constexpr auto fieldsF16 = plain(resultFloat, typesF16);
constexpr auto fieldsTf32 = plain(resultF32, typesTf32);
constexpr auto fieldsF8 = plain(resultFloat, typesF8);
constexpr auto fieldsI8 = plain(resultS32, typesI8);
constexpr auto fieldsTi16 = plain(resultS32, typesTi16);
constexpr auto fieldsF8Sm107 = plain(resultFloat, typesF8, depth(29, depths8));

constexpr Field fieldsMxf8[] = {
    reserved(0, 2),          sparse,          reserved(3, 1), idOfB,      reserved(6, 1), typeOfA(typesF8),
    typeOfB(typesF8),        negateA,         negateB,        transposeA, transposeB,     columns,
    typeOfScale(scaleUe8m0), reserved(24, 3), scaledRows,     idOfA,      reserved(31, 1)};
constexpr Field fieldsMxf8Sm107[] = {
    reserved(0, 2),          sparse,          reserved(3, 1), idOfB,      reserved(6, 1), typeOfA(typesF8),
    typeOfB(typesF8),        negateA,         negateB,        transposeA, transposeB,     columns,
    typeOfScale(scaleUe8m0), reserved(24, 2), lanesOfScaleA,  scaledRows, idOfA,          depth(31, depths8)};

constexpr std::array<Field, 18> fourBits(Choices scale) {
  return {{reserved(0, 2), sparse, reserved(3, 1), idOfB, reserved(6, 1), typeOfA(typesF4), typeOfB(typesF4, 2),
           reserved(12, 1), negateA, negateB, transposeA, transposeB, columns, typeOfScale(scale), reserved(24, 3),
           scaledRows, idOfA, depth(31, depths4)}};
}
constexpr std::array<Field, 19> fourBitsSm107(Choices scale) {
  return {{reserved(0, 2),
           sparse,
           {"k128", "whether K of a dense A is 128", 3, 1, 0, off},
           idOfB,
           reserved(6, 1),
           typeOfA(typesF4),
           typeOfB(typesF4, 2),
           {"sparsity", "version of the sparsity", 12, 1, 0, sparsityVersions},
           negateA,
           negateB,
           transposeA,
           transposeB,
           columns,
           typeOfScale(scale, 2),
           reserved(25, 1),
           lanesOfScaleA,
           scaledRows,
           idOfA,
           depth(31, depths4)}};
}
constexpr auto fieldsMxf4 = fourBits(scaleUe8m0);
constexpr auto fieldsNvf4 = fourBits(scaleAny);
constexpr auto fieldsMxf4Sm107 = fourBitsSm107(scaleUe8m0);
constexpr auto fieldsNvf4Sm107 = fourBitsSm107(scaleSm107);

constexpr Field startAddress(uint8_t bits) { return {"start", "start address", 0, bits, 4, {}}; }
constexpr Field leading(uint8_t bits) {
  return {"lbo", "leading dimension offset or address, in bytes", 16, bits, 4, {}};
}
constexpr Field stride = {"sbo", "stride dimension offset, in bytes", 32, 14, 4, {}};
constexpr Field baseOffset = {"base-offset", "base offset of the swizzle pattern", 49, 3, 0, {}};
constexpr Field fixed(uint8_t first, uint8_t bits, uint32_t value) { return {"", "fixed", first, bits, 0, {}, value}; }
constexpr Field leadingMode = {"lbo-mode", "meaning of the leading dimension field", 52, 1, 0, strideModes};
constexpr Field swizzleMode = {"swizzle", "swizzling mode", 61, 3, 0, swizzles};
constexpr Field fieldsShared[] = {startAddress(14), reserved(14, 2), leading(14), reserved(30, 2), stride,
                                  fixed(46, 3, 1),  baseOffset,      leadingMode, fixed(53, 8, 0), swizzleMode};
constexpr Field fieldsSharedSm107[] = {
    startAddress(15),
    reserved(15, 1),
    leading(15),
    reserved(31, 1),
    stride,
    fixed(46, 3, 1),
    baseOffset,
    leadingMode,
    {"lut-start", "where a segment of K begins in a block of 48 bytes (.decompress::lut::b)", 53, 1, 0, segmentStarts},
    fixed(54, 7, 0),
    swizzleMode};

constexpr Field fieldsWgmma[] = {
    startAddress(14), reserved(14, 2),  {"lbo", "leading dimension offset, in bytes", 16, 14, 4, {}},
    reserved(30, 2),  stride,           reserved(46, 3),
    baseOffset,       reserved(52, 10), {"swizzle", "swizzling mode", 62, 2, 0, wgmmaSwizzles}};

constexpr Field fieldsMask[] = {{"sc0", "columns skipped at the start of piece 0", 0, 8, 0, {}},
                                {"sc1", "columns skipped at the start of piece 1", 8, 8, 0, {}},
                                {"sc2", "columns skipped at the start of piece 2", 16, 8, 0, {}},
                                {"sc3", "columns skipped at the start of piece 3", 24, 8, 0, {}},
                                {"fs0", "piece 0 starts with zeros", 32, 1, 0, {}},
                                {"fs1", "piece 1 starts with zeros", 33, 1, 0, {}},
                                {"fs2", "piece 2 starts with zeros", 34, 1, 0, {}},
                                {"fs3", "piece 3 starts with zeros", 35, 1, 0, {}},
                                reserved(36, 3),
                                {"non-zero", "whether there is a mask at all", 39, 1, 0, off},
                                {"skip-span", "columns of zeros per run, minus one", 40, 8, 0, {}},
                                {"use-span", "columns of B per run, minus one", 48, 8, 0, {}},
                                {"shift", "first column of B", 56, 6, 0, {}},
                                reserved(62, 2)};

constexpr llvm::StringLiteral kindNames[] = {"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4", "ti16"};
constexpr Format formats[] = {
    {"idesc", "f16", "instruction descriptor of .kind::f16", "Table 42", 32, fieldsF16},
    {"idesc", "tf32", "instruction descriptor of .kind::tf32", "Table 42", 32, fieldsTf32},
    {"idesc", "f8f6f4", "instruction descriptor of .kind::f8f6f4", "Table 42", 32, fieldsF8},
    {"idesc", "i8", "instruction descriptor of .kind::i8", "Table 42", 32, fieldsI8},
    {"idesc", "mxf8f6f4", "instruction descriptor of .kind::mxf8f6f4", "Table 43", 32, fieldsMxf8},
    {"idesc", "mxf4", "instruction descriptor of .kind::mxf4", "Table 44", 32, fieldsMxf4},
    {"idesc", "mxf4nvf4", "instruction descriptor of .kind::mxf4nvf4", "Table 44", 32, fieldsNvf4},
    {"idesc", "ti16", "instruction descriptor of .kind::ti16", "9.4, Table 51", 32, fieldsTi16},
    {"smem", "", "shared memory descriptor of tcgen05", "Table 40", 64, fieldsShared},
    {"wgmma-smem", "", "shared memory descriptor of wgmma", "9.7.15.5.1.2.2", 64, fieldsWgmma},
    {"zero-mask", "", "zero-column mask descriptor", "Table 45", 64, fieldsMask}};
/// Formats that replace those above on sm_107, according to the tables in the manual of PTX 9.4.
constexpr Format formatsSm107[] = {
    {"idesc", "f8f6f4", "instruction descriptor of .kind::f8f6f4", "9.4, Table 51", 32, fieldsF8Sm107},
    {"idesc", "mxf8f6f4", "instruction descriptor of .kind::mxf8f6f4", "9.4, Table 52", 32, fieldsMxf8Sm107},
    {"idesc", "mxf4", "instruction descriptor of .kind::mxf4", "9.4, Table 53", 32, fieldsMxf4Sm107},
    {"idesc", "mxf4nvf4", "instruction descriptor of .kind::mxf4nvf4", "9.4, Table 53", 32, fieldsNvf4Sm107},
    {"smem", "", "shared memory descriptor of tcgen05", "9.4, Table 49", 64, fieldsSharedSm107}};

} // namespace

std::string Field::meaning(uint64_t value) const {
  const Choice *chosen = choice(value);
  return chosen ? chosen->name.str() : std::to_string(of(value) << shift);
}

const Choice *Field::choice(uint64_t value) const {
  auto found = llvm::find_if(choices, [&](const Choice &choice) { return choice.value == of(value); });
  return found == choices.end() ? nullptr : found;
}

const Field *Format::field(llvm::StringRef key) const {
  auto found = llvm::find_if(fields, [&](const Field &field) { return field.key == key; });
  return found == fields.end() ? nullptr : found;
}

uint32_t Format::get(uint64_t value, llvm::StringRef key) const {
  const Field *found = field(key);
  return found ? found->of(value) << found->shift : 0;
}

llvm::ArrayRef<llvm::StringLiteral> kinds() { return kindNames; }

llvm::ArrayRef<llvm::StringLiteral> formatNames() {
  static constexpr llvm::StringLiteral names[] = {"idesc", "smem", "wgmma-smem", "zero-mask"};
  return names;
}

Family familyOf(unsigned target) {
  switch (target) {
  case 100:
  case 101:
  case 110: return Family::Sm100;
  case 103: return Family::Sm103;
  case 107: return Family::Sm107;
  default: return Family::Unknown;
  }
}

const Format *findFormat(llvm::StringRef name, llvm::StringRef kind, Family family) {
  auto find = [&](llvm::ArrayRef<Format> among) {
    auto found = llvm::find_if(among, [&](const Format &format) { return format.name == name && format.kind == kind; });
    return found == among.end() ? nullptr : found;
  };
  const Format *special = family == Family::Sm107 ? find(formatsSm107) : nullptr;
  return special ? special : find(formats);
}

std::string summaryOf(const Format &format, uint64_t value) {
  std::string text;
  for (const Field &field : format.fields)
    if (!field.isReserved() &&
        (field.of(value) || llvm::is_contained<llvm::StringRef>({"a", "b", "d", "m", "n", "swizzle"}, field.key)))
      text += (text.empty() ? "" : ", ") + field.key.str() + " = " + field.meaning(value);
  return text;
}

static std::string bitsText(const Field &field) {
  return field.bits == 1 ? std::to_string(field.first)
                         : std::to_string(field.first) + "-" + std::to_string(field.first + field.bits - 1);
}

std::string fieldLines(const Format &format, uint64_t value) {
  std::string lines;
  for (const Field &field : format.fields) {
    const std::string name = field.isReserved() ? field.fixed ? "fixed" : "reserved" : field.key.str();
    const std::string number = field.isReserved() ? std::to_string(field.of(value)) : field.meaning(value);
    const std::string line =
        llvm::formatv("  {0,5}  {1,-13}  {2,-13} {3}", bitsText(field), name, number, llvm::StringRef(field.title));
    lines += llvm::StringRef(line).rtrim().str() + "\n";
  }
  return lines;
}

std::optional<std::string> setField(const Format &format, uint64_t &value, llvm::StringRef key, llvm::StringRef text) {
  const Field *field = format.field(key);
  if (!field)
    return "the " + format.title.str() + " has no field `" + key.str() + "`";
  uint64_t number = 0;
  auto chosen = llvm::find_if(field->choices, [&](const Choice &choice) { return choice.name == text; });
  if (chosen != field->choices.end()) {
    number = chosen->value;
  } else if (!field->choices.empty() || text.getAsInteger(0, number)) {
    std::string names;
    for (const Choice &choice : field->choices)
      names += (names.empty() ? "" : ", ") + choice.name.str();
    return "`" + key.str() + "` is " + (names.empty() ? "a number" : "one of " + names) + ", not `" + text.str() + "`";
  } else {
    const uint64_t most = ((uint64_t(1) << field->bits) - 1) << field->shift;
    if (number & ((uint64_t(1) << field->shift) - 1) || number > most)
      return "`" + key.str() + "` is a multiple of " + std::to_string(1u << field->shift) + " up to " +
             std::to_string(most) + ", not " + text.str();
    number >>= field->shift;
  }
  value &= ~(((uint64_t(1) << field->bits) - 1) << field->first);
  value |= number << field->first;
  return std::nullopt;
}

std::vector<std::vector<bool>> zeroColumns(uint64_t value, uint32_t m, uint32_t n) {
  const Format &format = *findFormat("zero-mask", "");
  const unsigned pieces = m == 32 ? 4 : m == 64 ? 2 : 1;
  // The table in the manual exchanges the two spans. Its examples, and CUTLASS, agree with this order.
  const uint32_t zeros = format.get(value, "skip-span") + 1, used = format.get(value, "use-span") + 1;
  std::vector<std::vector<bool>> masks(pieces, std::vector<bool>(n / pieces, false));
  if (!format.get(value, "non-zero"))
    return masks;
  for (unsigned piece = 0; piece < pieces; ++piece) {
    const std::string number = std::to_string(piece);
    const uint32_t start = format.get(value, "sc" + number);
    const bool zerosFirst = format.get(value, "fs" + number);
    for (uint32_t column = 0; column < masks[piece].size(); ++column) {
      const uint32_t at = (column + start + (zerosFirst ? 0 : zeros)) % (zeros + used);
      masks[piece][column] = at < zeros;
    }
  }
  return masks;
}

bool isSparseIndex(unsigned index, unsigned bits, bool ordered) {
  if (bits == 32)
    return index == 0b1110 || index == 0b0100;
  const unsigned first = index & 3, second = index >> 2 & 3;
  return ordered ? first < second : first != second;
}

} // namespace ptxray::descriptor
