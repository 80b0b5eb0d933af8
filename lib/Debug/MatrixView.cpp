#include "Debug/MatrixView.h"
#include "Debug/Places.h"
#include "Layout/Instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

namespace ptxray::machine::debug {

/// Returns the format of elements, according to the layout's description: `16x8 of .f16`.
static ByteFormat formatOfElements(const layout::Layout &layout) {
  const llvm::StringRef type = llvm::StringRef(layout.what).rsplit("of .").second.split(' ').first;
  ByteFormat format;
  if (const std::optional<ByteFormat> known = formatNamed(type); known && known->how == ByteFormat::How::Float)
    return *known;
  format.how = type.starts_with("s")   ? ByteFormat::How::Signed
               : type.starts_with("u") ? ByteFormat::How::Unsigned
                                       : ByteFormat::How::Hex;
  format.bits = layout.elementBits;
  return format;
}

/// Returns the registers of an operand in order; empty if it has none.
static std::vector<std::string> registersIn(const Program &program, const CodePlace &at, llvm::StringRef operand) {
  const Ast &ast = program.module->ast();
  const Instruction &instruction = instructionAt(program, at);
  const llvm::ArrayRef<Operand> nodes = ast.operandsOf(instruction.operands);
  const FormMatch *match = functionOf(program, at).body->verdicts[at.instruction]->match;
  std::optional<unsigned> index = match ? match->findOperand(operand) : std::nullopt;
  int node = index ? match->nodeOf[*index] : -1;
  if (operand == "matrix" || operand == "fragment") // the only operand that is written in braces
    node = static_cast<int>(std::distance(
        nodes.begin(), llvm::find_if(nodes, [](const Operand &one) { return one.kind == OperandKind::Vector; })));
  std::vector<std::string> names;
  if (node < 0 || static_cast<size_t>(node) >= nodes.size())
    return names;
  const auto &first = nodes[static_cast<size_t>(node)];
  for (const Operand &one : nodes.slice(static_cast<size_t>(node), first.extent))
    if (one.kind == OperandKind::Name)
      names.push_back(ast.text(one.name).str());
  return names;
}

/// Returns the bits of a register in a lane of the warp or warpgroup that begins with `firstWarp`. Returns nothing if
/// the warp or lane does not exist at this time.
static std::optional<uint64_t> bitsOf(const Debugger &session, const FunctionCode &code, uint32_t firstWarp,
                                      uint32_t lane, llvm::StringRef name) {
  for (const auto &[local, place] : code.named) {
    if (!code.body->isRegister(local) || code.body->text(local) != name)
      continue;
    WatchedBytes sought;
    sought.where = WatchedBytes::Where::Register;
    sought.of = {session.focus.warp.block, firstWarp + lane / warpSize};
    sought.lane = lane % warpSize;
    sought.address = place.slot;
    sought.function = code.number;
    sought.bytes = place.bits / 8;
    const std::vector<uint8_t> bytes = bytesNow(session.grid(), sought);
    uint64_t bits = 0;
    if (bytes.empty() || bytes.size() > sizeof bits)
      return std::nullopt;
    std::memcpy(&bits, bytes.data(), bytes.size());
    return bits;
  }
  return std::nullopt;
}

Expected<MatrixView> matrixOf(const Debugger &session, const CodePlace &at, llvm::StringRef operand,
                              std::optional<ByteFormat> format) {
  const FunctionCode &code = functionOf(session.program(), at);
  layout::Request request;
  request.instruction = code.body->verdicts[at.instruction]->opcode->spelling;
  const layout::Answer answer = layout::describe(request);
  const auto isWanted = [&](const layout::Layout &one) {
    return one.store == layout::Store::Registers &&
           llvm::StringRef(one.name).equals_insensitive(operand == "c" ? "d" : operand);
  };
  const auto found = llvm::find_if(answer.layouts, isWanted);
  const std::vector<std::string> registers = registersIn(session.program(), at, operand);
  if (found == answer.layouts.end() || registers.empty()) {
    std::string names;
    for (const layout::Layout &one : answer.layouts)
      if (one.store == layout::Store::Registers)
        names += (names.empty() ? "" : ", ") + llvm::StringRef(one.name).lower();
    if (names.empty())
      return Problem{"the instruction has no register matrix with a known layout"};
    return Problem{"`" + operand.str() + "` does not name a matrix in registers of the instruction; there are " +
                   names};
  }
  const layout::Layout &layout = *found;
  const ByteFormat shown = format.value_or(formatOfElements(layout));
  const uint32_t perGroup = layout::size(layout, layout::Lane) / warpSize;
  const uint32_t firstWarp = session.focus.warp.warp / std::max(1u, perGroup) * std::max(1u, perGroup);
  MatrixView view;
  view.title = (operand == "c" ? "C" : layout.name) + ", " + layout.what;
  const uint32_t matrices = layout::size(layout, layout::Matrix);
  view.rows = layout::size(layout, layout::Row) * matrices;
  view.columns = layout::size(layout, layout::Column);
  for (uint32_t row = 0; row < view.rows; ++row)
    for (uint32_t column = 0; column < view.columns; ++column) {
      const uint32_t height = view.rows / matrices;
      const auto places = layout::placesOf(layout, {row % height, column, row / height});
      std::optional<uint64_t> bits;
      if (!places.empty() && places[0][layout::Word] < registers.size())
        bits = bitsOf(session, code, firstWarp, places[0][layout::Lane], registers[places[0][layout::Word]]);
      if (bits)
        bits = *bits >> places[0][layout::Bit] & llvm::maskTrailingOnes<uint64_t>(layout.elementBits);
      view.cells.push_back(bits ? numberText(*bits, shown) : "?");
    }
  return view;
}

} // namespace ptxray::machine::debug
