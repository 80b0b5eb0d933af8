#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "Module/ModuleRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace ptxray {

static isa::DirectivePlace headPlace(const Function &function) {
  if (function.kind == FunctionKind::Entry)
    return function.hasBody ? isa::OnEntry : isa::OnDeclaredEntry;
  return function.hasBody ? isa::OnFunction : isa::OnDeclaredFunction;
}

void ModuleRules::parameter(const Declaration &declaration, Site site) {
  const std::string name = declaration.name == NameId::None ? std::string("_") : ast.text(declaration.name).str();
  const llvm::StringRef space = text(declaration.space);
  const bool isOpen = declaration.dims.count && ast.dims[declaration.dims.first] < 0;
  if (site == Site::EntryParameter) {
    if (space != ".param")
      sink.report(DiagId::ParameterSpace, declaration.spaceRange, name, ".param");
    if (isOpen)
      sink.report(DiagId::OpenParameter, declaration.nameRange, name);
    if (declaration.dims.count && ast.dims[declaration.dims.first] == 0)
      sink.report(DiagId::OpenParameter, declaration.nameRange, name);
    const llvm::StringRef pointed = text(declaration.ptrSpace);
    if (pointed == ".reg" || pointed == ".param" || pointed == ".tex" || pointed.contains('['))
      sink.report(DiagId::SyntaxError, declaration.range, pointed, "`.const`, `.global`, `.local` or `.shared`");
    const isa::Directive &pointer = isa::directive(isa::DirectiveId::Ptr);
    if (declaration.isPtr && !availability.holds(pointer.gate))
      sink.report(DiagId::RequiresPtx, declaration.range, "`" + std::string(pointer.name) + "`",
                  versionOf(pointer.gate), header.summary().ptx)
          .kind = Kind::Directive;
    return;
  }
  if (space != ".param" && space != ".reg")
    sink.report(DiagId::ParameterSpace, declaration.spaceRange, name, ".param or .reg");
  if (space == ".param")
    requireFeature(isa::FeatureId::FunctionParam, declaration.spaceRange);
  const bool isEmpty = declaration.dims.count && ast.dims[declaration.dims.first] <= 0;
  if (isEmpty && site == Site::FunctionReturn)
    sink.report(DiagId::OpenParameter, declaration.nameRange, name);
  else if (isOpen)
    requireFeature(isa::FeatureId::OpenParameter, "`" + name + "[]`", declaration.nameRange);
}

void ModuleRules::function(const Function &function) {
  const bool isEntry = function.kind == FunctionKind::Entry;
  if (const isa::Directive *linkage = directiveOf(function.linkage)) {
    require(linkage->gate, "`" + text(function.linkage) + "`", function.head);
    if (!(linkage->places & headPlace(function)))
      sink.report(DiagId::LinkageSpace, function.head, linkage->name, ".global");
  }
  Signature signature;
  signature.kind = function.kind;
  signature.linkage = function.linkage;
  signature.isDefined = function.hasBody;
  signature.nameRange = function.nameRange;
  for (uint32_t i = function.returns.first; i < function.returns.end(); ++i) {
    variable(ast.declarations[i], Site::FunctionReturn, function.hasBody);
    pointerAttributes(function, ast.declarations[i]);
    if (function.kind == FunctionKind::Func && ast.declarations[i].name == NameId::None)
      sink.report(DiagId::SinkName, ast.declarations[i].nameRange);
    signature.returns.push_back(formalOf(ast.declarations[i]));
  }
  for (uint32_t i = function.parameters.first; i < function.parameters.end(); ++i) {
    variable(ast.declarations[i], isEntry ? Site::EntryParameter : Site::FunctionParameter, function.hasBody);
    pointerAttributes(function, ast.declarations[i]);
    if (function.kind == FunctionKind::Func && ast.declarations[i].name == NameId::None)
      sink.report(DiagId::SinkName, ast.declarations[i].nameRange);
    signature.parameters.push_back(formalOf(ast.declarations[i]));
    if (!isEntry && signature.parameters.back().isOpen() && i + 1 < function.parameters.end())
      sink.report(DiagId::OpenParameter, ast.declarations[i].nameRange, signature.parameters.back().name);
  }
  if (signature.returns.size() > 1 && llvm::any_of(signature.returns, [](const Formal &f) { return !f.isRegister; }))
    sink.report(DiagId::SeveralReturns, function.nameRange, ast.text(function.name));
  if (isEntry && function.hasBody)
    parameterSpace(function, signature);
  if (isEntry && !function.parameters.empty())
    requireFeature(isa::FeatureId::EntryParameters, function.nameRange);
  if (isEntry && !function.hasBody)
    requireFeature(isa::FeatureId::EntryDeclaration, function.nameRange);
  if (function.kind == FunctionKind::Prototype)
    requireDirective(isa::directive(isa::DirectiveId::Callprototype), function.nameRange,
                     inEntry ? isa::InEntry : isa::InFunction);
  functionAttributes(function, signature);
  for (uint32_t i = function.directives.first; i < function.directives.end(); ++i)
    signature.noReturn |= ast.text(ast.directives[i].name) == ".noreturn";
  headDirectives(function);
  if (function.kind == FunctionKind::Prototype)
    prototypes[static_cast<uint32_t>(function.name)] = std::move(signature);
  else
    redeclare(function, std::move(signature));
}

