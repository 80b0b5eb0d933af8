// Lowers texture fetches, surface accesses, and queries about both.
#include "Machine/Async.h"
#include "Machine/Images.h"
#include "llvm/ADT/StringSwitch.h"

namespace ptxray::machine {

/// Returns the registers and constants in an operand list; none for `_`.
static llvm::SmallVector<Place, 4> placesOf(const Lowered &one, BodyLowering &lowering, llvm::StringRef name,
                                            unsigned bits) {
  llvm::SmallVector<Place, 4> places;
  const std::optional<unsigned> index = one.match().findOperand(name);
  if (!index || one.match().nodeOf[*index] < 0)
    return places;
  for (const RecipeOperand::Register &known : one.recipe.operands[*index].registers) {
    if (known.isConstant)
      places.push_back(lowering.file().constant(bits, known.constant));
    else if (one.nodes[known.node].kind == OperandKind::Sink)
      places.emplace_back();
    else
      places.push_back(known.part ? lowering.partOf(one, known.node, known.part)
                                  : lowering.placeOf(one, known.node, bits));
  }
  return places;
}

static Place placeOf(const Lowered &one, BodyLowering &lowering, llvm::StringRef name, unsigned bits) {
  const llvm::SmallVector<Place, 4> places = placesOf(one, lowering, name, bits);
  return places.empty() ? Place() : places[0];
}

/// Returns the first of these operands that is present.
static llvm::SmallVector<Place, 4> anyOf(const Lowered &one, BodyLowering &lowering,
                                         llvm::ArrayRef<llvm::StringRef> names) {
  for (const llvm::StringRef name : names)
    if (llvm::SmallVector<Place, 4> places = placesOf(one, lowering, name, 32); !places.empty())
      return places;
  return {};
}

static ImageGeometry geometryOf(const Lowered &one) {
  ImageGeometry result;
  for (const OpcodeWord &word : one.verdict.opcode->words)
    result = llvm::StringSwitch<ImageGeometry>(word.text)
                 .Case(".2d", {2, false, false})
                 .Case(".3d", {3, false, false})
                 .Case(".a1d", {1, true, false})
                 .Case(".5d", {1, true, false})
                 .Case(".a2d", {2, true, false})
                 .Case(".cube", {3, false, true})
                 .Case(".acube", {3, true, true})
                 .Default(result);
  return result;
}

bool fetchTexture(const Lowered &one, BodyLowering &lowering) {
  if (hasWord(one, ".2dms") || hasWord(one, ".a2dms"))
    return false; // samples of a pixel are not supported, because no driver creates such textures
  // The depth comparison operand has no effect, because textures created by a driver contain no depths.
  TextureFetch fetch;
  fetch.texture = lowering.handleOf(one, one.node("a"));
  if (one.node("b") >= 0)
    fetch.sampler = lowering.handleOf(one, one.node("b"));
  fetch.geometry = geometryOf(one);
  fetch.areIntegers = one.verdict.opcode->words.back().text == ".s32";
  fetch.isBase = hasWord(one, ".base");
  fetch.coordinates = anyOf(one, lowering, {"c", "k", "i", "j"});
  if (const auto level = anyOf(one, lowering, {"lod", "lv", "lr"}); !level.empty())
    fetch.level = level[0];
  fetch.dx = anyOf(one, lowering, {"dPdx", "eachDx"});
  fetch.dy = anyOf(one, lowering, {"dPdy", "eachDy", "one"});
  fetch.offsets = anyOf(one, lowering, {"e", "o", "n", "q"});
  for (const OpcodeWord &word : one.verdict.opcode->words)
    if (one.verdict.opcode->words[0].text == "tld4")
      fetch.component =
          llvm::StringSwitch<int>(word.text).Case(".r", 0).Case(".g", 1).Case(".b", 2).Case(".a", 3).Default(
              fetch.component);
  fetch.areHalves = one.node("pair") >= 0 || hasWord(one, ".f16");
  fetch.results = anyOf(one, lowering, {"d", "pair"});
  fetch.isResident = placeOf(one, lowering, "p", 1);
  const unsigned coordinates = fetch.geometry.rank + fetch.geometry.isList;
  if (!fetch.texture.bits || fetch.coordinates.size() < coordinates)
    return false;
  lowering.emit(fetchFromTexture, std::move(fetch));
  return true;
}

bool useSurface(const Lowered &one, BodyLowering &lowering) {
  using What = SurfaceAccess::What;
  using Outside = SurfaceAccess::Outside;
  if (hasWord(one, ".4d"))
    return false;
  SurfaceAccess access;
  const llvm::StringRef name = one.verdict.opcode->words[0].text;
  access.what = name == "suld" ? What::Load : name == "sust" ? What::Store : What::Reduce;
  access.isFormatted = hasWord(one, ".p");
  access.surface = lowering.handleOf(one, one.node("a"));
  access.geometry = geometryOf(one);
  access.coordinates = anyOf(one, lowering, {"b", "i"});
  access.outside = hasWord(one, ".clamp") ? Outside::Clamp : hasWord(one, ".zero") ? Outside::Zero : Outside::Trap;
  unsigned bits = 0, count = 1;
  for (const OpcodeWord &word : one.verdict.opcode->words) {
    bits = llvm::StringSwitch<unsigned>(word.text)
               .Case(".b8", 8)
               .Case(".b16", 16)
               .Case(".b32", 32)
               .Case(".u32", 32)
               .Case(".s32", 32)
               .Case(".b64", 64)
               .Case(".u64", 64)
               .Case(".s64", 64)
               .Default(bits);
    count = llvm::StringSwitch<unsigned>(word.text).Case(".v2", 2).Case(".v4", 4).Default(count);
    access.isSigned |= word.text == ".s32" || word.text == ".s64";
    if (word.text == ".add" || word.text == ".min" || word.text == ".max" || word.text == ".and" || word.text == ".or")
      access.reduction = word.text.str();
  }
  access.bytes = bits / 8 * count;
  const char *values = access.what == What::Load ? "d" : "c";
  access.elements = placesOf(one, lowering, values, bits);
  if (access.elements.empty() && access.what != What::Load)
    access.elements = placesOf(one, lowering, "e", bits);
  const unsigned coordinates = access.geometry.rank + access.geometry.isList;
  if (!access.surface.bits || !access.bytes || access.elements.empty() || access.coordinates.size() < coordinates)
    return false;
  lowering.emit(accessSurface, std::move(access));
  return true;
}

bool askImage(const Lowered &one, BodyLowering &lowering) {
  ImageQuery query;
  for (const char *name : {"a", "s", "u"})
    if (one.node(name) >= 0)
      query.handle = lowering.handleOf(one, one.node(name));
  for (const OpcodeWord &word : one.verdict.opcode->words)
    if (word.text.starts_with(".") && word.text != ".level" && word.text != ".b32")
      query.attribute = word.text.str();
  query.level = placeOf(one, lowering, "lod", 32);
  query.result = placeOf(one, lowering, "d", 32);
  if (!query.handle.bits)
    return false;
  lowering.emit(queryImage, std::move(query));
  return true;
}

bool askHandle(const Lowered &one, BodyLowering &lowering) {
  using Kind = ImageObject::Kind;
  HandleQuery query;
  query.handle = placeOf(one, lowering, "a", 64);
  query.kind = hasWord(one, ".texref") ? Kind::Texture : hasWord(one, ".surfref") ? Kind::Surface : Kind::Sampler;
  query.result = placeOf(one, lowering, "p", 1);
  lowering.emit(queryHandle, query);
  return true;
}

} // namespace ptxray::machine
