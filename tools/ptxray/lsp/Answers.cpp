// Converts the answers of lib/Editor to those of the protocol. There is one method per request.
#include "Editor/Completion.h"
#include "Editor/Hover.h"
#include "Editor/InlayHints.h"
#include "Editor/Names.h"
#include "Editor/SemanticTokens.h"
#include "Editor/Signature.h"
#include "Editor/Structure.h"
#include "Format/Format.h"
#include "Server.h"
#include "llvm/ADT/STLExtras.h"
#include <charconv>

namespace ptxray::lsp {

using llvm::StringRef;

static const Answer noPlace{InvalidParams, "expected a location in an open document"};
static const Answer noDocument{InvalidParams, "no such document is open"};

// ---- hover

static std::string markdownOf(const Hover &hover) {
  std::string out;
  for (const HoverPart &part : hover.parts) {
    out += out.empty() ? "" : "\n\n";
    switch (part.kind) {
    case HoverPart::Text:
      for (const char c : part.text) // line ends must remain
        out += c == '\n' ? "  \n" : std::string(1, c);
      break;
    case HoverPart::Code: out += "```ptx\n" + part.text + "\n```"; break;
    case HoverPart::Link: out += "[" + part.text + "](" + part.url + ")"; break;
    }
  }
  return out;
}

static std::string plainTextOf(const Hover &hover) {
  std::string out;
  for (const HoverPart &part : hover.parts)
    out += (out.empty() ? "" : "\n\n") + part.text + (part.kind == HoverPart::Link ? "\n" + part.url : "");
  return out;
}

Answer Server::hover(const Json &params) {
  const auto spot = spotOf(params);
  if (!spot)
    return noPlace;
  const std::optional<Hover> found = hoverAt(spot->open.document, spot->offset);
  if (!found)
    return nothing;
  Json contents = {{"kind", client.markdown ? "markdown" : "plaintext"},
                   {"value", client.markdown ? markdownOf(*found) : plainTextOf(*found)}};
  return Json{{"contents", std::move(contents)}, {"range", spot->open.range(found->range, client)}};
}

// ---- completion

static int kindNumber(CompletionItem::Kind kind) {
  switch (kind) {
  case CompletionItem::Opcode:
  case CompletionItem::Directive: return 14; // Keyword
  case CompletionItem::Qualifier: return 20; // EnumMember
  case CompletionItem::Type: return 25;      // TypeParameter
  case CompletionItem::Register:
  case CompletionItem::Variable:
  case CompletionItem::Parameter: return 6; // Variable
  case CompletionItem::Special: return 21;  // Constant
  case CompletionItem::Label: return 18;    // Reference
  case CompletionItem::Function: return 3;  // Function
  case CompletionItem::Value: return 12;
  }
  return 1;
}

Answer Server::completion(const Json &params) {
  const auto spot = spotOf(params);
  if (!spot)
    return noPlace;
  const Completion found = completionAt(spot->open.document, spot->offset);
  const Json range = spot->open.range(found.replaced, client);
  Json items = Json::array();
  char order[16];
  for (const CompletionItem &item : found.items) {
    std::snprintf(order, sizeof order, "%05u", item.rank);
    Json one = {{"label", item.label},
                {"kind", kindNumber(item.kind)},
                {"sortText", order},
                {"filterText", item.text},
                {"textEdit", {{"range", range}, {"newText", item.text}}}};
    if (item.label != item.text) // Emacs compares it with the typed text
      one["insertText"] = item.text;
    if (!item.detail.empty())
      one["detail"] = item.detail;
    if (item.isLacking && client.itemTags)
      one["tags"] = {1};
    else if (item.isLacking && client.deprecatedItems)
      one["deprecated"] = true;
    items.push_back(std::move(one));
  }
  return Json{{"isIncomplete", found.isCut}, {"items", std::move(items)}};
}

// ---- signature

Answer Server::signatureHelp(const Json &params) {
  const auto spot = spotOf(params);
  if (!spot)
    return noPlace;
  const std::optional<SignatureHelp> help = signatureAt(spot->open.document, spot->offset);
  if (!help)
    return nothing;
  Json signatures = Json::array();
  for (const FormSignature &one : help->signatures) {
    Json parameters = Json::array();
    for (const auto &[index, range] : llvm::enumerate(one.parameters)) {
      Json parameter = {{"label", one.label.substr(range.begin, range.size())}};
      if (client.labelOffsets)
        parameter["label"] = {range.begin, range.end};
      if (index < one.explanations.size())
        parameter["documentation"] = one.explanations[index];
      parameters.push_back(std::move(parameter));
    }
    signatures.push_back({{"label", one.label}, {"parameters", std::move(parameters)}});
  }
  return Json{{"signatures", std::move(signatures)}, {"activeSignature", 0}, {"activeParameter", help->active}};
}

// ---- names

Answer Server::definition(const Json &params) {
  const auto spot = spotOf(params);
  if (!spot)
    return noPlace;
  Json places = Json::array();
  for (const Range range : definitionOf(spot->open.document, spot->offset))
    places.push_back(spot->open.location(range, client));
  return places;
}

Answer Server::references(const Json &params) {
  const auto spot = spotOf(params);
  if (!spot)
    return noPlace;
  const bool withDeclaration = flag(params, {"context", "includeDeclaration"});
  Json places = Json::array();
  for (const NamePlace &one : referencesOf(spot->open.document, spot->offset, /*inDocument=*/true))
    if (withDeclaration || !one.isDeclaration)
      places.push_back(spot->open.location(one.range, client));
  return places;
}

Answer Server::highlight(const Json &params) {
  const auto spot = spotOf(params);
  if (!spot)
    return noPlace;
  Json places = Json::array();
  for (const NamePlace &one : referencesOf(spot->open.document, spot->offset, /*inDocument=*/false))
    places.push_back({{"range", spot->open.range(one.range, client)},
                      {"kind", one.isWritten       ? 3
                               : one.isDeclaration ? 1
                                                   : 2}}); // these mean write, text, and read
  return places;
}

Answer Server::prepareRename(const Json &params) {
  const auto spot = spotOf(params);
  if (!spot)
    return noPlace;
  const Renaming renaming = renamingAt(spot->open.document, spot->offset);
  if (!renaming.problem.empty())
    return {RequestFailed, renaming.problem};
  return Json{{"range", spot->open.range(renaming.range, client)}, {"placeholder", renaming.name}};
}

Answer Server::rename(const Json &params) {
  const auto spot = spotOf(params);
  const auto name = textField(params, "newName");
  if (!spot || !name)
    return noPlace;
  const Renamed renamed = ptxray::rename(spot->open.document, spot->offset, *name);
  if (!renamed.problem.empty())
    return {RequestFailed, renamed.problem};
  return workspaceEdit(spot->open, spot->open.edits(renamed.edits, client), client);
}

// ---- the shape of a document

static int kindNumber(DocumentSymbol::Kind kind) {
  switch (kind) {
  case DocumentSymbol::Kernel:
  case DocumentSymbol::Function: return 12;
  case DocumentSymbol::Variable:
  case DocumentSymbol::Parameter: return 13;
  case DocumentSymbol::Register: return 8; // Field
  case DocumentSymbol::Label: return 20;   // Key
  }
  return 13;
}

// NOLINTNEXTLINE(misc-no-recursion): functions have children, which have none
static Json symbolJson(const DocumentSymbol &symbol, const OpenDocument &open, const Client &client) {
  Json one = {{"name", symbol.name.empty() ? "?" : symbol.name},
              {"detail", symbol.detail},
              {"kind", kindNumber(symbol.kind)},
              {"range", open.range(symbol.range, client)},
              {"selectionRange", open.range(symbol.nameRange, client)}};
  if (!symbol.children.empty()) {
    Json children = Json::array();
    for (const DocumentSymbol &child : symbol.children)
      children.push_back(symbolJson(child, open, client));
    one["children"] = std::move(children);
  }
  return one;
}

/// Flattens the tree for clients that support no trees.
// NOLINTNEXTLINE(misc-no-recursion): functions have children, which have none
static void addFlat(llvm::ArrayRef<DocumentSymbol> symbols, StringRef owner, const OpenDocument &open,
                    const Client &client, Json &out) {
  for (const DocumentSymbol &symbol : symbols) {
    out.push_back({{"name", symbol.name},
                   {"kind", kindNumber(symbol.kind)},
                   {"location", open.location(symbol.range, client)},
                   {"containerName", owner.str()}});
    addFlat(symbol.children, symbol.name, open, client, out);
  }
}

Answer Server::symbols(const Json &params) {
  OpenDocument *open = find(params);
  if (!open)
    return noDocument;
  const std::vector<DocumentSymbol> all = documentSymbols(open->document);
  Json out = Json::array();
  if (client.hierarchicalSymbols)
    for (const DocumentSymbol &symbol : all)
      out.push_back(symbolJson(symbol, *open, client));
  else
    addFlat(all, "", *open, client, out);
  return out;
}

Answer Server::folding(const Json &params) {
  OpenDocument *open = find(params);
  if (!open)
    return noDocument;
  Json out = Json::array();
  for (const Folding &one : foldings(open->document)) {
    const Json begin = open->position(one.range.begin, client), end = open->position(one.range.end, client);
    const uint32_t first = begin["line"], behind = end["line"];
    // The line with the closing brace stays visible.
    const uint32_t last = one.kind == Folding::Region ? behind - 1 : behind;
    if (last <= first)
      continue;
    Json range = {{"startLine", first}, {"endLine", last}};
    if (one.kind == Folding::Comment)
      range["kind"] = "comment";
    out.push_back(std::move(range));
  }
  return out;
}

Answer Server::selection(const Json &params) {
  OpenDocument *open = find(params);
  const Json *positions = field(params, "positions");
  if (!open || !positions || !positions->is_array())
    return noDocument;
  Json out = Json::array();
  for (const Json &given : *positions) {
    const auto position = readPosition(given);
    if (!position)
      return noPlace;
    Json chain;
    const std::vector<Range> ranges = selectionsAt(open->document, open->offsetOf(*position, client));
    for (const Range range : llvm::reverse(ranges)) {
      Json one = {{"range", open->range(range, client)}};
      if (!chain.is_null())
        one["parent"] = std::move(chain);
      chain = std::move(one);
    }
    out.push_back(std::move(chain));
  }
  return out;
}

// ---- colours

const Json &tokenLegend() {
  static const Json legend = {
      {"tokenTypes",
       {"keyword", "modifier", "type", "macro", "variable", "enumMember", "label", "function", "parameter", "property",
        "number"}},
      {"tokenModifiers", {"declaration", "readonly", "deprecated"}},
  };
  return legend;
}

/// Writes a number and a comma.
static inline char *putNumber(char *at, uint32_t number) {
  constexpr size_t mostDigits = 10;
  if (number < 10)
    *at++ = static_cast<char>('0' + number);
  else
    at = std::to_chars(at, at + mostDigits, number).ptr;
  *at++ = ',';
  return at;
}

/// Writes the answer as text, because a million tokens would be five million values.
static Answer tokensAnswer(llvm::ArrayRef<SemanticToken> tokens, const OpenDocument &open, const Client &client) {
  const StringRef text = open.document.text();
  const Encoding encoding = isAscii(text) ? Encoding::Utf8 : client.encoding; // then a column is the same as a byte
  std::string out = "{\"data\":[";
  out.reserve(tokens.size() * 12 + 64);
  uint32_t line = 0, column = 0, counted = 0; // `column` belongs to the offset `counted`
  for (const SemanticToken &token : tokens) {
    const uint32_t before = line, columnBefore = column;
    line = open.lines.lineFrom(line, token.range.begin);
    if (line != before) {
      counted = open.lines.startOf(line);
      column = 0;
    }
    column += columnsOf(text.slice(counted, token.range.begin), encoding);
    counted = token.range.begin;
    const uint32_t length = columnsOf(text.slice(token.range.begin, token.range.end), encoding);
    char numbers[64];
    char *end = putNumber(numbers, line - before);
    end = putNumber(end, line == before ? column - columnBefore : column);
    end = putNumber(end, length);
    end = putNumber(end, token.kind);
    end = putNumber(end, token.modifiers);
    out.append(numbers, static_cast<size_t>(end - numbers)); // the overload for iterators is slower
  }
  if (!tokens.empty())
    out.pop_back(); // the last comma
  return Answer::ofText(std::move(out) + "]}");
}

Answer Server::tokens(const Json &params) {
  OpenDocument *open = find(params);
  if (!open)
    return noDocument;
  const Range all{0, static_cast<uint32_t>(open->document.text().size())};
  return tokensAnswer(semanticTokens(open->document, all), *open, client);
}

Answer Server::tokensInRange(const Json &params) {
  OpenDocument *open = find(params);
  const auto range = open ? rangeOf(params, *open) : std::nullopt;
  if (!range)
    return noPlace;
  return tokensAnswer(semanticTokens(open->document, *range), *open, client);
}

// ---- hints

Answer Server::inlayHints(const Json &params) {
  OpenDocument *open = find(params);
  const auto range = open ? rangeOf(params, *open) : std::nullopt;
  if (!range)
    return noPlace;
  Json out = Json::array();
  if (!showsHints)
    return out;
  for (const InlayHint &hint : ptxray::inlayHints(open->document, *range)) {
    Json one = {{"position", open->position(hint.place, client)}, {"label", hint.label}, {"paddingLeft", true}};
    if (!hint.more.empty())
      one["tooltip"] = hint.more;
    out.push_back(std::move(one));
  }
  return out;
}

// ---- layout

/// Writes the answer as text, because there may be an edit for each line. The edits are in the order of the text.
static Answer editsAnswer(llvm::ArrayRef<Edit> edits, const OpenDocument &open, const Client &client) {
  const StringRef text = open.document.text();
  const Encoding encoding = isAscii(text) ? Encoding::Utf8 : client.encoding;
  std::string out = "[";
  uint32_t line = 0;
  const auto put = [&](StringRef name, uint32_t offset) {
    line = open.lines.lineFrom(line, offset);
    out += "\"" + name.str() + "\":{\"line\":" + std::to_string(line) +
           ",\"character\":" + std::to_string(columnsOf(text.slice(open.lines.startOf(line), offset), encoding)) + "}";
  };
  for (const Edit &edit : edits) {
    out += out.size() > 1 ? ",{\"range\":{" : "{\"range\":{";
    put("start", edit.range.begin);
    out += ",";
    put("end", edit.range.end);
    out += "},\"newText\":" + dump(Json(edit.text.str())) + "}";
  }
  return Answer::ofText(std::move(out) + "]");
}

/// Formats the lines of a range.
Answer Server::formatting(const Json &params) {
  OpenDocument *open = find(params);
  if (!open)
    return noDocument;
  if (!open->document.isPtx())
    return Json::array();
  const SourceBuffer &source = open->document.source();
  LineSpan lines;
  if (field(params, "range")) {
    const auto part = rangeOf(params, *open);
    if (!part)
      return noPlace;
    const LineColumn end = source.lineColumn(part->end);
    lines.first = source.lineColumn(part->begin).line;
    lines.last = std::max(lines.first, end.line - (end.column == 1)); // whole lines end at the start of the next line
  }
  const Formatting made = formattingOf(source, open->format, lines);
  if (!made.refusal.empty()) // the report of the syntax error is shown already
    return Json(nullptr);
  return editsAnswer(editsOf(made, source.text(), open->format), *open, client);
}

} // namespace ptxray::lsp