/// `.ptr`, and the alignment where a kernel's pointer has its own: `.param .u32 .align 8 a`.
void ModuleRules::pointerAttributes(const Function &function, const Declaration &declaration) {
  const bool isFunction = function.kind == FunctionKind::Func;
  const bool mayPoint = isa::directive(isa::DirectiveId::Ptr).places & isa::OnParameter;
  if (declaration.isPtr && (isFunction || (function.kind == FunctionKind::Entry && !mayPoint)))
    sink.report(DiagId::PtrPlace, declaration.range,
                declaration.name == NameId::None ? std::string("_") : ast.text(declaration.name).str());
  if (isFunction && declaration.isAlignedBehind)
    sink.report(DiagId::DirectivePlace, declaration.range, ".align",
                "parameters of entries, when it stands behind the type");
}

void ModuleRules::parameterSpace(const Function &function, const Signature &signature) {
  uint64_t bytes = 0;
  for (const Formal &formal : signature.parameters)
    bytes = llvm::alignTo(bytes, std::max<uint64_t>(1, formal.extent.align)) + formal.extent.bytes;
  const uint64_t most = isa::limit(isa::LimitId::ParameterBytes, availability);
  if (bytes <= most)
    return;
  Diagnostic &d = sink.report(DiagId::ParameterSize, function.nameRange, bytes, most);
  if (static_cast<uint32_t>(bytes) <= most) // ptxas counts in 32 bits
    d.severity = Severity::Warning;
}

/// How a second declaration of a function differs from the first; empty when it does not.
static llvm::StringRef difference(llvm::ArrayRef<Formal> a, llvm::ArrayRef<Formal> b) {
  if (a.size() != b.size())
    return "number of parameters";
  for (auto [x, y] : llvm::zip(a, b)) {
    if (x.isRegister != y.isRegister)
      return "parameter state space";
    if (x.type != y.type || x.extent.bytes != y.extent.bytes || x.extent.isArray != y.extent.isArray)
      return "parameter type";
    if (x.extent.align != y.extent.align)
      return "parameter alignment";
  }
  return "";
}

void ModuleRules::redeclare(const Function &function, Signature signature) {
  const uint32_t name = static_cast<uint32_t>(function.name);
  const llvm::StringRef written = ast.text(function.name);
  auto declaredBefore = [](Diagnostic &d, Range before) { d.notes.push_back({"declared here before", before}); };
  auto clash = [&](IdTakingTexts<2> id, llvm::StringRef what, Range before) {
    declaredBefore(sink.report(id, function.nameRange, written, what), before);
  };
  if (isSpecial(function.name, function.nameRange))
    return;
  if (auto variable = globals.find(name); variable != globals.end())
    return clash(DiagId::InconsistentRedefinition, "a variable", variable->second.nameRange);
  if (function.hasBody && text(function.linkage) == ".extern")
    sink.report(DiagId::InconsistentRedefinition, function.nameRange, written, "`.extern`");
  auto [entry, isNew] = functions.try_emplace(name, signature);
  if (isNew)
    return;
  const Signature &before = entry->second;
  const llvm::StringRef linkage = text(function.linkage), beforeLinkage = text(before.linkage);
  if (before.kind != signature.kind)
    clash(DiagId::InconsistentRedefinition, "an entry and a function", before.nameRange);
  else if (before.isDefined)
    declaredBefore(sink.report(DiagId::DuplicateDefinition, function.nameRange, written), before.nameRange);
  else if (llvm::StringRef what = difference(before.returns, signature.returns); !what.empty())
    clash(DiagId::PrototypeMismatch, what, before.nameRange);
  else if (llvm::StringRef what = difference(before.parameters, signature.parameters); !what.empty())
    clash(DiagId::PrototypeMismatch, what, before.nameRange);
  else if (linkage != beforeLinkage && (!linkage.empty() || beforeLinkage == ".extern"))
    clash(DiagId::InconsistentRedefinition, beforeLinkage.empty() ? "no linkage" : beforeLinkage, before.nameRange);
  else if (function.hasBody && beforeLinkage == ".extern")
    clash(DiagId::InconsistentRedefinition, "`.extern`", before.nameRange);
  else if (before.noReturn != signature.noReturn)
    clash(DiagId::PrototypeMismatch, "`.noreturn`", before.nameRange);
  else if (before.unified && signature.unified && before.unified != signature.unified)
    clash(DiagId::PrototypeMismatch, "`.unified`", before.nameRange);
  entry->second = std::move(signature);
}

