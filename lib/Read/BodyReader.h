#pragma once
// Fills a Body with what the statements of a function show one by one: finds what each name means, has each
// instruction judged, and reports what is wrong with it.
#include "Flow/Body.h"
#include "Module/Gates.h"
#include "Resolve/Resolver.h"
#include "llvm/ADT/DenseMap.h"

namespace ptxray {

/// Holds what a reader fills; the next one fills it again, so that its arrays are made once.
struct BodyRoom {
  Body body;
  std::vector<LocalId> byName; // by NameId: what it means outside of nested blocks; None between functions
};

class BodyReader {
public:
  BodyReader(const Ast &ast, const SourceBuffer &source, Verdicts &verdicts, ModuleState &module, Resolver &resolver,
             DiagnosticSink &sink, BodyRoom &room)
      : ast(ast), source(source), verdicts(verdicts), module(module), resolver(resolver), sink(sink), body(room.body),
        byName(room.byName) {
    body.ast = &ast;
  }

  /// The statements of the function follow in the order of the text; the resolver is ahead of each of them.
  void begin(const Function &function);
  [[gnu::always_inline]] void instruction(const Instruction &instruction) {
    if (!resolver.checkGuard(instruction)) [[unlikely]]
      requireGuard(instruction.guard, instruction.guardRange, module);
    const uint64_t print = resolver.fingerprint(instruction);
    // Mostly all names are plain ones and an equal instruction was judged before: then the opcode is not asked for.
    const Verdict *verdict = verdicts.find(print);
    assert(!verdict || isStillRight(*verdict, instruction));
    if (!verdict || !verdict->plain.known) [[unlikely]]
      unusual(instruction, print);
    else if (!resolver.isInBlock()) [[likely]]
      plain(instruction, *verdict, [this](NameId name, uint8_t uses) { return use(name, uses); });
    else
      plainInBlock(instruction, *verdict);
  }
  /// It is in the body as one that does nothing.
  void passOver();
  void forgetNamesOf(const Instruction &instruction, const Opcode &opcode);
  bool reportForeign(const Instruction &instruction);
  void distrustSemicolon(const Instruction &instruction);
  void broken(const Instruction &instruction);
  void label(uint32_t index);
  void targetFamily(const Operand &target);
  void directive(uint32_t index);
  void declaration(uint32_t index, const Extent &extent);
  /// Good until the resolver leaves the function or another begins.
  const Body &end();

private:
  /// Its values are known only when the whole body is read.
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
  /// Gives what a name outside of nested blocks means.
  LocalId use(NameId name, uint8_t uses) {
    const LocalId known = byName[static_cast<uint32_t>(name)];
    return known != LocalId::None ? known : add(name, uses);
  }
  [[gnu::noinline]] LocalId add(NameId name, uint8_t uses) {
    const LocalId local = append(name, resolver.numberOf(name), uses);
    byName[static_cast<uint32_t>(name)] = local;
    return local;
  }
  /// Adds a name at its first use in the text.
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
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, LocalId> ofBlocks; // by symbol and name
  llvm::SmallVector<Shape, 32> shapes;
  unsigned found = 0; // verdicts, for assertions
  std::vector<Late> late;
  std::vector<Shape> lateShapes;
};

} // namespace ptxray
