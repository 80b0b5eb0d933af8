#include "Layout/Show.h"
#include "Source/JsonValue.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray::layout {

static llvm::StringRef storeName(Store store) {
  switch (store) {
  case Store::Registers: return "registers";
  case Store::TensorMemory: return "tensor memory";
  case Store::SharedMemory: return "shared memory";
  case Store::Addresses: return "addresses";
  }
  return "";
}

static Json elementToJson(const Layout &layout, const Element &element, const Place &place) {
  Json json = {{layout.elementNames[Row], element[Row]}, {layout.elementNames[Column], element[Column]}};
  if (size(layout, Matrix) > 1)
    json[layout.elementNames[Matrix]] = element[Matrix];
  if (layout.store == Store::SharedMemory) {
    json["bit_address"] = place[Bit];
    return json;
  }
  if (size(layout, Cta) > 1)
    json["cta"] = place[Cta];
  // Use the thread as the row of tensor memory: the row is a lane in the fragments of tcgen05.ld.
  json[laneName(layout).str()] = place[Lane];
  if (layout.store == Store::Addresses)
    return json;
  json[layout.store == Store::TensorMemory ? "word" : "register"] = place[Word];
  json["bit"] = place[Bit];
  return json;
}

static Json layoutToJson(const Layout &layout, ElementFilter wanted) {
  Json json = {{"name", layout.name},
               {"what", layout.what},
               {"in", storeName(layout.store).str()},
               {"element_bits", layout.elementBits},
               {"source", layout.source},
               {"notes", layout.notes}};
  if (layout.store == Store::Registers)
    json["cute"] = cuteNotation(layout);
  Json &elements = json["elements"] = Json::array();
  forEach(layout, [&](Element element, Place place) {
    if (wanted(element, place))
      elements.push_back(elementToJson(layout, element, place));
  });
  return json;
}

void writeJson(llvm::ArrayRef<Layout> layouts, llvm::ArrayRef<std::string> notes, llvm::StringRef instruction,
               ElementFilter wanted, llvm::raw_ostream &out) {
  Json json = {{"instruction", instruction.str()}, {"notes", notes.vec()}, {"layouts", Json::array()}};
  for (const Layout &layout : layouts)
    json["layouts"].push_back(layoutToJson(layout, wanted));
  out << dump(json) << '\n';
}

} // namespace ptxray::layout
