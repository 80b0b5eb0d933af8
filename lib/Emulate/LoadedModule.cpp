#include "Emulate/LoadedParts.h"
#include "Isa/Words.h"
#include "Machine/HostMemory.h"
#include "Machine/ImageVariables.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

namespace ptxray::machine {

/// Writes the initial values of variables. The addresses of all variables must be known.
static void initialise(const ReadVariable &variable, const LoadedModule::Parts &parts,
                       const std::map<NameId, uint64_t> &functions, llvm::MutableArrayRef<uint8_t> bytes) {
  for (const InitialValue &value : variable.values) {
    uint64_t number = value.number;
    if (value.symbol != NameId::None) {
      if (const auto found = parts.variables.find({0, value.symbol}); found != parts.variables.end())
        number += found->second.address;
      else if (const auto function = functions.find(value.symbol); function != functions.end())
        number += function->second;
    }
    if (value.byteOf)
      number = number >> 8 * *value.byteOf & 255;
    if (value.offset + value.size <= bytes.size())
      std::memcpy(bytes.data() + value.offset, &number, std::min<size_t>(8, value.size));
  }
}

/// Returns whether a variable is declared with `.attribute(.managed)`.
static bool isManaged(const Ast &ast, const Declaration &declaration) {
  for (uint32_t i = declaration.attributes.first; i < declaration.attributes.end(); ++i)
    for (const Operand &operand : ast.operandsOf(ast.directives[i].operands))
      if (ast.text(operand.suffix) == ".managed")
        return true;
  return false;
}

static PlacedVariables::key_type keyOf(const ReadModule &module, const ReadVariable &variable) {
  const bool isOfBody = variable.symbol && module.symbols()[variable.symbol - 1].depth;
  return {isOfBody ? variable.symbol : 0, variable.declaration->name};
}

LoadedModule::LoadedModule(const ReadModule &module, Memory &memory, llvm::StringRef target)
    : parts(std::make_unique<Parts>(module, memory, target.str())) {
  const std::vector<ReadVariable> variables = module.variables();
  uint64_t total = 0;
  for (const ReadVariable &variable : variables) {
    if (!variable.symbol)
      continue;
    const Symbol &symbol = module.symbols()[variable.symbol - 1];
    const bool isConst = symbol.space == isa::words::const_;
    if (symbol.kind != SymbolKind::Variable || !(isConst || symbol.space == isa::words::global))
      continue;
    const std::string name = module.ast().text(variable.declaration->name).str();
    const PlacedVariables::key_type key = keyOf(module, variable);
    if (std::optional<ImageObject> object = imageObjectOf(module.ast(), *variable.declaration)) {
      const uint64_t handle = parts->images[name] = memory.addObject(std::move(*object));
      parts->variables[key] = {Space::Global, handle, sizeof handle};
      continue;
    }
    const bool isShared = memory.sharesManaged && isManaged(module.ast(), *variable.declaration);
    total = llvm::SaturatingAdd(total, symbol.extent.bytes);
    if (total > usualMemoryLimit())
      parts->refusal = "the variables of the module are larger than the memory of this machine";
    const llvm::MutableArrayRef<uint8_t> bytes =
        parts->bytes.emplace_back(parts->refusal.empty() ? size_t(symbol.extent.bytes) : 0, isShared).bytes;
    uint64_t address = reinterpret_cast<uintptr_t>(bytes.data());
    if (isShared)
      memory.addAt(address, bytes, name);
    else
      address = memory.add(bytes, name, isConst);
    parts->variables[key] = {isConst ? Space::Const : Space::Global, address, symbol.extent.bytes};
    parts->indices[key] = parts->bytes.size() - 1;
    if (symbol.depth == 0)
      parts->byName[name] = {address, parts->bytes.size() - 1};
  }
  const std::map<NameId, uint64_t> functions = functionAddressesOf(module);
  for (const ReadVariable &variable : variables)
    if (const auto found = parts->indices.find(keyOf(module, variable)); found != parts->indices.end())
      initialise(variable, *parts, functions, parts->bytes[found->second].bytes);
}

LoadedModule::~LoadedModule() {
  for (const auto &[key, place] : parts->variables)
    parts->memory.free(place.address);
  for (const auto &[name, handle] : parts->images)
    parts->memory.removeObject(handle);
}

uint64_t LoadedModule::imageAt(llvm::StringRef name) const {
  const auto found = parts->images.find(name.str());
  return found == parts->images.end() ? 0 : found->second;
}

std::string LoadedModule::bind(llvm::StringRef name, ImageObject object) {
  const uint64_t handle = imageAt(name);
  if (!handle)
    return "the module has no texture, surface or sampler `" + name.str() + "`";
  if (parts->memory.object(handle)->kind != object.kind)
    return "`" + name.str() + "` is of another kind";
  object.name = name.str();
  parts->memory.bind(handle, std::move(object));
  return "";
}

llvm::MutableArrayRef<uint8_t> LoadedModule::variable(llvm::StringRef name) const {
  const auto found = parts->byName.find(name.str());
  return found == parts->byName.end() ? llvm::MutableArrayRef<uint8_t>() : parts->bytes[found->second.second].bytes;
}

std::vector<llvm::MutableArrayRef<uint8_t>> LoadedModule::allVariables() const {
  std::vector<llvm::MutableArrayRef<uint8_t>> all;
  for (const VariableBytes &one : parts->bytes)
    all.push_back(one.bytes);
  return all;
}

std::optional<std::pair<uint64_t, uint64_t>> LoadedModule::placeOf(llvm::StringRef name) const {
  const auto found = parts->byName.find(name.str());
  if (found == parts->byName.end())
    return std::nullopt;
  return std::pair(found->second.first, uint64_t(parts->bytes[found->second.second].bytes.size()));
}

} // namespace ptxray::machine
