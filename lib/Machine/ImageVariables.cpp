#include "Machine/ImageVariables.h"
#include "llvm/ADT/StringSwitch.h"

namespace ptxray::machine {

static void setField(ImageObject &object, llvm::StringRef field, llvm::StringRef word, int64_t number) {
  Sampling &sampling = object.sampling;
  if (field == "filter_mode")
    sampling.isLinear = word == "linear" || number == 1;
  else if (field == "normalized_coords")
    sampling.isNormalized = number != 0;
  else if (field == "force_unnormalized_coords")
    sampling.isNormalized = number == 0;
  else if (field.consume_front("addr_mode_") && field.size() == 1 && field[0] >= '0' && field[0] < '3')
    sampling.modes[static_cast<unsigned>(field[0] - '0')] = llvm::StringSwitch<AddressMode>(word)
                                                                .Case("wrap", AddressMode::Wrap)
                                                                .Case("mirror", AddressMode::Mirror)
                                                                .Case("clamp_to_border", AddressMode::Border)
                                                                .Default(AddressMode::Clamp);
}

std::optional<ImageObject> imageObjectOf(const Ast &ast, const Declaration &declaration) {
  using Kind = ImageObject::Kind;
  ImageObject object;
  const llvm::StringRef type = ast.text(declaration.type);
  if (type == ".texref")
    object.kind = Kind::Texture;
  else if (type == ".samplerref")
    object.kind = Kind::Sampler;
  else if (type == ".surfref")
    object.kind = Kind::Surface;
  else
    return {};
  if (declaration.dims.count || declaration.isParameterised)
    return {};
  object.name = ast.text(declaration.name).str();
  object.sampling.isNormalized = object.kind == Kind::Sampler;
  object.sampling.mostLevel = static_cast<int32_t>(mostImageLevels) * 256;
  if (!declaration.hasInitialiser)
    return object;
  for (uint32_t node = declaration.initialiser.first; node < declaration.initialiser.end(); ++node) {
    if (ast.operands[node].kind != OperandKind::Pair)
      continue;
    const Operand &field = ast.operands[node + 1], &value = ast.operands[node + 2];
    setField(object, ast.text(field.name), value.kind == OperandKind::Name ? ast.text(value.name) : "", value.value);
  }
  return object;
}

} // namespace ptxray::machine