// ----------------------------------------------------------------------------- tuning directives

void ModuleRules::headDirectives(const Function &function) {
  llvm::SmallVector<std::pair<const Directive *, const isa::Directive *>, 8> head;
  for (uint32_t i = function.directives.first; i < function.directives.end(); ++i) {
    const Directive &directive = ast.directives[i];
    if (ast.text(directive.name) == ".attribute")
      continue;
    const isa::Directive *known = requireDirective(directive.name, directive.nameRange, headPlace(function));
    if (!known)
      continue;
    if (isa::is(*known, isa::DirectiveId::Pragma)) {
      pragma(directive, isa::OnEntry);
      continue;
    }
    if (isa::is(*known, isa::DirectiveId::Noreturn) && !function.returns.empty())
      sink.report(DiagId::DirectivePlace, directive.nameRange, known->name, "a function that returns no value");
    auto before = llvm::find_if(head, [&](auto &one) { return one.second == known; });
    if (before != head.end() && known->once)
      sink.report(DiagId::DirectiveConflict, directive.nameRange, known->name, known->name);
    values(directive, *known);
    if (before != head.end())
      head.erase(before); // the last counts
    head.push_back({&directive, known});
  }
  together(head);
}

/// "`.a` and `.b`"
static std::string listText(llvm::ArrayRef<uint16_t> list, llvm::StringRef between) {
  std::string out;
  for (uint16_t index : list)
    out += (out.empty() ? "`" : between.str() + "`") + std::string(isa::tables().directives[index].name) + "`";
  return out;
}

/// What the directives of one head say of each other.
void ModuleRules::together(llvm::ArrayRef<std::pair<const Directive *, const isa::Directive *>> head) {
  const isa::Tables &tables = isa::tables();
  auto written = [&](uint16_t index) -> const Directive * {
    auto found = llvm::find_if(head, [&](auto &one) { return one.second == &tables.directives[index]; });
    return found == head.end() ? nullptr : found->first;
  };
  for (const auto &[directive, known] : head) {
    const std::string name(known->name);
    for (uint16_t index : isa::run(tables.directiveLists, known->excludes))
      if (const Directive *other = written(index))
        sink.report(DiagId::DirectiveConflict, directive->nameRange, name, ast.text(other->name))
            .notes.push_back({"the other stands here", other->nameRange});
    const auto needed = isa::run(tables.directiveLists, known->needs);
    if (!llvm::all_of(needed, written))
      sink.report(DiagId::DirectiveMissing, directive->nameRange, name, listText(needed, " and "));
    const auto useful = isa::run(tables.directiveLists, known->idleWithout);
    const bool isIdle = known->idleSince && header.context().ptx >= known->idleSince;
    if (isIdle && availability.holds(known->gate)) // else it is gone
      sink.report(DiagId::DirectiveIgnored, directive->nameRange, name,
                  "a `.version` below " + isa::versionText(known->idleSince));
    else if (!isIdle && !useful.empty() && llvm::none_of(useful, written))
      sink.report(DiagId::DirectiveIgnored, directive->nameRange, name, listText(useful, " or "));
  }
}

bool ModuleRules::values(const Directive &directive, const isa::Directive &known) {
  const llvm::ArrayRef<isa::DirectiveArgument> arguments = isa::run(isa::tables().arguments, known.arguments);
  bool allFit = true;
  uint32_t next = 0;
  for (const Operand &operand : ast.operandsOf(directive.operands)) {
    if (next == arguments.size())
      break;
    const isa::DirectiveArgument &argument = arguments[next];
    next += !argument.repeats;
    allFit &= value(operand, known, argument);
  }
  return allFit;
}

