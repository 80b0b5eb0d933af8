// Rules about the permitted combinations of fields, according to the tables of the manual.
#include "Descriptor/Descriptor.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::descriptor {
namespace {

/// A row of Table 39 (for .kind::ti16, Table 48 of PTX 9.4): the permitted M and N for a kind, a number of CTAs,
/// sparsity and .ws.
struct ShapeRow {
  uint8_t kinds; // bit i: kinds()[i]
  bool ws;
  uint8_t ctas;
  bool dense, sparse;
  uint16_t m[3];
  uint16_t nFirst, nLast, nStep; // nStep 0: powers of two
};
constexpr uint8_t f16 = 1, tf32 = 2, f8f6f4 = 4, i8 = 8, mxf8f6f4 = 16, mxf4 = 32, mxf4nvf4 = 64, ti16 = 128;
constexpr ShapeRow shapeRows[] = {
    {f16 | tf32 | f8f6f4, false, 1, true, true, {64, 128}, 8, 256, 8},
    {f16 | tf32 | f8f6f4, false, 2, true, true, {128, 256}, 16, 256, 16},
    {mxf8f6f4, false, 1, true, true, {128}, 8, 256, 8},
    {mxf8f6f4, false, 2, true, false, {128, 256}, 16, 256, 16},
    {mxf8f6f4, false, 2, false, true, {256}, 16, 256, 16},
    {i8, false, 1, true, true, {64, 128}, 8, 32, 8},
    {i8, false, 1, true, true, {64, 128}, 48, 256, 16},
    {i8, false, 2, true, true, {128, 256}, 32, 256, 32},
    {ti16, false, 1, true, true, {64}, 8, 256, 8},
    {ti16, false, 1, true, true, {128}, 16, 256, 16},
    {ti16, false, 2, true, true, {128, 256}, 32, 256, 32},
    {mxf4 | mxf4nvf4, false, 1, true, true, {128}, 8, 256, 8},
    {mxf4 | mxf4nvf4, false, 2, true, false, {128, 256}, 16, 256, 16},
    {mxf4 | mxf4nvf4, false, 2, false, true, {256}, 16, 256, 16},
    {f16 | tf32 | f8f6f4 | i8 | ti16, true, 1, true, false, {32, 64, 128}, 64, 256, 0},
    {f16 | tf32 | f8f6f4 | i8 | ti16, true, 1, false, true, {32, 64, 128}, 64, 128, 0},
};

bool nFits(const ShapeRow &row, uint32_t n) {
  if (n < row.nFirst || n > row.nLast)
    return false;
  return row.nStep ? (n - row.nFirst) % row.nStep == 0 : (n & (n - 1)) == 0;
}

std::string mText(const ShapeRow &row) {
  std::string text;
  for (uint16_t m : row.m)
    if (m)
      text += (text.empty() ? "" : " or ") + std::to_string(m);
  return text;
}

std::string nText(const ShapeRow &row) {
  if (row.nStep == 0)
    return row.nLast == 256 ? "64, 128 or 256" : "64 or 128";
  return std::to_string(row.nFirst) + " to " + std::to_string(row.nLast) + " in steps of " + std::to_string(row.nStep);
}

int kindIndex(llvm::StringRef kind) {
  auto found = llvm::find(kinds(), kind);
  return found == kinds().end() ? -1 : found - kinds().begin();
}

struct Report {
  std::vector<Problem> problems;
  void add(Offence offence, std::string text, std::string table) {
    problems.push_back({offence, std::move(text), std::move(table)});
  }
};

void checkReserved(const Format &format, uint64_t value, Report &report) {
  for (const Field &field : format.fields) {
    const std::string at =
        field.bits == 1 ? "bit " + std::to_string(field.first)
                        : "bits " + std::to_string(field.first) + "-" + std::to_string(field.first + field.bits - 1);
    if (field.isReserved() && field.of(value) != field.fixed)
      report.add(Offence::Bits,
                 at + (field.bits == 1 ? " is " : " are ") + std::to_string(field.of(value)) + ", " +
                     std::to_string(field.fixed) + " expected",
                 format.table.str());
    else if (!field.choices.empty() && !field.choice(value))
      report.add(field.key == "swizzle" ? Offence::Bits : Offence::Type,
                 at + " (" + field.title.str() + "): " + std::to_string(field.of(value)) + " means nothing" +
                     (format.name == "idesc" ? " for this kind" : ""),
                 format.table.str());
  }
  if (format.bits < 64 && value >> format.bits)
    report.add(Offence::Bits, "more than " + std::to_string(format.bits) + " bits", format.table.str());
}

void checkShape(uint32_t m, uint32_t n, bool sparse, int kind, const Use &use, Report &report) {
  const std::string who = ".kind::" + use.kind + (sparse ? ", sparse" : ", dense");
  const char *table = use.kind == "ti16" ? "9.4, Table 48" : "Table 39";
  llvm::SmallVector<const ShapeRow *, 4> rows;
  for (const ShapeRow &row : shapeRows)
    if ((row.kinds >> kind & 1) && (sparse ? row.sparse : row.dense) && (!use.ctaGroup || row.ctas == use.ctaGroup) &&
        (!use.ws || row.ws == *use.ws))
      rows.push_back(&row);
  if (rows.empty()) {
    report.add(Offence::Shape,
               who + (use.ws.value_or(false) ? ", .ws" : "") +
                   (use.ctaGroup ? ", .cta_group::" + std::to_string(use.ctaGroup) : "") + ": no such product",
               table);
    return;
  }
  auto hasM = [&](const ShapeRow *row) { return m && llvm::is_contained(row->m, m); };
  if (!llvm::any_of(rows, hasM)) {
    report.add(Offence::Shape, "M = " + std::to_string(m) + " with " + who + "; " + mText(*rows.front()) + " expected",
               table);
    return;
  }
  if (!llvm::any_of(rows, [&](const ShapeRow *row) { return hasM(row) && nFits(*row, n); })) {
    const ShapeRow &row = **llvm::find_if(rows, hasM);
    report.add(Offence::Shape,
               "N = " + std::to_string(n) + " with M = " + std::to_string(m) + ", " + who + "; " + nText(row) +
                   " expected",
               table);
  }
}

unsigned bitsOf(llvm::StringRef type) {
  return type == "e2m1"                     ? 4
         : type == "e2m3" || type == "e3m2" ? 6
         : type == "tf32"                   ? 32
         : type.ends_with("f16")            ? 16
         : type == "s1z4m11"                ? 16
                                            : 8;
}

/// Checks an instruction descriptor against the instruction and its other descriptors.
class InstructionCheck {
public:
  InstructionCheck(const Format &format, uint64_t value, const Use &use)
      : format(format), value(value), use(use), isSparse(use.sparse.value_or(get("sparse"))),
        isScaledInFourBits(use.kind.starts_with("mxf4")), is96Deep(isScaledInFourBits && get("k") == 1),
        is128Deep(get("k128")) {}

