#include "llvm/Support/JSON.h"
#include "Layout/Show.h"
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

static void writeElements(const Layout &layout, ElementFilter wanted, llvm::json::OStream &json) {
  forEach(layout, [&](Element element, Place place) {
    if (!wanted(element, place))
      return;
    json.object([&] {
      json.attribute(layout.elementNames[Row], element[Row]);
      json.attribute(layout.elementNames[Column], element[Column]);
      if (size(layout, Matrix) > 1)
        json.attribute(layout.elementNames[Matrix], element[Matrix]);
      if (layout.store == Store::SharedMemory) {
        json.attribute("bit_address", place[Bit]);
        return;
      }
      if (size(layout, Cta) > 1)
        json.attribute("cta", place[Cta]);
      // In the fragments of tcgen05.ld a row is a lane: who holds it is the thread.
      json.attribute(laneName(layout), place[Lane]);
      if (layout.store == Store::Addresses)
        return;
      json.attribute(layout.store == Store::TensorMemory ? "word" : "register", place[Word]);
      json.attribute("bit", place[Bit]);
    });
  });
}

void writeJson(llvm::ArrayRef<Layout> layouts, llvm::ArrayRef<std::string> notes, llvm::StringRef instruction,
               ElementFilter wanted, llvm::raw_ostream &out) {
  llvm::json::OStream json(out);
  auto strings = [&](llvm::StringRef key, llvm::ArrayRef<std::string> texts) {
    json.attributeArray(key, [&] {
      for (const std::string &text : texts)
        json.value(text);
    });
  };
  json.object([&] {
    json.attribute("instruction", instruction);
    strings("notes", notes);
    json.attributeArray("layouts", [&] {
      for (const Layout &layout : layouts)
        json.object([&] {
          json.attribute("name", layout.name);
          json.attribute("what", layout.what);
          json.attribute("in", storeName(layout.store));
          json.attribute("element_bits", layout.elementBits);
          json.attribute("source", layout.source);
          strings("notes", layout.notes);
          if (layout.store == Store::Registers)
            json.attribute("cute", cuteNotation(layout));
          json.attributeArray("elements", [&] { writeElements(layout, wanted, json); });
        });
    });
  });
  out << '\n';
}

} // namespace ptxray::layout
