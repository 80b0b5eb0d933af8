#include "Resolve/Resolver.h"
#include "Diagnostics/Nearest.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "Resolve/Fingerprint.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace ptxray {

isa::WordId WordsOfSpellings::find(const Ast &ast, SpellingId spelling) {
  if (spelling == SpellingId::None)
    return 0;
  const auto index = static_cast<size_t>(spelling);
  if (index >= known.size())
    known.resize(std::max(index + 1, known.size() * 2), -1);
  const isa::WordId word = isa::findWord(ast.text(spelling));
  known[index] = word;
  return word;
}

const isa::Directive *WordsOfSpellings::findDirective(const Ast &ast, SpellingId spelling) {
  if (spelling == SpellingId::None)
    return nullptr;
  const auto index = static_cast<size_t>(spelling);
  if (index >= directives.size())
    directives.resize(std::max(index + 1, directives.size() * 2));
  directives[index] = isa::findDirective(ast.text(spelling).split('[').first); // `.const` for `.const[3]`
  return *directives[index];
}

const isa::SpecialRegister *Resolver::special(NameId name) {
  if (!ast.text(name).starts_with("%")) // all special registers begin with it
    return nullptr;
  auto [entry, isNew] = specials.try_emplace(static_cast<uint32_t>(name), nullptr);
  if (isNew)
    entry->second = isa::findSpecialRegister(ast.text(name));
  return entry->second;
}

Extent Resolver::declare(const Declaration &declaration, DeclarationRole role) {
  const Extent extent = extentOf(declaration);
  if (declaration.name == NameId::None)
    return extent;
  llvm::StringRef space = ast.text(declaration.space);
  Symbol symbol;
  symbol.kind = space == ".reg" ? SymbolKind::Register : SymbolKind::Variable;
  hasRegisters |= symbol.kind == SymbolKind::Register;
  symbol.type = word(declaration.type);
  symbol.space = space.starts_with(".const[") ? isa::words::const_ : word(declaration.space);
  symbol.isParameter = role == DeclarationRole::Input;
  symbol.isReturn = role == DeclarationRole::Return;
  if (space == ".tex") // before PTX 1.5, a texture was an integer in a space of its own
    symbol.type = isa::words::texref;
  symbol.nameRange = declaration.nameRange;
  symbol.familyCount = declaration.count;
  symbol.extent = extent;
  if (isa::WordId vector = word(declaration.vector)) // in a faulty text, a word without a number, or with a large one
    symbol.shape.vector = static_cast<uint8_t>(std::clamp<int32_t>(isa::word(vector).number, 0, UINT8_MAX));
  setShape(symbol);

  // `%r[64]` is no valid declaration, but means the registers of `%r<64>`.
  if (symbol.kind == SymbolKind::Register && extent.isArray && role == DeclarationRole::Local && current) {
    Symbol family = symbol;
    family.extent = {};
    family.familyCount = static_cast<uint32_t>(std::clamp<int64_t>(ast.dims[declaration.dims.first], 0, UINT32_MAX));
    setShape(family);
    scopes.declareFamily(declaration.name, family);
  }
  const Symbol *clash = declaration.isParameterised ? scopes.declareFamily(declaration.name, symbol)
                                                    : scopes.declare(declaration.name, symbol);
  if (clash && role != DeclarationRole::Global)
    sink.report(DiagId::DuplicateDefinition, declaration.nameRange, ast.text(declaration.name))
        .notes.push_back({"declared here before", clash->nameRange});
  return extent;
}

/// Returns whether a name must be declared before its use, unlike a label.
static bool countsFromItsPlace(ShapeKind kind) { return kind == ShapeKind::Prototype || kind == ShapeKind::Function; }