  std::vector<Problem> run() {
    checkReserved(format, value, report);
    sparsity();
    checkShape(get("m"), get("n"), isSparse, kindIndex(use.kind), use, report);
    ofOneKind();
    selector();
    transposes();
    scaleFactors();
    depth();
    return std::move(report.problems);
  }

private:
  uint32_t get(llvm::StringRef key) const { return format.get(value, key); }
  llvm::StringRef typeOf(llvm::StringRef key) const {
    const Choice *choice = format.field(key)->choice(value);
    return choice ? llvm::StringRef(choice->name) : llvm::StringRef();
  }
  bool isKind(llvm::StringRef kind) const { return use.kind == kind; }
  void sparsity();
  void ofOneKind();
  void selector();
  void transposes();
  void transposed(llvm::StringRef matrix, const std::optional<uint64_t> &shared, bool isOfEightBits);
  void scaleFactors();
  void scaleFactorIds();
  void depth();

  const Format &format;
  const uint64_t value;
  const Use &use;
  const bool isSparse, isScaledInFourBits, is96Deep, is128Deep;
  Report report;
};

void InstructionCheck::sparsity() {
  const bool says = get("sparse");
  if (says != isSparse)
    report.add(Offence::Form,
               std::string("A is ") + (says ? "sparse" : "dense") + " in the descriptor, but the instruction " +
                   (isSparse ? "is" : "is not") + " .sp",
               format.table.str());
}

void InstructionCheck::ofOneKind() {
  if (isKind("f16") && typeOf("d") == "f16" && (typeOf("a") == "bf16" || typeOf("b") == "bf16"))
    report.add(Offence::Type, "D is .f16 with a scale factor of .bf16; expected .f32", "Table 39");
  if (!isKind("i8") && get("saturate"))
    report.add(Offence::Form, "saturation (bit 3) is only for .kind::i8", "Table 42");
  if (use.ws == false && get("max-shift"))
    report.add(Offence::Form, "a maximum shift (bits 30-31) is only for .ws", "Table 42");
}

void InstructionCheck::selector() {
  if (!get("selector"))
    return;
  if (!isSparse)
    report.add(Offence::Form, "a sparsity selector (bits 0-1) with a dense A", "Table 42");
  else if (isKind("i8") || isKind("f8f6f4"))
    report.add(Offence::Form, "the sparsity selector of .kind::" + use.kind + " is 0", "9.7.16.10.8.4.5");
}

void InstructionCheck::transposes() {
  const bool transposesB = get("transpose-b");
  if ((get("negate-a") || get("negate-b")) && isKind("i8"))
    report.add(Offence::Transpose, ".kind::i8 cannot negate", "Table 49");
  if ((get("transpose-a") || transposesB) && isScaledInFourBits)
    report.add(Offence::Transpose, ".kind::" + use.kind + " cannot transpose", "Table 49");
  const bool isOfEightBits = isKind("f8f6f4") || isKind("mxf8f6f4") || isKind("i8");
  const uint32_t n = get("n"), step = 16 * use.ctaGroup;
  if (transposesB && isOfEightBits && bitsOf(typeOf("b")) == 8 && step && n % step)
    report.add(Offence::Shape,
               "N = " + std::to_string(n) + " with a transposed 8-bit B; expected a multiple of " +
                   std::to_string(step) + " expected",
               "Table 50");
  if (get("transpose-a"))
    transposed("a", use.a, isOfEightBits);
  if (transposesB)
    transposed("b", use.b, isOfEightBits);
}

void InstructionCheck::transposed(llvm::StringRef matrix, const std::optional<uint64_t> &shared, bool isOfEightBits) {
  const std::string name = matrix.upper();
  if (isOfEightBits && bitsOf(typeOf(matrix)) < 8) {
    report.add(Offence::Transpose, name + " of ." + typeOf(matrix).str() + " cannot be transposed", "Table 52");
    report.problems.back().isPedantic = true; // CUTLASS does so
  }
  if (!shared)
    return;
  const bool wideAtoms = findFormat("smem", "", use.family)->get(*shared, "swizzle") == 1;
  if (isKind("tf32") && !wideAtoms)
    report.add(Offence::Transpose, "a transposed " + name + " of 32 bits needs swizzling of 128 bytes with atoms of 32",
               "Table 52");
  if (!isKind("tf32") && wideAtoms)
    report.add(Offence::Transpose, "a transposed " + name + " of less than 32 bits excludes atoms of 32 bytes",
               "Table 52");
}

/// Checks the two fields that specify how K = 128 is composed.
void InstructionCheck::scaleFactors() {
  const uint32_t count = use.scaleVectors;
  if (!count)
    return;
  const bool fits =
      isScaledInFourBits ? count != 1 && !(isKind("mxf4") && count == 4) : isKind("mxf8f6f4") && count == 1;
  if (!fits)
    report.add(Offence::Form, ".kind::" + use.kind + " with " + std::to_string(count) + " scale factors a row",
               "Table 54");
  if (is128Deep)
    return;
  scaleFactorIds();
  if (isKind("mxf4nvf4") && typeOf("scale") == "ue4m3" && count == 2 && use.family != Family::Sm107)
    report.add(Offence::Type, "two .ue4m3 scale factors per row; expected four", "Table 55");
}

void InstructionCheck::scaleFactorIds() {
  const uint32_t factors = !is96Deep ? use.scaleVectors : use.scaleVectors == 4 ? 6 : 3;
  if (factors == 1 || factors == 3)
    return;
  for (const auto &[key, title] : {std::pair("sfa-id", "scale factor id of A"), {"sfb-id", "scale factor id of B"}})
    if (const uint32_t id = get(key); id != 0 && (factors == 4 || id != 2))
      report.add(Offence::Form,
                 std::string(title) + " is " + std::to_string(id) + " with " + std::to_string(factors) +
                     " factors a row; " + (factors == 4 ? "0" : "0 or 2") + " expected",
                 "9.7.16.10.7.2");
}

void InstructionCheck::depth() {
  if (is96Deep && is128Deep)
    report.add(Offence::Shape, "bits 3 and 31 say that K is both 96 and 128", "9.4, Table 53");
  if (is96Deep && isSparse && use.family != Family::Sm107)
    report.add(Offence::Shape, "K = 96 with a sparse A", "Table 44");
  if (is96Deep && use.family == Family::Sm100)
    report.add(Offence::Shape, "K = 96 on a target other than sm_103a and sm_107a", "9.7.16.2.1.1");
  if (isKind("f8f6f4") && get("k"))
    for (const char *matrix : {"a", "b"})
      if (const llvm::StringRef type = typeOf(matrix); !type.empty() && bitsOf(type) != 8)
        report.add(Offence::Type, "K = 64 with elements of ." + type.str() + "; e4m3 or e5m2 expected",
                   "9.4, Table 48");
}

} // namespace

