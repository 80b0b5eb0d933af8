// Caches verdicts, so that equal instructions are judged once.
#include "Match/BestForm.h"
#include "Match/Match.h"
#include "Resolve/Fingerprint.h"
#include "llvm/ADT/STLExtras.h"
#include <bit>
#include <cassert>

namespace ptxray {

uint64_t fingerprint(const Instruction &instruction, const Opcode &opcode, llvm::ArrayRef<Operand> nodes,
                     llvm::ArrayRef<Shape> shapes) {
  Fingerprint whole(instruction.print);
  for (const auto &[node, shape] : llvm::zip(nodes, shapes)) {
    const bool valueCounts = shape.kind == ShapeKind::Special || (opcode.readsValues && shape.flags & ShapeKnown);
    if (node.kind == OperandKind::Name || shape.suffix)
      whole.add(declaredPrint(shape) + (valueCounts ? valuePrint(shape.value) : 0));
  }
  return opcode.readsValues ? withValues(whole.value(), nodes) : whole.value();
}

uint64_t withValues(uint64_t fingerprint, llvm::ArrayRef<Operand> nodes) {
  Fingerprint whole(fingerprint);
  for (const Operand &node : nodes)
    if (node.kind == OperandKind::Integer || node.kind == OperandKind::Float)
      whole.add(valuePrint(node.value));
  return whole.value();
}

const Opcode &Opcodes::add(const Ast &ast, SpellingId spelling) {
  const auto id = static_cast<size_t>(spelling);
  if (id >= bySpelling.size())
    bySpelling.resize(id + id / 2 + 64);
  bySpelling[id] = std::make_unique<Opcode>(ast.text(spelling));
  return *bySpelling[id];
}

Verdicts &Knowledge::verdictsFor(const ModuleContext &module) {
  ModuleContext anywhere = module; // a verdict does not depend on the place of the header
  anywhere.version = anywhere.targetName = {};
  const Key key(module.ptx, module.target, module.arch, module.pedantic, module.independent);
  return byModule.try_emplace(key, anywhere, opcodes, budget).first->second;
}

size_t Knowledge::size() const {
  constexpr size_t perModule = 32;
  size_t size = 0;
  for (const auto &[key, verdicts] : byModule)
    size += verdicts.size() + perModule;
  return size;
}

void AdviceBudget::begin(size_t bytes) {
  constexpr uint64_t least = 120'000, perByte = 10; // these take 0.14 s, and 0.12 s for 10 KB
  left = least + perByte * bytes;
  ++text;
}

/// Judges an instruction. If the budget is used up and no form accepts it, does so in a cheaper way.
Judged Verdicts::judged(const WrittenInstruction &written) const {
  if (budget.left || isAccepted(written))
    return judge(written);
  availability.isFrugal = true;
  Judged judged = judge(written);
  availability.isFrugal = false;
  return judged;
}

void Verdicts::adviseOn(Verdict &verdict, std::vector<Finding> found, uint64_t trials) {
  verdict.text = budget.text;
  const std::vector<Finding> *&kept = budget.left ? verdict.advised : verdict.bare;
  if (!kept) {
    advise(found, {*verdict.opcode, verdict.shapes, availability}, /*isBare=*/!budget.left);
    if (budget.left)
      verdict.trials = availability.trials - trials;
    kept = &findings.emplace_back(std::move(found));
  }
  verdict.findings = kept;
  // Advice uses the same part of the budget, whether or not an earlier text had the instruction.
  budget.left -= std::min(budget.left, verdict.trials);
}

void Verdicts::growMemo() {
  assert(std::has_single_bit(memo.size()) && "places are found by the bits of a fingerprint");
  std::vector<Known> old(memo.size() * 2);
  old.swap(memo);
  for (const Known &known : old)
    if (known.verdict)
      memo[placeOf(known.fingerprint)] = known;
}

bool Verdicts::isStillRight(const Verdict &verdict, const Opcode &opcode, llvm::ArrayRef<Shape> shapes) const {
  const WrittenInstruction written{opcode, shapes, availability};
  Judged judged = judge(written);
  if (verdict.advised)
    advise(judged.findings, written);
  const bool same = verdict.advised ? *verdict.advised == judged.findings : verdict.bare || judged.findings.empty();
  return same && *verdict.facts == judged.facts;
}

const Verdict &Verdicts::of(const Opcode &opcode, const Instruction &instruction, llvm::ArrayRef<Operand> nodes,
                            llvm::ArrayRef<Shape> shapes) {
  assert(nodes.size() == shapes.size() && "each operand has a shape");
  const uint64_t print = fingerprint(instruction, opcode, nodes, shapes);
  if (Verdict *const known = memo[placeOf(print)].verdict) {
    if (known->findings && known->text != budget.text) {
      const bool isKnown = budget.left ? known->advised : known->bare;
      const uint64_t before = availability.trials;
      adviseOn(*known, isKnown ? std::vector<Finding>() : judged({opcode, known->shapes, availability}).findings,
               before);
    }
    return *known;
  }
  Verdict &verdict = verdicts.emplace_back();
  if (verdicts.size() * 2 >= memo.size())
    growMemo();
  memo[placeOf(print)] = {print, &verdict};
  verdict.opcode = &opcode;
  verdict.shapes = shapes.copy(shapesOfVerdicts);
  const WrittenInstruction written{opcode, shapes, availability};
  const uint64_t before = availability.trials;
  Judged judged = this->judged(written);
  const Facts &facts = allFacts.emplace_back(std::move(judged.facts));
  verdict.facts = &facts;
  if (judged.match)
    verdict.match = &matches.emplace_back(std::move(*judged.match));
  if (!judged.findings.empty())
    adviseOn(verdict, std::move(judged.findings), before);
  else if (!opcode.readsRegisters && !opcode.mayCall)
    verdict.plain = plainUses(facts, nodes);
  return verdict;
}

} // namespace ptxray