/// Computes the shape and its fingerprint from the other members of the symbol.
void Resolver::setShape(Symbol &symbol) {
  Shape &shape = symbol.shape;
  shape.type = symbol.type;
  switch (symbol.kind) {
  case SymbolKind::Register:
    // A type that no register can have is reported. Such a register fits everywhere.
    shape.kind = symbol.type && isa::word(symbol.type).declarable != isa::Declarable::OfInstructions &&
                         isa::word(symbol.type).declarable != isa::Declarable::Never
                     ? ShapeKind::Register
                     : ShapeKind::Unknown;
    symbol.isPredicate = isa::word(symbol.type).typeKind == isa::TypeKind::Predicate;
    break;
  case SymbolKind::Variable:
    shape.kind = ShapeKind::Variable;
    shape.space = symbol.space;
    if (symbol.type && isa::word(symbol.type).typeKind == isa::TypeKind::Opaque)
      shape.flags |= ShapeOpaque;
    if (symbol.isParameter)
      shape.flags |= ShapeParameter;
    if (symbol.isReturn)
      shape.flags |= ShapeReturn;
    if (symbol.extent.isArray)
      shape.flags |= ShapeArray;
    break;
  case SymbolKind::Label: shape.kind = ShapeKind::Label; break;
  case SymbolKind::Function: shape.kind = ShapeKind::Function; break;
  case SymbolKind::Prototype:
  case SymbolKind::CallTargets:
  case SymbolKind::BranchTargets: shape.kind = ShapeKind::Prototype; break;
  }
  symbol.print = countsFromItsPlace(shape.kind) ? 0 : declaredPrint(shape);
}

Extent Resolver::extentOf(const Declaration &declaration) {
  uint64_t bits = 0;
  if (isa::WordId type = word(declaration.type))
    bits = isa::word(type).bits;
  if (isa::WordId vector = word(declaration.vector))
    bits *= static_cast<uint64_t>(std::max(1, isa::word(vector).number));
  Extent extent;
  extent.bytes = std::max<uint64_t>(1, bits / 8);
  // `.align` can only increase the alignment of the type.
  extent.align = std::max<uint64_t>(extent.bytes, std::max<int64_t>(declaration.align, 0));
  extent.isArray = declaration.dims.count > 0;
  for (uint32_t i = declaration.dims.first; i < declaration.dims.end(); ++i)
    extent.bytes = ast.dims[i] == -1 ? 0 : llvm::SaturatingMultiply(extent.bytes, static_cast<uint64_t>(ast.dims[i]));
  return extent;
}

void Resolver::declareFunction(uint32_t index) {
  const Function &function = ast.functions[index];
  Symbol symbol;
  symbol.kind = SymbolKind::Function;
  symbol.index = index;
  symbol.nameRange = function.nameRange;
  setShape(symbol);
  scopes.declare(function.name, symbol); // a prototype and its definition share the name
}

/// Returns whether the current kernel has the directive. Functions may rely on the directive of a calling kernel.
bool Resolver::hasDirective(llvm::StringRef directive) {
  if (!current || current->kind != FunctionKind::Entry)
    return true;
  for (uint32_t i = current->directives.first; i < current->directives.end(); ++i)
    if (ast.text(ast.directives[i].name) == directive)
      return true;
  return false;
}

void Resolver::beginFunction(const Function &function) {
  current = &function;
  collectLabels(function);
  scopes.enter();
  blocks = 0;
  for (uint32_t i = function.returns.first; i < function.returns.end(); ++i)
    declare(ast.declarations[i], DeclarationRole::Return);
  for (uint32_t i = function.parameters.first; i < function.parameters.end(); ++i)
    declare(ast.declarations[i], DeclarationRole::Input);
  declareLabelsOf(0);
}

void Resolver::endFunction() {
  finishUnknown();
  current = nullptr;
  while (scopes.depth() > 0)
    scopes.leave();
}

void Resolver::beginBlock() {
  scopes.enter();
  declareLabelsOf(++blocks);
}

void Resolver::endBlock() {
  if (scopes.depth() > 1)
    scopes.leave();
}