/// "a number from 0 to 11"
static std::string rangeText(const isa::ValueRange &range) {
  if (range.low == range.high)
    return "the value " + std::to_string(range.low);
  if (range.high == INT64_MAX)
    return range.low == 1 ? "a value above zero" : "a number from " + std::to_string(range.low) + " on";
  return "a number from " + std::to_string(range.low) + " to " + std::to_string(range.high);
}

bool ModuleRules::value(const Operand &operand, const isa::Directive &known, const isa::DirectiveArgument &argument) {
  if (argument.kind == isa::ArgumentKind::U32 && !fits(operand))
    return false;
  const isa::Tables &tables = isa::tables();
  std::string expected;
  if (operand.kind == OperandKind::String) {
    const llvm::StringRef text = ast.text(operand.name).drop_front().drop_back();
    const auto texts = isa::run(tables.directiveTexts, argument.texts);
    if (!texts.empty() && llvm::none_of(texts, [&](isa::Text one) { return text.equals_insensitive(one); }))
      expected = "the name of a known " + std::string(argument.name);
  } else if (operand.kind == OperandKind::Integer) {
    const auto ranges = isa::run(tables.ranges, argument.ranges);
    auto holds = [&](const isa::ValueRange &range) {
      return range.low <= operand.value && operand.value <= range.high;
    };
    if (!ranges.empty() && llvm::none_of(ranges, holds))
      expected = rangeText(ranges.front());
  }
  if (!expected.empty())
    sink.report(DiagId::DirectiveValue, operand.range, known.name, expected);
  return true;
}

void ModuleRules::functionAttributes(const Function &function, Signature &signature) {
  for (uint32_t i = function.directives.first; i < function.directives.end(); ++i) {
    if (ast.text(ast.directives[i].name) != ".attribute")
      continue;
    requireDirective(ast.directives[i].name, ast.directives[i].nameRange, headPlace(function));
    llvm::ArrayRef<Operand> values = ast.operandsOf(ast.directives[i].operands);
    if (values.size() != 3 || ast.text(values.front().suffix) != ".unified") {
      sink.report(DiagId::SyntaxError, ast.directives[i].range, ".attribute", "`.unified` with two numbers");
      continue;
    }
    requireDirective(values.front().suffix, values.front().range, isa::InDirective);
    signature.unified = {values[1].value, values[2].value};
  }
}

void ModuleRules::bodyDirective(const Directive &directive) {
  const llvm::StringRef name = ast.text(directive.name);
  const isa::DirectivePlace place = inEntry ? isa::InEntry : isa::InFunction;
  const isa::Directive *known = requireDirective(directive.name, directive.nameRange, place);
  if (name == ".pragma")
    return pragma(directive, place);
  if (name == ".alias")
    return alias(directive);
  if (directive.label != NameId::None)
    targets(directive);
  else if (known && values(directive, *known))
    location(directive);
}

void ModuleRules::targets(const Directive &directive) {
  // The targets of an indirect branch are labels, those of an indirect call functions.
  const bool areFunctions = ast.text(directive.name) == ".calltargets";
  for (const Operand &target : ast.operandsOf(directive.operands)) {
    const Symbol *symbol = resolver.find(target.name);
    const std::string name = ast.text(target.name).str();
    if (target.flags & HasOffset) { // `M<2>` stands for M0 and M1
      for (int64_t i = 0; i < target.value; ++i) {
        const std::string member = name + std::to_string(i);
        const std::optional<uint32_t> id = ast.names->find(member);
        if (id && resolver.find(static_cast<NameId>(*id)))
          continue;
        sink.report(DiagId::UndefinedSymbol, target.range, member);
        break;
      }
      continue;
    }
    if (!symbol) {
      resolver.reportUnknown(target.name, target.range);
      continue;
    }
    if (!areFunctions && target.name == directive.label)
      continue; // ptxas takes it for a label
    if (symbol->kind != (areFunctions ? SymbolKind::Function : SymbolKind::Label)) {
      sink.report(DiagId::JumpTarget, target.range, name, areFunctions ? "a function" : "a label");
      continue;
    }
    // A call is compared with the last of them.
    if (auto found = functions.find(static_cast<uint32_t>(target.name)); areFunctions && found != functions.end())
      prototypes[static_cast<uint32_t>(directive.label)] = found->second;
  }
}

