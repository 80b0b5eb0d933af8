#pragma once
// What can be said of a function only as a whole: which registers are never written, where control
// ends, what it uses of the module.
#include "Match/Match.h"
#include "Module/Limits.h"
#include "Module/ModuleRules.h"
#include "Resolve/Resolver.h"
#include "llvm/ADT/DenseMap.h"

namespace ptxray {

class BodyChecker {
public:
  BodyChecker(const Ast &ast, const ModuleContext &context, const CheckOptions &options, ModuleRules &rules,
              Resolver &resolver, DiagnosticSink &sink)
      : ast(ast), context(context), options(options), rules(rules), resolver(resolver), sink(sink) {}

  void begin(const Function &function);
  void instruction(const Instruction &instruction, const Usage &usage);
  /// The same of one outside of nested blocks.
  void plain(const Instruction &instruction, const PlainUses &names, const Usage &usage) {
    const NameId *name = ast.operandNames.data() + instruction.names.first;
    NameId *end = touched.data() + touchedCount;
    for (uint32_t i = 0, count = instruction.names.count; i < count; ++i)
      end = mark(name[i], names.uses[i], uses.data(), end);
    if (instruction.guard != NameId::None)
      end = mark(instruction.guard, Reads, uses.data(), end);
    touchedCount = end - touched.data();
    append(instruction, usage);
  }
  void label(const Label &label);
  void directive(const Directive &directive);
  void declaration(const Declaration &declaration);
  FunctionSummary end(const Function &function);

private:
  static constexpr uint8_t WritesAgain = 64;

  /// At its first use the register goes behind those that are touched; gives their new end.
  static NameId *mark(NameId reg, uint8_t use, uint8_t *uses, NameId *end) {
    static_assert(Writes << 5 == WritesAgain);
    uint8_t &all = uses[static_cast<size_t>(reg)];
    const uint8_t before = all;
    all = before | use | (before & use & Writes) << 5;
    *end = reg;
    return end + (before == 0);
  }
  void mark(NameId reg, uint8_t use) {
    touchedCount = mark(reg, use, uses.data(), touched.data() + touchedCount) - touched.data();
  }
  void append(const Instruction &instruction, const Usage &usage) {
    sequence.push_back(&usage);
    if (isEmpty)
      beginSegment(instruction);
    isOpen = true;
  }
  void resizeUses(size_t registers);
  llvm::ArrayRef<NameId> registers() const { return llvm::ArrayRef(touched).take_front(touchedCount); }
  Range lastStatement(const Function &function) const;
  uint8_t usesOf(NameId reg) const {
    return static_cast<size_t>(reg) < uses.size() ? uses[static_cast<size_t>(reg)] : 0;
  }
  NameId registerAt(NameId name, Range place);
  NameId knownRegisterAt(NameId name, Range place) const;
  bool use(const Instruction &instruction, const Usage &usage);
  bool isUnwritten(NameId reg) const;
  void access(const Operand &operand, const Access &one, bool isLoad, bool isGuarded);
  void branch(const Operand &target);
  void effects(const Instruction &instruction, const Usage &usage);
  void registerCount(const Function &function);
  void flow(const Function &function);
  void unwritten(const Function &function);

  const Ast &ast;
  const ModuleContext context;
  const CheckOptions &options;
  ModuleRules &rules;
  Resolver &resolver;
  DiagnosticSink &sink;

  std::vector<uint8_t> uses;   // by register, of the function at hand
  std::vector<NameId> touched; // registers with uses: the first `touchedCount`
  size_t touchedCount = 0;
  llvm::DenseMap<uint32_t, NameId> ofBlocks;          // registers of nested blocks, by the places where they are used
  std::vector<FunctionSummary::Reference> references; // to functions and variables
  std::vector<const Usage *> sequence;
  uint32_t firstInstruction = 0;
  FunctionSummary summary;
  Range registerCountAt; // the first instruction that changes the number of registers

  void beginSegment(const Instruction &instruction);
  /// Instructions behind one where control ends, up to the next such.
  struct Segment {
    Range first;          // its first instruction
    uint32_t labels = 0;  // into `segmentLabels`: the first of it
    uint32_t leading = 0; // as many of them stand before the first instruction
  };
  std::vector<Segment> segments;
  std::vector<NameId> segmentLabels;
  size_t reportsBefore = 0;
  bool isOpen = true;  // control can come to the end of the last segment
  bool isEmpty = true; // it has no instruction yet
};

} // namespace ptxray