/// Collects the labels of a block, which can be used before their definition, but only in the block.
void Resolver::collectLabels(const Function &function) {
  labels.clear();
  nextLabel = 0;
  uint32_t block = 0, opened = 0;
  llvm::SmallVector<uint32_t, 8> outer;
  auto add = [&](SymbolKind kind, NameId name, Range range, uint32_t index) {
    labels.push_back({block, name, kind, index, range});
  };
  for (uint32_t i = function.body.first; i < function.body.end(); ++i) {
    const Statement statement = ast.statements[i];
    if (statement.kind == StatementKind::Instruction)
      continue;
    switch (statement.kind) {
    case StatementKind::BlockBegin:
      outer.push_back(block);
      block = ++opened;
      break;
    case StatementKind::BlockEnd:
      if (!outer.empty())
        block = outer.pop_back_val();
      break;
    case StatementKind::Label:
      add(SymbolKind::Label, ast.labels[statement.index].name, ast.labels[statement.index].range, statement.index);
      break;
    case StatementKind::Directive:
      if (const Directive &directive = ast.directives[statement.index]; directive.label != NameId::None)
        add(ast.text(directive.name) == ".calltargets" ? SymbolKind::CallTargets : SymbolKind::BranchTargets,
            directive.label, directive.range, statement.index);
      break;
    case StatementKind::Function:
      if (ast.functions[statement.index].kind == FunctionKind::Func) { // belongs to the module
        declareFunction(statement.index);
        break;
      }
      add(SymbolKind::Prototype, ast.functions[statement.index].name, ast.functions[statement.index].nameRange,
          statement.index);
      break;
    default: break;
    }
  }
  if (opened)
    llvm::stable_sort(labels, [](const BlockLabel &a, const BlockLabel &b) { return a.block < b.block; });
}

void Resolver::declareLabelsOf(uint32_t block) {
  for (; nextLabel < labels.size() && labels[nextLabel].block == block; ++nextLabel) {
    const BlockLabel &label = labels[nextLabel];
    Symbol symbol;
    symbol.kind = label.kind;
    symbol.nameRange = label.range;
    symbol.index = label.index;
    setShape(symbol);
    if (const Symbol *clash = scopes.declare(label.name, symbol))
      sink.report(DiagId::DuplicateDefinition, label.range, ast.text(label.name))
          .notes.push_back({"declared here before", clash->nameRange});
  }
}

static constexpr Shape plainShape(ShapeKind kind) {
  Shape shape;
  shape.kind = kind;
  return shape;
}

static constexpr Shape shapeOfKind[] = {
    plainShape(ShapeKind::Unknown), // a name, whose declaration determines the shape
    plainShape(ShapeKind::Integer), plainShape(ShapeKind::Float),  plainShape(ShapeKind::Invalid),
    plainShape(ShapeKind::Sink),    plainShape(ShapeKind::Vector), plainShape(ShapeKind::Address),
    plainShape(ShapeKind::List),    plainShape(ShapeKind::Pair),   plainShape(ShapeKind::Invalid)};
static_assert(std::size(shapeOfKind) == static_cast<size_t>(OperandKind::Invalid) + 1);

Shape Resolver::shapeOf(const Operand &operand) {
  Shape shape;
  if (operand.kind == OperandKind::Name) {
    const Symbol *symbol = scopes.find(operand.name);
    const bool isUsual = symbol && !countsFromItsPlace(symbol->shape.kind) && operand.suffix == SpellingId::None;
    shape = isUsual ? symbol->shape : unusualName(operand, symbol);
  } else {
    shape = shapeOfKind[static_cast<size_t>(operand.kind)];
    if (operand.suffix != SpellingId::None)
      shape.suffix = suffixWord(operand.suffix);
  }
  if (operand.extent != 1)
    shape.extent = static_cast<uint16_t>(std::min<uint32_t>(operand.extent, UINT16_MAX));
  if (operand.flags & ShapeWritten)
    shape.flags |= operand.flags & ShapeWritten;
  if (shape.kind != ShapeKind::Special) // for these, it identifies the special register
    shape.value = operand.value;
  return shape;
}

void Resolver::shapes(Slice operands, llvm::SmallVectorImpl<Shape> &out) {
  const llvm::ArrayRef<Operand> nodes = ast.operandsOf(operands);
  out.clear();
  for (const Operand &node : nodes)
    out.push_back(shapeOf(node));
}

/// Returns the fingerprint of an instruction with new names, or names other than plain registers.
uint64_t Resolver::fingerprintOfNew(const Instruction &instruction) {
  Fingerprint whole(instruction.print);
  for (uint32_t i = instruction.names.first; i < instruction.names.end(); ++i) {
    const Symbol *symbol = scopes.find(ast.operandNames[i]);
    if (!symbol || !symbol->print)
      return 0;
    whole.add(symbol->print);
  }
  return whole.value();
}

isa::WordId Resolver::suffixWord(SpellingId suffix) {
  if (suffix == SpellingId::None)
    return 0;
  isa::WordId id = word(suffix);
  return id ? id : badSuffix;
}