// ---------------------------------------------------------------------------------------- aliases

void ModuleRules::alias(const Directive &directive) {
  llvm::ArrayRef<Operand> operands = ast.operandsOf(directive.operands);
  if (operands.size() != 2)
    return;
  const Operand &alias = operands[0], &aliasee = operands[1];
  auto wrong = [&](const Operand &at, const std::string &why) {
    sink.report(DiagId::AliasTarget, at.range, ast.text(at.name), why);
  };
  for (const Operand &operand : operands)
    if (!resolver.find(operand.name)) {
      resolver.reportUnknown(operand.name, operand.range);
      return;
    }
  if (alias.name == aliasee.name)
    return wrong(alias, "is the same function");
  auto own = functions.find(static_cast<uint32_t>(alias.name));
  auto other = functions.find(static_cast<uint32_t>(aliasee.name));
  if (own == functions.end())
    return wrong(alias, "is no function");
  if (other == functions.end())
    return wrong(aliasee, "is no function");
  if (own->second.isDefined)
    return wrong(alias, "has a body of its own");
  if (other->second.kind == FunctionKind::Entry)
    return wrong(aliasee, "is an entry");
  if (own->second.kind == FunctionKind::Entry)
    return wrong(alias, "is an entry");
  if (text(other->second.linkage) == ".extern" || text(other->second.linkage) == ".weak")
    return wrong(aliasee, "is `" + text(other->second.linkage).str() + "`");
  if (!aliases.try_emplace(static_cast<uint32_t>(alias.name), 0).second)
    return wrong(alias, "is an alias already");
  if (own->second.noReturn != other->second.noReturn)
    sink.report(DiagId::PrototypeMismatch, alias.range, ast.text(alias.name), "`.noreturn`")
        .notes.push_back({"the function it names", other->second.nameRange});
  for (auto [a, b] : {std::pair(&own->second.returns, &other->second.returns),
                      std::pair(&own->second.parameters, &other->second.parameters)})
    if (llvm::StringRef what = difference(*a, *b); !what.empty())
      sink.report(DiagId::PrototypeMismatch, alias.range, ast.text(alias.name), what)
          .notes.push_back({"the function it names", other->second.nameRange});
}

// ------------------------------------------------------------------------------------------ calls

/// The only instruction with parenthesised operands is the call; without any, its only operand is a
/// function.
void ModuleRules::call(const Instruction &instruction) {
  llvm::ArrayRef<Operand> nodes = ast.operandsOf(instruction.operands);
  if (nodes.empty())
    return;
  const Slice none;
  Slice returned = none, passed = none;
  const Operand *target = nullptr, *list = nullptr;
  for (uint32_t i = 0; i < nodes.size(); i += nodes[i].extent) {
    const uint32_t node = instruction.operands.first + i;
    if (nodes[i].kind == OperandKind::List)
      (target ? passed : returned) = {node, nodes[i].extent};
    else if (nodes[i].kind != OperandKind::Name)
      return;
    else
      (target ? list : target) = &nodes[i];
  }
  if (!target)
    return;
  const Symbol *symbol = resolver.find(target->name);
  const Signature *signature = nullptr;
  if (symbol && symbol->kind == SymbolKind::Function && !list) {
    auto found = functions.find(static_cast<uint32_t>(target->name));
    if (found == functions.end())
      return;
    signature = &found->second;
    if (signature->kind == FunctionKind::Entry) {
      sink.report(DiagId::CallTarget, target->range, ast.text(target->name), "is an entry");
      return;
    }
  } else if (list) {
    auto found = prototypes.find(static_cast<uint32_t>(list->name));
    const Symbol *listSymbol = resolver.find(list->name);
    if (listSymbol && (!returned.empty() || !passed.empty()) &&
        (listSymbol->kind == SymbolKind::BranchTargets || listSymbol->kind == SymbolKind::Label))
      sink.report(DiagId::CallTarget, list->range, ast.text(list->name), "names no functions");
    const bool isTable =
        listSymbol && listSymbol->extent.isArray && isa::word(listSymbol->type).typeKind == isa::TypeKind::Unsigned;
    if (isTable && !functionTables.contains(static_cast<uint32_t>(list->name)))
      sink.report(DiagId::CallTarget, list->range, ast.text(list->name),
                  "does not begin with the address of a function");
    if (found == prototypes.end())
      return;
    signature = &found->second;
  } else {
    // What is neither function nor register the instruction's own operand refuses.
    if (symbol && symbol->kind == SymbolKind::Register && (!returned.empty() || !passed.empty()))
      sink.report(DiagId::CallWithoutPrototype, target->range, ast.text(target->name));
    return;
  }
  arguments(*target, signature->returns, returned, instruction.opcodeRange, /*areReturns=*/true);
  arguments(*target, signature->parameters, passed, instruction.opcodeRange, /*areReturns=*/false);
}

