#pragma once
// Builds a Body from the statements of a function, one by one. Resolves each name, checks each instruction, and reports
// its errors.
#include "Flow/Body.h"
#include "Module/Gates.h"
#include "Resolve/Resolver.h"
#include "llvm/ADT/DenseMap.h"

namespace ptxray {

/// The data that a reader fills. It is reused for the next body, so that its arrays are allocated once.
struct BodyRoom {
  Body body;
  std::vector<LocalId> byName; // indexed by NameId: its meaning outside of nested blocks; None between functions
};

class BodyReader {
public:
  BodyReader(const Ast &ast, const SourceBuffer &source, Verdicts &verdicts, ModuleState &module, Resolver &resolver,
             DiagnosticSink &sink, BodyRoom &room)
      : ast(ast), source(source), verdicts(verdicts), module(module), resolver(resolver), sink(sink), body(room.body),
        byName(room.byName) {
    body.ast = &ast;
  }

  /// Begins a function. Its statements must follow in source order; the resolver must process each of them first.
  void begin(const Function &function);
  [[gnu::always_inline]] void instruction(const Instruction &instruction) {
    if (!resolver.checkGuard(instruction)) [[unlikely]]
      requireGuard(instruction.guard, instruction.guardRange, module);
    const uint64_t print = resolver.fingerprint(instruction);
    // Usually all names are plain, and an equal instruction was already checked, so that the opcode is not needed.
    const Verdict *verdict = verdicts.find(print);
    assert(!verdict || isStillRight(*verdict, instruction));
    if (!verdict || !verdict->plain.known) [[unlikely]]
      unusual(instruction, print);
    else if (!resolver.isInBlock()) [[likely]]
      plain(instruction, *verdict, [this](NameId name, uint8_t uses) { return use(name, uses); });
    else
      plainInBlock(instruction, *verdict);
  }
  /// Adds an instruction without any effect.
  void passOver();
  void forgetNamesOf(const Instruction &instruction, const Opcode &opcode);
  bool reportForeign(const Instruction &instruction);
  void distrustSemicolon(const Instruction &instruction);
  void broken(const Instruction &instruction);
  void label(uint32_t index);
  void targetFamily(const Operand &target);
  void directive(uint32_t index);
  void declaration(uint32_t index, const Extent &extent);
  /// Ends the function. The body is valid until the resolver leaves the function or another one begins.
  const Body &end();

private:
  /// An instruction whose values are known only at the end of the body.
  struct Late {
    uint32_t number;
    Slice shapes;
  };

  template <typename Use>
  [[gnu::always_inline]] void plain(const Instruction &instruction, const Verdict &verdict, Use use) {
    const NameId *name = ast.operandNames.data() + instruction.names.first;
    LocalId *local = body.names.data() + (instruction.names.first - body.firstName);
    uint8_t *uses = body.uses.data() + (instruction.names.first - body.firstName);
    for (uint32_t i = 0, count = instruction.names.count; i < count; ++i) {
      uses[i] = verdict.plain.uses[i];
      local[i] = use(name[i], uses[i]);
    }
    if (instruction.guard != NameId::None)
      local[-1] = use(instruction.guard, Reads);
    body.definitions.note({local, instruction.names.count}, verdict.plain.uses.data(), body.size());
    if (verdict.plain.noted)
      note(body.size(), verdict.plain.noted);
    body.verdicts.push_back(&verdict);
  }
  [[gnu::always_inline]] void note(uint32_t number, uint8_t noted) {
    if (noted & NotedAccess)
      body.accessing.push_back(number);
    if (noted & NotedJoint)
      body.joint.push_back(number);
    if (noted & NotedNumber)
      body.numeric.push_back(number);
    if (noted & NotedOther)
      body.notable.push_back(number);
  }
  /// Returns the meaning of a name outside of nested blocks.
  LocalId use(NameId name, uint8_t uses) {
    const LocalId known = byName[static_cast<uint32_t>(name)];
    return known != LocalId::None ? known : add(name, uses);
  }
  [[gnu::noinline]] LocalId add(NameId name, uint8_t uses) {
    const LocalId local = append(name, resolver.numberOf(name), uses);
    byName[static_cast<uint32_t>(name)] = local;
    return local;
  }
  /// Adds a name at its first use in the source.
  [[gnu::always_inline]] LocalId append(NameId name, uint32_t symbol, uint8_t uses) {
    const auto local = static_cast<LocalId>(body.locals.size());
    body.locals.push_back({name, symbol, symbol ? nullptr : isa::findSpecialRegister(ast.text(name))});
    body.definitions.addName();
    if (uses & Reads)
      body.readFirst.push_back(local);
    return local;
  }
  LocalId useAnywhere(NameId name, uint8_t uses) {
    return resolver.isInBlock() ? useInBlock(name, uses) : use(name, uses);
  }
  LocalId useInBlock(NameId name, uint8_t uses);
  void plainInBlock(const Instruction &instruction, const Verdict &verdict);
  bool isStillRight(const Verdict &verdict, const Instruction &instruction);
  [[gnu::noinline]] void unusual(const Instruction &instruction, uint64_t print);
  void append(const Instruction &instruction, const Verdict &verdict);
  bool callsQuiet(llvm::ArrayRef<Operand> nodes, const Verdict &verdict) const;
  bool isMissingSemicolon(const Instruction &instruction);
  bool hasTooManyOperands(const Instruction &instruction);
  void setUses(uint32_t number, const Verdict &verdict);
  void judgeLate();
  void clearNotes();
  using FindSymbol = llvm::function_ref<const Symbol *(NameId)>;
  InstructionSite siteOf(const Instruction &instruction, FindSymbol find);

  const Ast &ast;
  const SourceBuffer &source;
  Verdicts &verdicts;
  ModuleState &module;
  Resolver &resolver;
  DiagnosticSink &sink;

  Body &body;
  std::vector<LocalId> &byName;
  size_t reportsBefore = 0;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, LocalId> ofBlocks; // keyed by symbol and name
  llvm::SmallVector<Shape, 32> shapes;
  unsigned found = 0; // number of cached verdicts, for assertions
  std::vector<Late> late;
  std::vector<Shape> lateShapes;
};

} // namespace ptxray