/// Returns whether a suffix is one of `.x .y .z .w`, or of their names as colours.
static bool isComponent(llvm::StringRef suffix) {
  return suffix.size() == 2 && llvm::StringRef("xyzwrgba").contains(suffix[1]);
}

/// Returns whether a line with a syntax error contains the name, or its family such as `%r<`, and may have declared it.
bool Resolver::isLost(llvm::StringRef name) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; };
  auto wordAt = [&](llvm::StringRef line) {
    const size_t sigil = line.starts_with("%");
    return line.take_front(sigil + line.drop_front(sigil).take_while(isPart).size());
  };
  for (; lostRead < ast.lost.size(); ++lostRead) {
    llvm::StringRef line = ast.lost[lostRead].trim();
    // A declaration contains a word that begins with a dot, such as `.reg`. Instructions do not, and labels come first.
    if (!line.starts_with(".") && !line.contains(" .") && !line.contains("\t.")) {
      lostNames.insert(wordAt(line));
      continue;
    }
    while (!line.empty()) {
      const llvm::StringRef word = wordAt(line);
      const bool isFamily = line.substr(word.size()).starts_with("<");
      lostNames.insert(line.take_front(word.size() + isFamily));
      // After a lost bracket, the size of an array is part of the name.
      if (!word.starts_with("%"))
        for (size_t n = word.size(); n-- > 1 && llvm::isDigit(word[n]);)
          lostNames.insert(word.take_front(n));
      line = line.drop_front(std::max<size_t>(word.size(), 1));
    }
  }
  return lostNames.contains(name) || (!lostNames.empty() && lostNames.contains((name.rtrim("0123456789") + "<").str()));
}

void Resolver::takeBackGuard(NameId guard) {
  const auto known = unknown.find(static_cast<uint32_t>(guard));
  if (known == unknown.end())
    return;
  if (known->second.moreUses) {
    --known->second.moreUses;
    return;
  }
  const size_t report = known->second.report;
  if (report + 1 != sink.diagnostics().size())
    return;
  size_t number = 0;
  sink.eraseIf([&](Diagnostic &) { return number++ == report; });
  unknown.erase(known);
}

/// Reports how often each undeclared name was used. If no registers are declared at all, reports the names as one
/// error.
void Resolver::finishUnknown() {
  constexpr size_t fewest = 3, mostShown = 6;
  std::vector<const Unknown *> registers;
  for (const auto &[id, one] : unknown) {
    if (one.moreUses)
      sink.at(one.report)
          .notes.push_back({"and " + std::to_string(one.moreUses) + (one.moreUses == 1 ? " more use" : " more uses") +
                                " in this function",
                            std::nullopt});
    if (llvm::StringRef(sink.at(one.report).args.front()).starts_with("%"))
      registers.push_back(&one);
  }
  if (!hasRegisters && registers.size() >= fewest) {
    llvm::sort(registers, [](const Unknown *a, const Unknown *b) { return a->report < b->report; });
    std::string others;
    llvm::DenseSet<size_t> dropped;
    for (const Unknown *one : llvm::drop_begin(registers)) {
      if (dropped.size() < mostShown)
        others += (others.empty() ? "`" : ", `") + sink.at(one->report).args.front() + "`";
      dropped.insert(one->report);
    }
    Diagnostic &first = sink.at(registers.front()->report);
    first.notes = {};
    first.fix.reset();
    first.notes.push_back({"`" + ast.text(current->name).str() + "` declares no registers; " +
                               std::to_string(dropped.size()) + " more names are not declared either: " + others +
                               (dropped.size() > mostShown ? " ..." : ""),
                           std::nullopt});
    first.notes.push_back({"the file may be filtered: Compiler Explorer hides directives such as `.reg` while its "
                           "filter for directives is on",
                           std::nullopt});
    size_t index = 0;
    sink.eraseIf([&](Diagnostic &) { return dropped.contains(index++); });
  }
  unknown.clear();
  hasRegisters = false;
}