bool ModuleRules::neverReturns(NameId function) const {
  auto known = functions.find(static_cast<uint32_t>(function));
  return known != functions.end() && known->second.noReturn;
}

void ModuleRules::arguments(const Operand &callee, llvm::ArrayRef<Formal> formals, Slice list, Range callRange,
                            bool areReturns) {
  llvm::ArrayRef<Operand> actuals = list.empty() ? llvm::ArrayRef<Operand>() : ast.operandsOf(list).drop_front();
  const bool optionalLast = !formals.empty() && formals.back().isOpen();
  const size_t least = formals.size() - optionalLast;
  if (actuals.size() < least || actuals.size() > formals.size()) {
    Diagnostic &d =
        sink.report(DiagId::CallArgumentCount, list.empty() ? callRange : ast.operands[list.first].range,
                    areReturns ? "results" : "arguments", ast.text(callee.name), formals.size(), actuals.size());
    if (const Symbol *symbol = resolver.find(callee.name); symbol && symbol->kind == SymbolKind::Function)
      d.notes.push_back({"declared here", symbol->nameRange});
    return;
  }
  for (auto [formal, actual] : llvm::zip(formals, actuals)) {
    auto wrong = [&](const std::string &what) {
      sink.report(DiagId::CallArgumentType, actual.range, what, formal.name);
    };
    const isa::Word &type = isa::word(formal.type);
    const bool isInteger = type.typeKind == isa::TypeKind::Unsigned || type.typeKind == isa::TypeKind::Signed;
    const bool isFloat = type.typeKind == isa::TypeKind::Float;
    if (actual.kind == OperandKind::Integer || actual.kind == OperandKind::Float) {
      const bool misfits = actual.kind == OperandKind::Integer ? isFloat : isInteger;
      if (misfits || formal.extent.isArray || type.typeKind == isa::TypeKind::Predicate)
        wrong("a number");
      continue;
    }
    if (actual.kind == OperandKind::Sink && !areReturns)
      wrong("`_`");
    if (actual.kind != OperandKind::Name)
      continue;
    const Symbol *symbol = resolver.find(actual.name);
    if (!symbol) {
      if (resolver.special(actual.name))
        sink.report(DiagId::CallArgumentSpace, actual.range, ast.text(actual.name));
      continue; // reported with the operand
    }
    if (symbol->kind == SymbolKind::Variable && symbol->space != isa::words::param) {
      sink.report(DiagId::CallArgumentSpace, actual.range, ast.text(actual.name));
      continue;
    }
    if (symbol->kind == SymbolKind::Variable && (symbol->isParameter || symbol->isReturn)) {
      sink.report(DiagId::CallArgumentSpace, actual.range, ast.text(actual.name));
      continue;
    }
    if (symbol->kind != SymbolKind::Variable && symbol->kind != SymbolKind::Register) {
      wrong("a label or function");
      continue;
    }
    if (!formal.isOpen() &&
        (symbol->extent.bytes != formal.extent.bytes || symbol->extent.isArray != formal.extent.isArray))
      wrong("`" + ast.text(actual.name).str() + "` of " + std::to_string(symbol->extent.bytes) +
            (symbol->extent.bytes == 1 ? " byte" : " bytes"));
    else if (const isa::TypeKind kind = isa::word(symbol->type).typeKind;
             (isFloat && (kind == isa::TypeKind::Unsigned || kind == isa::TypeKind::Signed)) ||
             (isInteger && kind == isa::TypeKind::Float) ||
             (kind == isa::TypeKind::Predicate) != (type.typeKind == isa::TypeKind::Predicate))
      wrong("`" + ast.text(actual.name).str() + "` of type `" + std::string(isa::word(symbol->type).text) + "`");
    else if (symbol->extent.align != formal.extent.align || symbol->extent.isArray != formal.extent.isArray)
      wrong("`" + ast.text(actual.name).str() + "` aligned to " + std::to_string(symbol->extent.align));
  }
}

} // namespace ptxray
