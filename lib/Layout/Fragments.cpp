// Layouts of fragments in the registers of a warp or warpgroup. All multiplications of mma.sync and wgmma follow one
// pattern. Four neighbouring threads share a row, and eight such groups share a tile of eight rows. A register holds as
// many neighbouring elements as fit into it.
#include "Layout/Instructions.h"
#include "llvm/ADT/StringSwitch.h"

namespace ptxray::layout {
namespace {

/// Returns how many elements a 32-bit register holds. Each wider element has its own register.
uint32_t inRegister(uint32_t bits) { return bits < 32 ? 32 / bits : 1; }

std::string shapeText(uint32_t rows, uint32_t columns, llvm::StringRef type) {
  return (llvm::Twine(rows) + "x" + llvm::Twine(columns) + " of ." + type).str();
}

Layout fragment(std::string name, uint32_t rows, uint32_t columns, llvm::StringRef type, uint32_t bits,
                std::string wordName, std::string source) {
  Layout layout;
  layout.name = std::move(name);
  layout.what = shapeText(rows, columns, type);
  layout.source = std::move(source);
  layout.elementBits = bits;
  layout.wordBits = std::max(32u, bits);
  layout.wordName = std::move(wordName);
  return layout;
}

/// Returns the layout of A, M x K. Groups of four threads hold rows; the threads of a group hold columns. `warps` is 1,
/// or 4 for a warpgroup.
Layout multiplicandA(uint32_t m, uint32_t k, llvm::StringRef type, uint32_t bits, uint32_t warps, std::string source) {
  const uint32_t run = inRegister(bits), rows = m / warps;
  Layout layout = fragment("A", m, k, type, bits, "a", std::move(source));
  layout.count(run, Bit, bits, Column, 1)
      .count(4, Lane, 1, Column, run)
      .count(8, Lane, 4, Row, 1)
      .count(rows / 8, Word, 1, Row, 8)
      .count(k / (4 * run), Word, rows / 8, Column, 4 * run)
      .count(warps, Lane, 32, Row, rows);
  return layout;
}

/// Returns the layout of B, K x N, which is that of A with rows and columns exchanged.
Layout multiplicandB(uint32_t k, uint32_t n, llvm::StringRef type, uint32_t bits, std::string source) {
  const uint32_t run = inRegister(bits);
  Layout layout = fragment("B", k, n, type, bits, "b", std::move(source));
  layout.count(run, Bit, bits, Row, 1)
      .count(4, Lane, 1, Row, run)
      .count(8, Lane, 4, Column, 1)
      .count(k / (4 * run), Word, 1, Row, 4 * run);
  return layout;
}

/// Returns the layout of C and D, M x N. Each thread holds two neighbouring columns; 16-bit elements share a register.
Layout accumulator(std::string name, uint32_t m, uint32_t n, llvm::StringRef type, uint32_t bits, uint32_t warps,
                   std::string source) {
  const uint32_t rows = m / warps, pair = bits == 16 ? 1 : 2;
  const std::string letter(1, name[0] | 0x20);
  Layout layout = fragment(std::move(name), m, n, type, bits, letter, std::move(source));
  if (bits == 16)
    layout.count(2, Bit, 16, Column, 1);
  else
    layout.count(2, Word, 1, Column, 1);
  layout.count(4, Lane, 1, Column, 2)
      .count(8, Lane, 4, Row, 1)
      .count(rows / 8, Word, pair, Row, 8)
      .count(n / 8, Word, pair * (rows / 8), Column, 8)
      .count(warps, Lane, 32, Row, rows);
  return layout;
}

/// Returns the number of adjacent columns of A from which each four bits of metadata select.
uint32_t sparseChunk(uint32_t bits) { return bits == 32 ? 2 : bits == 4 ? 8 : 4; }

/// Adds the layout of the metadata: which bits of which register describe which chunk of A. For elements of at least 16
/// bits, one thread of four provides it, or two threads that share the columns. For narrower elements, two threads that
/// share the rows provide it, or all four.
void addMetadata(Answer &answer, uint32_t m, uint32_t k, uint32_t bits, uint32_t warps, uint32_t selector,
                 std::string source) {
  const uint32_t chunks = k / sparseChunk(bits), rows = m / warps;
  const bool wide = bits >= 16;
  const uint32_t threads = chunks / 4; // per thread of four
  if (selector >= 4 / threads) {
    answer.complaint = "the sparsity selector of this shape is " + std::string(threads == 4   ? "0"
                                                                               : threads == 2 ? "0 or 1"
                                                                                              : "0 to 3");
    return;
  }
  Layout layout = fragment("metadata", m, chunks, "b4", 4, "e", std::move(source));
  layout.what = (llvm::Twine(m) + "x" + llvm::Twine(chunks) + " indices of 4 bits, one for each " +
                 llvm::Twine(sparseChunk(bits)) + " columns of A")
                    .str();
  layout.elementNames[Column] = "chunk";
  layout.origin[Lane] = selector * threads;
  layout.count(8, Lane, 4, Row, 1).count(warps, Lane, 32, Row, rows);
  if (wide)
    layout.count(4, Bit, 4, Column, 1).count(rows / 8, Bit, 16, Row, 8).count(chunks / 4, Lane, 1, Column, 4);
  else
    layout.count(8, Bit, 4, Column, 1).count(rows / 8, Lane, 1, Row, 8).count(chunks / 8, Lane, 2, Column, 8);
  layout.notes.push_back(bits == 32 ? "an index is 0b1110 (the upper of two columns) or 0b0100"
                                    : "an index is one of 0b0100 0b1000 0b1001 0b1100 0b1101 0b1110");
  answer.layouts.push_back(std::move(layout));
}

/// Returns the layout of the block scaling factors in each thread's data register.
Layout scaleFactors(char operand, uint32_t rows, uint32_t factors, uint32_t thread, uint32_t byte) {
  Layout layout;
  layout.name = operand == 'a' ? "scale-a" : "scale-b";
  layout.source = "PTX ISA 9.7.14.3; cute mma_traits_sm120.hpp (SFALayout, SFBLayout)";
  layout.elementBits = 8;
  layout.wordName = "s";
  layout.origin[Bit] = 8 * byte;
  layout.what = (llvm::Twine(rows) + (operand == 'a' ? " rows, " : " columns, ") + llvm::Twine(factors) +
                 " factors of 8 bits each")
                    .str();
  const Along outer = operand == 'a' ? Row : Column, inner = operand == 'a' ? Column : Row;
  layout.elementNames[inner] = "factor";
  layout.count(8, Lane, 4, outer, 1);
  if (operand == 'a')
    layout.count(2, Lane, 1, Row, 8);
  layout.count(factors, Bit, 8, inner, 1);
  layout.origin[Lane] = operand == 'a' ? 2 * thread : thread;
  return layout;
}

/// Describes the multiplication by quads of threads, which computes four small products.
Answer describeQuadPairs(const Words &words, llvm::StringRef accumulatorType) {
  const std::string source = "PTX ISA 9.7.14.5.1; cute mma_traits_sm70.hpp";
  auto quads = [](Layout &layout) -> Layout & {
    layout.elementNames[Matrix] = "product";
    return layout.count(4, Lane, 4, Matrix, 1);
  };
  // The first layout qualifier is for A, the second for B.
  llvm::SmallVector<bool, 2> rowMajor;
  for (llvm::StringRef word : words.all)
    if (word == "row" || word == "col")
      rowMajor.push_back(word == "row");
  rowMajor.resize(2, false);
  if (!words.has("row") && !words.has("col"))
    rowMajor[0] = true;
  Answer answer;
  // A thread holds four neighbouring elements. They are neighbours along K if A is row-major or B is column-major.
  auto multiplicand = [&](const char *name, bool alongK, Along mn, Along k, const char *letter) {
    Layout layout = fragment(name, mn == Row ? 8 : 4, mn == Row ? 4 : 8, "f16", 16, letter, source);
    const Along run = alongK ? k : mn, other = alongK ? mn : k;
    layout.count(2, Bit, 16, run, 1).count(2, Word, 1, run, 2).count(4, Lane, 1, other, 1);
    layout.count(2, Lane, 16, mn, 4);
    answer.layouts.push_back(quads(layout));
  };
  multiplicand("A", rowMajor[0], Row, Column, "a");
  multiplicand("B", !rowMajor[1], Column, Row, "b");
  Layout d = fragment("D", 8, 8, accumulatorType, accumulatorType == "f16" ? 16 : 32, "d", source);
  if (accumulatorType == "f16")
    d.count(2, Bit, 16, Column, 1).count(4, Word, 1, Column, 2).count(4, Lane, 1, Row, 1).count(2, Lane, 16, Row, 4);
  else
    d.count(2, Word, 1, Column, 1)
        .count(2, Word, 2, Row, 2)
        .count(2, Word, 4, Column, 4)
        .count(2, Lane, 1, Row, 1)
        .count(2, Lane, 2, Column, 2)
        .count(2, Lane, 16, Row, 4);
  d.notes.push_back("C is held as D");
  answer.layouts.push_back(quads(d));
  return answer;
}

/// Adds a 32-bit register of each thread for a tile of 8 rows of 16 bytes. If transposed, exchanges rows and columns.
void tile(Layout &layout, uint32_t bits, bool transposed) {
  const uint32_t run = 32 / bits;
  const Along along = transposed ? Row : Column, across = transposed ? Column : Row;
  layout.count(run, Bit, bits, along, 1).count(4, Lane, 1, along, run).count(8, Lane, 4, across, 1);
}

Layout rowAddresses(uint32_t rows, uint32_t matrices, llvm::StringRef rowName, uint32_t bytes, std::string source) {
  Layout layout;
  layout.name = "addresses";
  layout.what = ("the thread whose address is that of each " + rowName + " of " + llvm::Twine(bytes) + " bytes").str();
  layout.source = std::move(source);
  layout.store = Store::Addresses;
  layout.elementBits = 0;
  layout.elementNames[Row] = rowName.str();
  layout.elementNames[Column] = "matrix";
  layout.count(rows, Lane, 1, Row, 1).count(matrices, Lane, rows, Column, 1);
  return layout;
}

Answer transposition() {
  const std::string source = "PTX ISA 9.7.14.5.17; cute copy_traits_sm75.hpp";
  Layout from = fragment("A", 8, 8, "b16", 16, "a", source);
  tile(from, 16, false);
  Layout to = fragment("D", 8, 8, "b16", 16, "d", source);
  tile(to, 16, true);
  to.notes.push_back("row and column are those of the source: each thread receives the transpose");
  Answer answer;
  answer.layouts = {from, to};
  return answer;
}

/// Adds the memory layout of elements that are expanded to bytes when loaded.
void addNarrowElements(Answer &answer, uint32_t bits, bool padded) {
  answer.layouts.push_back(sixteenElements(bits, padded));
  const std::string count = std::to_string(bits);
  answer.layouts.front().notes.push_back(
      "memory holds 16 elements of " + count +
      (padded ? " bits and padding; each goes to the lower " + count + " bits of its byte"
              : " bits in 8 bytes; each becomes a byte with its sign"));
}

} // namespace

Answer describeMovement(const Words &words) {
  const bool load = words.starts("ldmatrix"), store = words.starts("stmatrix");
  const bool transposed = words.has("trans");
  if (!load && !store)
    return transposition();
  Answer answer;
  uint32_t matrices = 1;
  for (llvm::StringRef word : words.all)
    if (word.consume_front("x") && word.getAsInteger(10, matrices))
      return Answer::refuse("`.x" + word.str() + "` is not a number of matrices");
  const std::string shape = words.has("m16n16")  ? "m16n16"
                            : words.has("m8n16") ? "m8n16"
                            : words.has("m16n8") ? "m16n8"
                                                 : "m8n8";
  if ((shape == "m16n8") != store && shape != "m8n8")
    return Answer::refuse(words.all.front().str() + " has no shape ." + shape);
  if (matrices != 1 && matrices != 2 && (matrices != 4 || shape == "m16n16"))
    return Answer::refuse("." + shape + " is moved " + (shape == "m16n16" ? "once or twice" : "1, 2 or 4 times"));
  const std::string source = load ? "PTX ISA 9.7.14.5.15; cute copy_traits_sm75.hpp, copy_traits_sm100.hpp"
                                  : "PTX ISA 9.7.14.5.16; cute copy_traits_sm90.hpp, copy_traits_sm100.hpp";
  const uint32_t narrow = words.has("b4x16_p64") ? 4 : words.has("b6x16_p32") ? 6 : 0;
  const bool expands = words.has("s4"); // .s8.s4
  if (expands && shape != "m8n16")
    return Answer::refuse("elements of .s4 are loaded with shape .m8n16");
  if (shape == "m8n8") {
    Layout layout = fragment("matrix", 8, 8, "b16", 16, "r", source);
    tile(layout, 16, transposed);
    layout.count(matrices, Word, 1, Matrix, 1);
    answer.layouts = {layout, rowAddresses(8, matrices, "row", 16, source)};
  } else if (shape == "m8n16") {
    Layout layout = fragment("matrix", 8, 16, expands ? "s8" : "b8", 8, "r", source);
    tile(layout, 8, false);
    layout.count(matrices, Word, 1, Matrix, 1);
    answer.layouts = {layout, rowAddresses(8, matrices, "row", expands ? 8 : 16, source)};
  } else if (shape == "m16n16") {
    // Memory holds the transpose: the sixteen rows with addresses are the columns of the matrix.
    Layout layout = fragment("matrix", 16, 16, "b8", 8, "r", source);
    tile(layout, 8, false);
    layout.count(2, Word, 1, Row, 8).count(matrices, Word, 2, Matrix, 1);
    layout.notes.push_back("the matrix is stored column by column");
    answer.layouts = {layout, rowAddresses(16, matrices, "column", 16, source)};
  } else {
    Layout layout = fragment("matrix", 16, 8, "b8", 8, "r", source);
    layout.count(2, Bit, 8, Column, 1)
        .count(4, Lane, 1, Column, 2)
        .count(8, Lane, 4, Row, 1)
        .count(2, Bit, 16, Row, 8)
        .count(matrices, Word, 1, Matrix, 1);
    layout.notes.push_back("the matrix is stored column by column");
    answer.layouts = {layout, rowAddresses(8, matrices, "column", 16, source)};
  }
  if (narrow)
    addNarrowElements(answer, narrow, /*padded=*/true);
  if (expands)
    addNarrowElements(answer, 4, /*padded=*/false);
  return answer;
}

static Answer withScaleFactors(Answer answer, const Words &words, const Request &request) {
  const uint32_t factors = words.has("scale_vec::4X")                                                               ? 4
                           : words.has("scale_vec::2X") || (words.has("kind::mxf4") && !words.has("scale_vec::1X")) ? 2
                                                                                                                    : 1;
  const uint32_t byteA = request.number("byte-id-a", 0), byteB = request.number("byte-id-b", 0);
  const uint32_t threadA = request.number("thread-id-a", 0), threadB = request.number("thread-id-b", 0);
  if (byteA % factors || byteB % factors || byteA > 3 || byteB > 3 || threadA > 1 || threadB > 3)
    return Answer::refuse("a byte id is a multiple of the factors per row, below 4; the thread id of A is 0 "
                          "or 1, of B 0 to 3");
  answer.layouts.push_back(scaleFactors('a', 16, factors, threadA, byteA));
  answer.layouts.push_back(scaleFactors('b', 8, factors, threadB, byteB));
  return answer;
}

Answer describeMma(const Words &words, const Request &request) {
  const auto shape = words.shape();
  if (!shape)
    return Answer::refuse("mma needs a shape, as in mma.m16n8k16.f16");
  const auto [m, n, k] = *shape;
  const auto types = words.types();
  const bool sparse = words.has("sp") || words.has("sp::ordered_metadata");
  llvm::StringRef a = types.empty() ? "f16" : types.front(), b = a, d = "";
  if (types.size() >= 3) { // .dtype.atype.btype.ctype
    d = types[0];
    a = types[1];
    b = types[2];
  } else if (types.size() == 2) {
    d = types[0];
    a = b = types[1];
  }
  uint32_t bits = bitsOfType(a);
  if (bits == 6 || (bits == 4 && a == "e2m1" && k == (sparse ? 64u : 32u)))
    bits = 8; // each in a separate byte
  if (d.empty())
    d = a == "f64" ? "f64" : bits == 1 || a == "s8" || a == "u8" || a == "s4" || a == "u4" ? "s32" : "f32";
  if (m == 8 && n == 8 && k == 4 && bits == 16)
    return describeQuadPairs(words, types.empty() ? "f32" : d);
  const uint32_t stored = sparse ? k / 2 : k, run = inRegister(bits), words4 = 4 * run;
  const uint32_t tiles = bits && stored % words4 == 0 ? stored / words4 : 0;
  const bool known = n == 8 && (m == 16 || (m == 8 && tiles == 1 && !sparse)) && bits &&
                     (bits == 64 ? (tiles == 1 || tiles == 2 || tiles == 4) && !sparse : tiles == 1 || tiles == 2) &&
                     !(m == 8 && (bits == 16 || bits == 32)) && !(sparse && bits == 1);
  if (!known)
    return Answer::refuse("mma does not support this shape with elements of ." + a.str());
  const std::string source = sparse ? "PTX ISA 9.7.14.6.2; cute mma_traits_sm120_sparse.hpp"
                                    : "PTX ISA 9.7.14.5; cute mma_traits_sm75.hpp to mma_traits_sm120.hpp";
  Answer answer;
  answer.layouts.push_back(multiplicandA(m, stored, a, bits, 1, source));
  if (sparse)
    answer.layouts.back().notes.push_back(
        "columns are those of the packed matrix: column c is the element chosen from columns " +
        std::string(bits == 4    ? "8*(c/4) to 8*(c/4)+7"
                    : bits == 32 ? "2c and 2c+1"
                                 : "4*(c/2) to 4*(c/2)+3") +
        " of A");
  answer.layouts.push_back(multiplicandB(k, n, b, bits, source));
  answer.layouts.push_back(accumulator("D", m, n, d, bitsOfType(d), 1, source));
  answer.layouts.back().notes.push_back("C is held as D");
  if (sparse)
    addMetadata(answer, m, k, bits, 1, request.number("selector", 0),
                "PTX ISA 9.7.14.6.2; cute mma_traits_sm120_sparse.hpp (ELayout)");
  return words.has("block_scale") ? withScaleFactors(std::move(answer), words, request) : answer;
}

Answer describeWgmma(const Words &words, const Request &request) {
  const auto shape = words.shape();
  const auto types = words.types();
  if (!shape || (*shape)[0] != 64)
    return Answer::refuse("wgmma needs a shape, as in wgmma.mma_async.m64n128k16.f32.f16.f16");
  const auto [m, n, k] = *shape;
  const bool sparse = words.has("sp");
  const llvm::StringRef a = types.size() >= 2 ? types[1] : types.empty() ? "f16" : types[0];
  const uint32_t bits = bitsOfType(a);
  llvm::StringRef d = types.size() >= 2 ? types[0] : bits == 1 || a == "s8" || a == "u8" ? "s32" : "f32";
  if (!bits || bits == 64 || bits == 4 || bits == 6 || k * bits != (sparse ? 512u : 256u) || (sparse && bits == 1) ||
      n < 8 || n > 256 || n % 8)
    return Answer::refuse("wgmma does not support this shape with elements of ." + a.str());
  const std::string source = "PTX ISA 9.7.15.5.1; cute mma_traits_sm90_gmma.hpp";
  Answer answer;
  answer.layouts.push_back(multiplicandA(m, sparse ? k / 2 : k, a, bits, 4, source));
  answer.layouts.back().notes.push_back("if A is in registers; otherwise it is in shared memory, like B "
                                        "(`ptxray layout smem`)");
  answer.layouts.push_back(accumulator("D", m, n, d, bitsOfType(d), 4, source));
  if (sparse)
    addMetadata(answer, m, k, bits, 4, request.number("selector", 0),
                "PTX ISA 9.7.15.6.2; cute mma_traits_sm90_gmma_sparse.hpp (ELayout)");
  return answer;
}

Answer describeWmma(const Words &words) {
  Answer answer;
  answer.notes.push_back("PTX ISA 9.7.14.4.1 leaves open which thread holds which element of a wmma fragment; it "
                         "differs between targets. What holds everywhere: one operation on all registers of a "
                         "fragment is that operation on the matrix.");
  const auto shape = words.shape();
  const auto types = words.types();
  if (!shape)
    return answer;
  const auto [m, n, k] = *shape;
  // wmma.mma of .f16 specifies only the accumulator types; all others specify .d .a .b .c. A load or store specifies
  // one type.
  const llvm::StringRef multiplicand = types.size() == 4 ? types[1] : types.size() == 1 ? types[0] : "f16";
  const uint32_t bits = bitsOfType(multiplicand);
  auto registers = [&](llvm::StringRef matrix, uint32_t count) {
    answer.notes.push_back((matrix + ": " + llvm::Twine(count) + " registers a thread").str());
  };
  auto filling = [](uint32_t elements, uint32_t width) { return elements * width / (32 * std::max(32u, width)); };
  if (!bits)
    return answer;
  registers("A", multiplicand == "f16" ? 8 : filling(m * k, bits));
  registers("B", multiplicand == "f16" ? 8 : filling(k * n, bits));
  registers("C and D", filling(m * n, types.empty() || types.front() == "f16" ? 16 : bits == 64 ? 64 : 32));
  return answer;
}

Answer describeRdna4(const Words &words) {
  const std::string source =
      "AMD, In-register matrix transpose for RDNA 4; LLVM's wmma builtins of gfx12 for waves of 32";
  const auto types = words.types();
  const llvm::StringRef type = types.empty() ? "f16" : types.back();
  const uint32_t bits = bitsOfType(type);
  const llvm::StringRef result = types.size() > 1                     ? types.front()
                                 : bits == 16                         ? type
                                 : bits == 8 && type.starts_with("e") ? "f32"
                                                                      : "s32";
  if (bits != 16 && bits != 8 && bits != 4)
    return Answer::refuse("wmma of gfx12 multiplies elements of 16, 8 or 4 bits");
  auto operand = [&](const char *name, llvm::StringRef type, Along run, const char *letter) {
    const uint32_t bits = bitsOfType(type), inWord = inRegister(bits);
    Layout layout = fragment(name, 16, 16, type, bits, letter, source);
    return layout.count(inWord, Bit, bits, run, 1)
        .count(8 / inWord, Word, 1, run, inWord)
        .count(16, Lane, 1, run == Row ? Column : Row, 1)
        .count(2, Lane, 16, run, 8);
  };
  Answer answer;
  answer.layouts = {operand("A", type, Column, "a"), operand("B", type, Row, "b"), operand("D", result, Row, "d")};
  for (Layout &layout : answer.layouts)
    layout.notes.push_back(layout.name == "D" ? "each lane holds eight neighbours along M; C has the layout of D"
                                              : "each lane holds eight neighbours along K");
  answer.notes.push_back(
      "D has the layout of the transpose of A: a product with the identity transposes a matrix in registers");
  return answer;
}

} // namespace ptxray::layout
