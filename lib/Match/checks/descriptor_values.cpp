#include "Descriptor/Descriptor.h"
#include "Isa/Words.h"
#include "Match/Checks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {
namespace {

using descriptor::Offence;
using descriptor::Problem;

/// Returns the value of an operand that is a number, or a register with a known number. For an address, returns the
/// value at the address.
std::optional<uint64_t> valueOf(const FormView &context, llvm::StringRef name) {
  const Shape *shape = context.operand(name);
  if (shape && shape->kind == ShapeKind::Address && shape->extent == 2)
    ++shape;
  if (!shape || (!isNumber(*shape) && !(shape->flags & ShapeKnown)) ||
      (shape->kind == ShapeKind::Register && (shape->flags & ShapeOffset)))
    return std::nullopt;
  return static_cast<uint64_t>(shape->value);
}

Kind kindOf(Offence offence) {
  switch (offence) {
  case Offence::Bits: return Kind::Bits;
  case Offence::Form: return Kind::Form;
  case Offence::Shape: return Kind::Shape;
  case Offence::Transpose: return Kind::Transpose;
  case Offence::Type: return Kind::Type;
  }
  return Kind::Bits;
}

void reportProblems(const FormView &context, llvm::StringRef operand, const descriptor::Format &format, uint64_t value,
                    llvm::ArrayRef<Problem> problems, Judgement &judgement) {
  for (const Problem &problem : problems) {
    if (problem.isPedantic && !context.written.availability.module().pedantic)
      continue;
    Finding &finding =
        judgement.report(Phase::Warning, DiagId::DescriptorValue, context.placeOfOperand(operand), textThere,
                         "0x" + llvm::utohexstr(value, /*LowerCase=*/true), problem.text, problem.table);
    finding.kind = kindOf(problem.offence);
    finding.severity = problem.isPedantic ? Severity::Pedantic : Severity::Warning;
    finding.notes.push_back("it says " + descriptor::summaryOf(format, value));
  }
}

/// Checks an address of tensor memory, which has 128 lanes and 512 columns. A matrix must start at a lane that its
/// shape allows.
void checkTensorAddress(const FormView &context, llvm::StringRef operand, uint32_t laneStep, Judgement &judgement) {
  const auto address = valueOf(context, operand);
  if (!address)
    return;
  const uint32_t lane = *address >> 16 & 0xFFFF, column = *address & 0xFFFF;
  std::string problem;
  if (lane >= 128)
    problem = "lane " + std::to_string(lane) + " of 128";
  else if (column >= 512)
    problem = "column " + std::to_string(column) + " of 512";
  else if (lane % laneStep)
    problem = "lane " + std::to_string(lane) + ", a multiple of " + std::to_string(laneStep) + " expected";
  if (!problem.empty())
    judgement.report(Phase::Warning, DiagId::TensorAddress, context.placeOfOperand(operand), textThere,
                     "0x" + llvm::utohexstr(*address, true), problem);
}

} // namespace

/// Compares the bits of a constant descriptor with the words of the instruction. No table row can express that, because
/// the value must be split into fields.
void checks::descriptor_values(const FormView &context, Judgement &judgement) {
  descriptor::Use use;
  llvm::StringRef kind = context.slotText(".kind");
  kind.consume_front(".kind::");
  use.kind = kind.str();
  use.ctaGroup = context.written.opcode.has(isa::words::cta_group_2) ? 2 : 1;
  use.ws = context.written.opcode.has(isa::words::ws);
  use.sparse = context.written.opcode.has(isa::words::sp);
  const ModuleContext &module = context.written.availability.module();
  if (module.target != anyTarget)
    use.family = descriptor::familyOf(isa::tables().targets[module.target].number);
  if (context.written.opcode.has(isa::words::block_scale)) {
    llvm::StringRef size = context.slotText(".scale_vectorsize");
    size.consume_front(".");
    size.consume_front("scale_vec::");
    use.scaleVectors = descriptor::scaleVectors(size.empty() ? "block32" : size, kind);
  }
  const auto instruction = valueOf(context, "idesc");
  use.a = valueOf(context, "a-desc");
  use.b = valueOf(context, "b-desc");
  use.instruction = instruction;
  if (const descriptor::Format *format = instruction ? descriptor::findFormat("idesc", use.kind, use.family) : nullptr)
    reportProblems(context, "idesc", *format, *instruction, descriptor::checkInstruction(*instruction, use), judgement);
  const descriptor::Format &shared = *descriptor::findFormat("smem", "", use.family);
  for (const char *name : {"a-desc", "b-desc", "s-desc"})
    if (const auto value = valueOf(context, name)) {
      use.isA = name[0] == 'a';
      use.isB = name[0] == 'b';
      reportProblems(context, name, shared, *value, descriptor::checkShared(*value, use), judgement);
    }
  if (const auto value = valueOf(context, "zero-column-mask-desc")) {
    const descriptor::Format *format = instruction ? descriptor::findFormat("idesc", use.kind, use.family) : nullptr;
    std::optional<uint32_t> m;
    if (format)
      m = format->get(*instruction, "m");
    reportProblems(context, "zero-column-mask-desc", *descriptor::findFormat("zero-mask", ""), *value,
                   descriptor::checkZeroMask(*value, m), judgement);
  }
  // If M is 64, or 128 for a sparse A of two CTAs, half of the lanes are used, from lane 0 or 16.
  for (const char *name : {"d-tmem", "a-tmem"})
    checkTensorAddress(context, name, 16, judgement);
}

/// Checks a lane. A load or store covers 32 or 16 lanes from an aligned lane; a shift moves 32.
void checks::tensor_address(const FormView &context, Judgement &judgement) {
  checkTensorAddress(
      context, "taddr",
      context.wordOf(".shape") == isa::words::_32x32b || context.written.opcode.has(isa::words::shift) ? 32 : 16,
      judgement);
}

/// Checks indices of sparse metadata. The four bits of each index name two different columns out of four, or for .tf32
/// one out of two.
void checks::sparse_metadata(const FormView &context, Judgement &judgement) {
  for (const char *name : {"e", "any-bits", "sp-meta"})
    if (const auto value = valueOf(context, name)) {
      const unsigned bits = context.wordOf(".atype") == isa::words::tf32 ? 32 : 16;
      for (unsigned i = 0; i < 8; ++i) {
        const unsigned index = *value >> 4 * i & 15;
        if (descriptor::isSparseIndex(index, bits, context.written.opcode.has(isa::words::sp_ordered_metadata)))
          continue;
        std::string text = "0b";
        for (int bit = 3; bit >= 0; --bit)
          text += index >> bit & 1 ? '1' : '0';
        judgement.report(Phase::Warning, DiagId::SparseMetadata, context.placeOfOperand(name), textThere,
                         "0x" + llvm::utohexstr(*value, true), text,
                         std::to_string(4 * i) + "-" + std::to_string(4 * i + 3));
        break;
      }
    }
}

} // namespace ptxray
