#include "Machine/Lower.h"
#include "Isa/Words.h"
#include "Module/KernelHead.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace ptxray::machine {

/// Returns the function that a name refers to, or none.
static NameId functionOf(const Body &body, NamedUse use) {
  const Symbol *symbol = body.symbol(use.local);
  return symbol && symbol->kind == SymbolKind::Function ? body.nameOf(use.local) : NameId::None;
}

/// Returns whether the body calls a function by its address.
static bool callsAddress(const Body &body) {
  return llvm::any_of(body.notable, [&](uint32_t number) {
    const Facts &facts = body.facts(number);
    return facts.has(FactKind::Calls) && !(facts.uses & Calls);
  });
}

/// Returns the bodies that the kernel may execute, through calls and addresses of functions. An indirect call may use
/// an address that another kernel has stored.
static std::vector<const Body *> reachedFrom(const Body &kernel, const ProgramBuilder &builder) {
  std::vector<const Body *> reached = {&kernel};
  const auto add = [&](NameId name) {
    const auto found = builder.bodies.find(name);
    if (found != builder.bodies.end() && !llvm::is_contained(reached, found->second))
      reached.push_back(found->second);
  };
  const auto addAddressed = [&](const Body &body) {
    body.eachNamed([&](NamedUse use) {
      if (!(use.uses & Calls))
        add(functionOf(body, use));
    });
  };
  bool areAllAdded = false;
  for (size_t i = 0; i < reached.size(); ++i) {
    reached[i]->eachNamed([&](NamedUse use) { add(functionOf(*reached[i], use)); });
    if (!areAllAdded && callsAddress(*reached[i])) {
      llvm::for_each(builder.module.bodies(), addAddressed);
      areAllAdded = true;
    }
  }
  // Tables of functions in variables may refer to any function.
  for (const ReadVariable &variable : builder.module.variables())
    for (const InitialValue &value : variable.values)
      add(value.symbol);
  return reached;
}

/// Allocates shared variables one after another; variables without a size follow all others. Guard zones separate the
/// variables. Their size preserves alignments, swizzles and banks.
static void placeShared(ProgramBuilder &builder, llvm::ArrayRef<const Body *> reached) {
  constexpr uint64_t guardBytes = 1024, mostGuards = 256;
  Program &program = builder.program;
  uint64_t end = 0, alignment = 16;
  const auto guards = [&] { return guardBytes * std::min<uint64_t>(program.shared.size(), mostGuards); };
  std::vector<std::pair<uint32_t, NameId>> open;
  for (const Body *body : reached)
    body->eachNamed([&](NamedUse use) {
      const Symbol *symbol = body->symbol(use.local);
      if (!symbol || symbol->kind != SymbolKind::Variable || symbol->space != isa::words::shared)
        return;
      const std::pair key(body->locals[static_cast<uint32_t>(use.local)].symbol, body->nameOf(use.local));
      if (!symbol->extent.bytes) {
        open.push_back(key);
        alignment = std::max(alignment, symbol->extent.align);
        return;
      }
      const auto [found, isNew] = builder.shared.try_emplace(key);
      if (!isNew)
        return;
      const uint64_t place = llvm::alignTo(end, symbol->extent.align);
      end = place + symbol->extent.bytes;
      found->second = place + guards();
      program.shared.push_back({found->second, symbol->extent.bytes, body->text(use.local).str()});
    });
  program.sharedBytes = llvm::alignTo(end, alignment);
  program.dynamicShared = program.sharedBytes + guards();
  for (const auto &key : open)
    builder.shared[key] = program.dynamicShared;
}

static void readParameters(const Function &function, const ReadModule &module, Program &program) {
  const auto &known = module.state().functions;
  const auto signature = known.find(static_cast<uint32_t>(function.name));
  if (signature == known.end())
    return;
  for (const Formal &formal : signature->second.parameters) {
    const uint64_t offset = llvm::alignTo(program.parameterBytes, formal.extent.align);
    program.parameters.push_back({offset, formal.extent.bytes, formal.name});
    program.parameterBytes = offset + formal.extent.bytes;
  }
}

std::map<NameId, uint64_t> functionAddressesOf(const ReadModule &module) {
  std::map<NameId, uint64_t> addresses;
  for (const Body &body : module.bodies())
    addresses.try_emplace(body.function->name, 5 * windowBytes + 64 * (addresses.size() + 1));
  return addresses;
}

std::unique_ptr<Program> lower(const ReadModule &module, const PlacedVariables &variables, llvm::StringRef kernel,
                               InstructionKinds &kinds, LoweringOptions how) {
  auto program = std::make_unique<Program>();
  program->module = &module;
  ProgramBuilder builder{module, variables, *program, kinds, how, {}, {}, functionAddressesOf(module)};
  const Body *entry = nullptr;
  for (const Body &body : module.bodies()) {
    builder.bodies[body.function->name] = &body;
    if (body.function->kind == FunctionKind::Entry && module.ast().text(body.function->name) == kernel)
      entry = &body;
  }
  if (!entry) {
    program->refusal = "there is no kernel `" + kernel.str() + "`";
    return program;
  }
  readParameters(*entry->function, module, *program);
  program->head = headOf(module.ast(), *entry->function);
  const std::vector<const Body *> reached = reachedFrom(*entry, builder);
  placeShared(builder, reached);
  for (const Body *body : reached) {
    FunctionCode &code = program->functions.emplace_back();
    code.number = static_cast<uint32_t>(program->functions.size() - 1);
    code.name = body->function->name;
    program->byName[static_cast<uint32_t>(code.name)] = &code;
    program->byAddress[builder.functionAddresses[code.name]] = &code;
  }
  for (const auto &[body, code] : llvm::zip(reached, program->functions))
    if (std::string why = BodyLowering(builder, *body, code).lower(); !why.empty() && program->refusal.empty())
      program->refusal = std::move(why);
  return program;
}

} // namespace ptxray::machine
