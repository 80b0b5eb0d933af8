#include "Editor/Names.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

namespace ptxray {

using llvm::StringRef;

/// Returns whether a name is visible in all functions.
static bool isOfModule(const Symbol &symbol) { return symbol.depth == 0; }

/// Returns the mentions of a module's name in all bodies, which are checked one after another.
static std::vector<NamePlace> placesInAll(Document &document, StringRef name) {
  const SourceBuffer &source = document.source();
  std::map<uint32_t, NamePlace> places;
  auto add = [&](llvm::ArrayRef<Mention> mentions, const Ast &ast) {
    for (const Mention &one : mentions)
      if (one.symbol && isOfModule(*one.symbol) && ast.text(one.name) == name)
        places[one.range.begin] = {one.range, (one.uses & Writes) != 0, one.isDeclaration};
  };
  auto see = [&](const Body &body, const ModuleState &) {
    if (source.text(body.function->range).contains(name))
      add(mentionsInBody(body, source), *body.ast);
  };
  const ReadModule module = streamModule(source, document.options(), see);
  add(mentionsInModule(module.ast(), source, module.symbols()), module.ast());
  const auto found = llvm::make_second_range(places);
  return {found.begin(), found.end()};
}

namespace {

/// The name under the cursor.
struct Found {
  const Excerpt *excerpt = nullptr;
  std::vector<Mention> mentions;
  const Mention *at = nullptr; // null if there is none

  StringRef text() const { return excerpt->ast().text(at->name); }
  const Symbol *symbol() const { return at->symbol; }
};

Found findName(Document &document, uint32_t place) {
  Found found;
  found.excerpt = document.excerptAt(place);
  const auto offset = found.excerpt ? found.excerpt->offsetOf(place) : std::nullopt;
  if (!offset)
    return found;
  found.mentions = mentionsIn(*found.excerpt);
  found.at = mentionAt(found.mentions, *offset);
  return found;
}

} // namespace

/// Returns the declarations of a function with a body that has this name.
static std::vector<Range> functionsWithBody(Document &document, StringRef name) {
  std::vector<Range> found;
  const Excerpt *outside = document.outside();
  if (!outside)
    return found;
  const Ast &ast = outside->ast();
  for (const Statement item : ast.module) {
    if (item.kind != StatementKind::Function)
      continue;
    const Function &function = ast.functions[item.index];
    // The semicolon in place of a body is not part of the document.
    if (ast.text(function.name) == name && !outside->isInDocument({function.range.end - 1, function.range.end}))
      found.push_back(outside->placeOf(function.nameRange));
  }
  return found;
}

std::vector<Range> definitionOf(Document &document, uint32_t place) {
  const Found found = findName(document, place);
  if (!found.at || !found.symbol())
    return {};
  if (found.symbol()->kind == SymbolKind::Function)
    if (std::vector<Range> bodies = functionsWithBody(document, found.text()); !bodies.empty())
      return bodies;
  return {found.excerpt->placeOf(found.symbol()->nameRange)};
}

static bool isFamily(const Found &found) { return found.symbol()->familyCount != 0; }

/// Returns whether the name is that of a member, as opposed to the declaration of the family.
static bool isMember(const Found &found) {
  return isFamily(found) && found.at->range.begin != found.symbol()->nameRange.begin;
}

/// Returns the mentions of a member of a family, and the declaration of the family.
static std::vector<NamePlace> placesInExcerpt(const Found &found) {
  const bool ofOne = isMember(found);
  std::vector<NamePlace> places;
  for (const Mention &one : found.mentions)
    if (one.symbol == found.symbol() && (!ofOne || one.isDeclaration || one.name == found.at->name))
      places.push_back({found.excerpt->placeOf(one.range), (one.uses & Writes) != 0, one.isDeclaration});
  return places;
}

std::vector<NamePlace> referencesOf(Document &document, uint32_t place, bool inDocument) {
  const Found found = findName(document, place);
  if (!found.at)
    return {};
  if (found.symbol()) {
    if (inDocument && isOfModule(*found.symbol()) && document.language() == Language::Ptx)
      return placesInAll(document, found.text());
    return placesInExcerpt(found);
  }
  std::vector<NamePlace> places; // for a special register: mentions of the same name
  for (const Mention &one : found.mentions)
    if (one.name == found.at->name && !one.symbol)
      places.push_back({found.excerpt->placeOf(one.range), false, false});
  return places;
}

// ---- renaming

static bool isIdentifier(StringRef name) {
  if (name.empty())
    return false;
  const char first = name.front();
  auto follows = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; };
  if (!llvm::all_of(name.drop_front(), follows))
    return false;
  return llvm::isAlpha(first) || (StringRef("_$%").contains(first) && name.size() > 1);
}