uint32_t depthOf(const Format &format, uint64_t value) {
  const Field *field = format.field("k");
  uint32_t k = format.kind == "tf32" ? 8 : format.kind == "f16" || format.kind == "ti16" ? 16 : 32;
  if (format.get(value, "k128"))
    k = 128;
  else if (field)
    llvm::StringRef(field->meaning(value)).getAsInteger(10, k);
  return format.get(value, "sparse") ? 2 * k : k;
}

uint32_t scaleVectors(llvm::StringRef word, llvm::StringRef kind) {
  uint32_t count = 0;
  if (word == "block16")
    return 4;
  if (word == "block32")
    return kind == "mxf8f6f4" ? 1 : 2;
  return word.consume_back("X") && !word.getAsInteger(10, count) ? count : 0;
}

std::vector<Problem> checkFields(const Format &format, uint64_t value) {
  Report report;
  checkReserved(format, value, report);
  return report.problems;
}

std::vector<Problem> checkInstruction(uint64_t value, const Use &use) {
  const Format *format = findFormat("idesc", use.kind, use.family);
  return format ? InstructionCheck(*format, value, use).run() : std::vector<Problem>();
}

std::vector<Problem> checkShared(uint64_t value, const Use &use) {
  Report report;
  const Format &format = *findFormat("smem", "", use.family);
  checkReserved(format, value, report);
  if (!format.get(value, "lbo-mode"))
    return report.problems;
  const std::string mode = "an absolute leading address";
  if (use.family == Family::Sm100)
    report.add(Offence::Transpose, mode + " on a target other than sm_103a", "9.7.16.4.1.1");
  if (format.get(value, "swizzle") != 2)
    report.add(Offence::Transpose, mode + " without swizzling of 128 bytes", "9.7.16.3.1.2.1");
  if (format.get(value, "base-offset"))
    report.add(Offence::Transpose, mode + " with a base offset", "9.7.16.3.1.2.1");
  if (use.instruction && !use.kind.empty()) {
    const Format *instruction = findFormat("idesc", use.kind, use.family);
    if (instruction && ((use.isA && instruction->get(*use.instruction, "transpose-a")) ||
                        (use.isB && instruction->get(*use.instruction, "transpose-b"))))
      report.add(Offence::Transpose, mode + " with a transposed matrix", "9.7.16.3.1.2.1");
  }
  return report.problems;
}

std::vector<Problem> checkZeroMask(uint64_t value, std::optional<uint32_t> m) {
  Report report;
  const Format &format = *findFormat("zero-mask", "");
  checkReserved(format, value, report);
  const uint32_t most = m == 32 ? 16 : 32, shift = format.get(value, "shift");
  if (shift > most)
    report.add(Offence::Shape,
               "a column shift of " + std::to_string(shift) + (m ? " with M = " + std::to_string(*m) : "") +
                   "; at most " + std::to_string(most),
               "Table 45");
  return report.problems;
}

} // namespace ptxray::descriptor