/// Reports an unknown component, such as `%tid.X`, and lists the existing ones.
void Resolver::reportField(Range range, llvm::StringRef suffix, const isa::SpecialRegister &reg) {
  Diagnostic &d = sink.report(DiagId::UnknownField, range, suffix, reg.name());
  if (!reg.vector)
    return;
  d.notes.push_back({"expected `.x`, `.y`, or `.z`", std::nullopt});
  if (const std::string lower = suffix.lower(); isComponent(lower) && range.size() > suffix.size())
    d.fix = Fix{"write `" + lower + "`", {{{range.end - static_cast<uint32_t>(suffix.size()), range.end}, lower}}};
}

/// Returns the shape of a special register, an unknown name, a name with a suffix, or one that counts only after its
/// declaration.
Shape Resolver::unusualName(const Operand &operand, const Symbol *symbol) {
  Shape shape;
  const isa::SpecialRegister *reg = symbol ? nullptr : special(operand.name);
  if (!symbol && !reg) {
    shape.kind = ShapeKind::Unknown;
    reportUnknown(operand.name,
                  operand.flags & (Negated | Not) ? Range{operand.range.begin + 1, operand.range.end} : operand.range);
    return shape;
  }
  if (reg) {
    shape.kind = ShapeKind::Special;
    shape.type = reg->type;
    shape.vector = reg->vector;
    shape.value = reg - isa::specialRegisters().data();
    if (reg->narrow)
      shape.flags |= ShapeNarrow;
    if (reg->needs >= 0 && !hasDirective(isa::tables().directives[reg->needs].name()))
      shape.flags |= ShapeLacking;
  } else {
    shape = symbol->shape;
    if (countsFromItsPlace(shape.kind) && operand.range.begin < symbol->nameRange.begin) {
      sink.report(DiagId::UndefinedSymbol, operand.range, ast.text(operand.name))
          .notes.push_back({"declared here, after its use", symbol->nameRange});
      shape.kind = ShapeKind::Unknown;
    }
  }
  if (operand.suffix != SpellingId::None && (operand.flags & HasOffset))
    sink.report(DiagId::UnexpectedOffset, operand.range, ast.text(operand.name).str() + ast.text(operand.suffix).str());
  // An element of a vector register is a scalar register. ptxas ignores the length of the vector.
  bool isRegister = shape.kind == ShapeKind::Register || shape.kind == ShapeKind::Special;
  llvm::StringRef suffix = operand.suffix == SpellingId::None ? llvm::StringRef() : ast.text(operand.suffix);
  if (isRegister && shape.vector && isComponent(suffix)) {
    shape.vector = 0;
    shape.flags |= ShapeComponent;
  } else if (reg && !suffix.empty()) {
    if (suffix.count('.') == 1) // the parser has reported several components
      reportField(operand.range, suffix, *reg);
    shape.kind = ShapeKind::Unknown;
  } else {
    shape.suffix = suffixWord(operand.suffix);
  }
  return shape;
}

/// Checks a guard that is not simply a predicate register.
void Resolver::unusualGuard(const Instruction &instruction, const Symbol *symbol) {
  const llvm::StringRef name = ast.text(instruction.guard);
  if (!symbol && !special(instruction.guard)) {
    const Range name{instruction.guardRange.end - static_cast<uint32_t>(ast.text(instruction.guard).size()),
                     instruction.guardRange.end};
    reportUnknown(instruction.guard, name, /*isGuard=*/true);
    return;
  }
  if (symbol && symbol->kind == SymbolKind::Register && !symbol->type)
    return; // its declaration is invalid
  const isa::WordId type = !symbol                                ? special(instruction.guard)->type
                           : symbol->kind == SymbolKind::Register ? symbol->type
                                                                  : isa::WordId(0);
  bool isPredicate = type && isa::word(type).typeKind == isa::TypeKind::Predicate;
  if (!isPredicate) {
    const std::string what = !symbol                                ? "a special register"
                             : symbol->kind == SymbolKind::Register ? std::string(isa::word(type).text())
                             : symbol->isParameter                  ? "a parameter"
                             : symbol->kind == SymbolKind::Variable ? "a variable"
                             : symbol->kind == SymbolKind::Label    ? "a label"
                                                                    : "a function";
    Diagnostic &d = sink.report(DiagId::GuardNotPredicate, instruction.guardRange, name, what);
    if (symbol)
      d.notes.push_back({"declared here", symbol->nameRange});
  }
}

} // namespace ptxray