static std::string whyNotRenamed(const Found &found) {
  if (!found.at)
    return "there is no name here";
  const std::string name = "`" + found.text().str() + "`";
  if (!found.symbol())
    return isa::findSpecialRegister(found.text()) ? name + " is a special register" : name + " is not declared";
  if (!found.excerpt->isInDocument(found.at->range) || !found.excerpt->isInDocument(found.symbol()->nameRange))
    return name + " is declared elsewhere";
  const bool isWritten = llvm::all_of(found.mentions, [&](const Mention &one) {
    return one.symbol != found.symbol() || found.excerpt->isInDocument(one.range);
  });
  if (!isWritten)
    return name + " is assembled from several pieces of the source";
  if (isMember(found))
    return name + " is one of a family of " + std::to_string(found.symbol()->familyCount) +
           " registers; rename it where it is declared";
  return "";
}

Renaming renamingAt(Document &document, uint32_t place) {
  const Found found = findName(document, place);
  Renaming renaming;
  renaming.problem = whyNotRenamed(found);
  if (!renaming.problem.empty())
    return renaming;
  renaming.range = found.excerpt->placeOf(found.at->range);
  renaming.name = found.text().str();
  return renaming;
}

/// Returns the edits. Each member of a family keeps its number.
static std::vector<Edit> editsFor(Document &document, const Found &found, StringRef name) {
  std::vector<Edit> edits;
  const size_t prefix = found.text().size();
  for (const NamePlace &place : isOfModule(*found.symbol()) && document.language() == Language::Ptx && !isFamily(found)
                                    ? placesInAll(document, found.text())
                                    : placesInExcerpt(found)) {
    const StringRef number = document.source().text(place.range).drop_front(prefix);
    edits.push_back({place.range, name.str() + number.str()});
  }
  return edits;
}

static std::map<DiagId, unsigned> countsByRule(const DiagnosticList &diagnostics) {
  std::map<DiagId, unsigned> counts;
  for (const Diagnostic &one : diagnostics)
    ++counts[one.id];
  return counts;
}

/// Returns why the renamed module would have a different meaning; empty if its meaning is preserved. Applies the edits
/// and checks the result.
static std::string whyNotMade(Document &document, uint32_t place, llvm::ArrayRef<Edit> edits, StringRef name) {
  std::string text;
  uint32_t at = 0, shifted = place;
  for (const Edit &edit : edits) {
    text += document.text().slice(at, edit.range.begin);
    if (edit.range.begin <= place && place <= edit.range.end)
      shifted = static_cast<uint32_t>(text.size());
    text += edit.text;
    at = edit.range.end;
  }
  text += document.text().drop_front(at);
  Document renamed(document.path().str(), document.language(), std::move(text));
  renamed.setOptions(document.sharedOptions());
  if (countsByRule(renamed.checked().diagnostics) != countsByRule(document.checked().diagnostics))
    return "`" + name.str() + "` would change the meaning of the file: another declaration has the name";
  const std::vector<NamePlace> places = referencesOf(renamed, shifted, /*inDocument=*/true);
  if (places.size() != edits.size())
    return "`" + name.str() + "` is in use: other names would refer to the same declaration";
  return "";
}

Renamed rename(Document &document, uint32_t place, StringRef name) {
  const Found found = findName(document, place);
  if (std::string problem = whyNotRenamed(found); !problem.empty())
    return {{}, std::move(problem)};
  if (!isIdentifier(name))
    return {{}, "`" + name.str() + "` is not an identifier of PTX"};
  if (isa::findSpecialRegister(name))
    return {{}, "`" + name.str() + "` is a special register"};
  std::vector<Edit> edits = editsFor(document, found, name);
  if (std::string problem = whyNotMade(document, place, edits, name); !problem.empty())
    return {{}, std::move(problem)};
  return {std::move(edits), ""};
}

} // namespace ptxray
