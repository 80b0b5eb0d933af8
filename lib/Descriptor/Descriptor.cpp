#include "Descriptor/Descriptor.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::descriptor {
namespace {

constexpr Choice dense[] = {{"dense", 0}, {"sparse", 1}};
constexpr Choice off[] = {{"no", 0}, {"yes", 1}};
constexpr Choice typesF16[] = {{"f16", 0}, {"bf16", 1}};
constexpr Choice typesTf32[] = {{"tf32", 2}};
constexpr Choice typesF8[] = {{"e4m3", 0}, {"e5m2", 1}, {"e2m3", 3}, {"e3m2", 4}, {"e2m1", 5}};
constexpr Choice typesI8[] = {{"u8", 0}, {"s8", 1}};
constexpr Choice typesF4[] = {{"e2m1", 1}};
constexpr Choice resultF32[] = {{"f32", 1}};
constexpr Choice resultFloat[] = {{"f16", 0}, {"f32", 1}};
constexpr Choice resultS32[] = {{"s32", 2}};
constexpr Choice shifts[] = {{"none", 0}, {"8", 1}, {"16", 2}, {"32", 3}};
constexpr Choice scaleUe8m0[] = {{"ue8m0", 1}};
constexpr Choice scaleAny[] = {{"ue4m3", 0}, {"ue8m0", 1}};
constexpr Choice depths[] = {{"64", 0}, {"96", 1}};
constexpr Choice strideModes[] = {{"relative", 0}, {"absolute", 1}};
constexpr Choice swizzles[] = {
    {"none", 0}, {"128B-base32B", 1}, {"128B", 2}, {"64B", 4}, {"32B", 6}};
constexpr Choice wgmmaSwizzles[] = {{"none", 0}, {"128B", 1}, {"64B", 2}, {"32B", 3}};

/// Table 42 with the types of one kind.
#define PLAIN(D, AB)                                                                               \
  {                                                                                                \
    {"selector", "sparsity selector", 0, 2, 0, {}},                                                \
        {"sparse", "whether A is sparse", 2, 1, 0, dense},                                         \
        {"saturate", "whether integers saturate", 3, 1, 0, off}, {"d", "type of D", 4, 2, 0, D},   \
        {"", "", 6, 1, 0, {}}, {"a", "type of A", 7, 3, 0, AB}, {"b", "type of B", 10, 3, 0, AB},  \
        {"negate-a", "whether A is negated", 13, 1, 0, off},                                       \
        {"negate-b", "whether B is negated", 14, 1, 0, off},                                       \
        {"transpose-a", "whether A is transposed (M-major)", 15, 1, 0, off},                       \
        {"transpose-b", "whether B is transposed (N-major)", 16, 1, 0, off},                       \
        {"n", "columns of D", 17, 6, 3, {}}, {"", "", 23, 1, 0, {}},                               \
        {"m", "rows of D", 24, 5, 4, {}}, {"", "", 29, 1, 0, {}}, {                                \
      "max-shift", "greatest shift when .ws reuses B", 30, 2, 0, shifts                            \
    }                                                                                              \
  }
constexpr Field fieldsF16[] = PLAIN(resultFloat, typesF16);
constexpr Field fieldsTf32[] = PLAIN(resultF32, typesTf32);
constexpr Field fieldsF8[] = PLAIN(resultFloat, typesF8);
constexpr Field fieldsI8[] = PLAIN(resultS32, typesI8);
#undef PLAIN

constexpr Field fieldsMxf8[] = {{"", "", 0, 2, 0, {}},
                                {"sparse", "whether A is sparse", 2, 1, 0, dense},
                                {"", "", 3, 1, 0, {}},
                                {"sfb-id", "scale factor id of B", 4, 2, 0, {}},
                                {"", "", 6, 1, 0, {}},
                                {"a", "type of A", 7, 3, 0, typesF8},
                                {"b", "type of B", 10, 3, 0, typesF8},
                                {"negate-a", "whether A is negated", 13, 1, 0, off},
                                {"negate-b", "whether B is negated", 14, 1, 0, off},
                                {"transpose-a", "whether A is transposed (M-major)", 15, 1, 0, off},
                                {"transpose-b", "whether B is transposed (N-major)", 16, 1, 0, off},
                                {"n", "columns of D", 17, 6, 3, {}},
                                {"scale", "type of the scale factors", 23, 1, 0, scaleUe8m0},
                                {"", "", 24, 3, 0, {}},
                                {"m", "rows of D", 27, 2, 7, {}},
                                {"sfa-id", "scale factor id of A", 29, 2, 0, {}},
                                {"", "", 31, 1, 0, {}}};

#define FOUR_BITS(SCALE)                                                                           \
  {                                                                                                \
    {"", "", 0, 2, 0, {}}, {"sparse", "whether A is sparse", 2, 1, 0, dense},                      \
        {"", "", 3, 1, 0, {}}, {"sfb-id", "scale factor id of B", 4, 2, 0, {}},                    \
        {"", "", 6, 1, 0, {}}, {"a", "type of A", 7, 3, 0, typesF4},                               \
        {"b", "type of B", 10, 2, 0, typesF4}, {"", "", 12, 1, 0, {}},                             \
        {"negate-a", "whether A is negated", 13, 1, 0, off},                                       \
        {"negate-b", "whether B is negated", 14, 1, 0, off},                                       \
        {"transpose-a", "whether A is transposed (M-major)", 15, 1, 0, off},                       \
        {"transpose-b", "whether B is transposed (N-major)", 16, 1, 0, off},                       \
        {"n", "columns of D", 17, 6, 3, {}},                                                       \
        {"scale", "type of the scale factors", 23, 1, 0, SCALE}, {"", "", 24, 3, 0, {}},           \
        {"m", "rows of D", 27, 2, 7, {}}, {"sfa-id", "scale factor id of A", 29, 2, 0, {}}, {      \
      "k", "K of a dense A (twice 64 if sparse)", 31, 1, 0, depths                                 \
    }                                                                                              \
  }
constexpr Field fieldsMxf4[] = FOUR_BITS(scaleUe8m0);
constexpr Field fieldsNvf4[] = FOUR_BITS(scaleAny);
#undef FOUR_BITS

constexpr Field fieldsShared[] = {
    {"start", "start address", 0, 14, 4, {}},
    {"", "", 14, 2, 0, {}},
    {"lbo", "leading dimension offset or address, in bytes", 16, 14, 4, {}},
    {"", "", 30, 2, 0, {}},
    {"sbo", "stride dimension offset, in bytes", 32, 14, 4, {}},
    {"", "fixed", 46, 3, 0, {}, 1},
    {"base-offset", "base offset of the swizzle pattern", 49, 3, 0, {}},
    {"lbo-mode", "what the leading dimension field is", 52, 1, 0, strideModes},
    {"", "fixed", 53, 8, 0, {}},
    {"swizzle", "swizzling mode", 61, 3, 0, swizzles}};

constexpr Field fieldsWgmma[] = {
    {"start", "start address", 0, 14, 4, {}},
    {"", "", 14, 2, 0, {}},
    {"lbo", "leading dimension offset, in bytes", 16, 14, 4, {}},
    {"", "", 30, 2, 0, {}},
    {"sbo", "stride dimension offset, in bytes", 32, 14, 4, {}},
    {"", "", 46, 3, 0, {}},
    {"base-offset", "base offset of the swizzle pattern", 49, 3, 0, {}},
    {"", "", 52, 10, 0, {}},
    {"swizzle", "swizzling mode", 62, 2, 0, wgmmaSwizzles}};

constexpr Field fieldsMask[] = {{"sc0", "columns skipped at the start of piece 0", 0, 8, 0, {}},
                                {"sc1", "columns skipped at the start of piece 1", 8, 8, 0, {}},
                                {"sc2", "columns skipped at the start of piece 2", 16, 8, 0, {}},
                                {"sc3", "columns skipped at the start of piece 3", 24, 8, 0, {}},
                                {"fs0", "piece 0 starts with zeros", 32, 1, 0, {}},
                                {"fs1", "piece 1 starts with zeros", 33, 1, 0, {}},
                                {"fs2", "piece 2 starts with zeros", 34, 1, 0, {}},
                                {"fs3", "piece 3 starts with zeros", 35, 1, 0, {}},
                                {"", "", 36, 3, 0, {}},
                                {"non-zero", "whether there is a mask at all", 39, 1, 0, off},
                                {"skip-span", "columns of zeros in a run, less one", 40, 8, 0, {}},
                                {"use-span", "columns of B in a run, less one", 48, 8, 0, {}},
                                {"shift", "column of B that is the first", 56, 6, 0, {}},
                                {"", "", 62, 2, 0, {}}};

constexpr llvm::StringLiteral kindNames[] = {"f16",      "tf32", "f8f6f4",  "i8",
                                             "mxf8f6f4", "mxf4", "mxf4nvf4"};
constexpr Format instructionFormats[] = {
    {"idesc", "instruction descriptor of .kind::f16", "Table 42", 32, fieldsF16},
    {"idesc", "instruction descriptor of .kind::tf32", "Table 42", 32, fieldsTf32},
    {"idesc", "instruction descriptor of .kind::f8f6f4", "Table 42", 32, fieldsF8},
    {"idesc", "instruction descriptor of .kind::i8", "Table 42", 32, fieldsI8},
    {"idesc", "instruction descriptor of .kind::mxf8f6f4", "Table 43", 32, fieldsMxf8},
    {"idesc", "instruction descriptor of .kind::mxf4", "Table 44", 32, fieldsMxf4},
    {"idesc", "instruction descriptor of .kind::mxf4nvf4", "Table 44", 32, fieldsNvf4}};
constexpr Format otherFormats[] = {
    {"smem", "shared memory descriptor of tcgen05", "Table 40", 64, fieldsShared},
    {"wgmma-smem", "shared memory descriptor of wgmma", "9.7.15.5.1.2.2", 64, fieldsWgmma},
    {"zero-mask", "zero-column mask descriptor", "Table 45", 64, fieldsMask}};

} // namespace

std::string Field::meaning(uint64_t value) const {
  const Choice *chosen = choice(value);
  return chosen ? chosen->name.str() : std::to_string(of(value) << shift);
}

const Choice *Field::choice(uint64_t value) const {
  auto found =
      llvm::find_if(choices, [&](const Choice &choice) { return choice.value == of(value); });
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

const Format *findFormat(llvm::StringRef name, llvm::StringRef kind) {
  if (name == "idesc") {
    for (auto [known, format] : llvm::zip(kindNames, instructionFormats))
      if (known == kind)
        return &format;
    return nullptr;
  }
  for (const Format &format : otherFormats)
    if (format.name == name)
      return &format;
  return nullptr;
}

std::optional<std::string> setField(const Format &format, uint64_t &value, llvm::StringRef key,
                                    llvm::StringRef text) {
  const Field *field = format.field(key);
  if (!field)
    return "the " + format.title.str() + " has no field `" + key.str() + "`";
  uint64_t number = 0;
  auto chosen =
      llvm::find_if(field->choices, [&](const Choice &choice) { return choice.name == text; });
  if (chosen != field->choices.end()) {
    number = chosen->value;
  } else if (!field->choices.empty() || text.getAsInteger(0, number)) {
    std::string names;
    for (const Choice &choice : field->choices)
      names += (names.empty() ? "" : ", ") + choice.name.str();
    return "`" + key.str() + "` is " + (names.empty() ? "a number" : "one of " + names) +
           ", not `" + text.str() + "`";
  } else {
    const uint64_t most = ((uint64_t(1) << field->bits) - 1) << field->shift;
    if (number & ((uint64_t(1) << field->shift) - 1) || number > most)
      return "`" + key.str() + "` is a multiple of " + std::to_string(1u << field->shift) +
             " up to " + std::to_string(most) + ", not " + text.str();
    number >>= field->shift;
  }
  value |= number << field->first;
  return std::nullopt;
}

std::vector<std::vector<bool>> zeroColumns(uint64_t value, uint32_t m, uint32_t n) {
  const Format &format = *findFormat("zero-mask", "");
  const unsigned pieces = m == 32 ? 4 : m == 64 ? 2 : 1;
  // The manual's table has the two spans the wrong way round; its examples (and CUTLASS) say it so.
  const uint32_t zeros = format.get(value, "skip-span") + 1,
                 used = format.get(value, "use-span") + 1;
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
