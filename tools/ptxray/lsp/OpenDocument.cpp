#include "OpenDocument.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

namespace ptxray::lsp {

using llvm::StringRef;

const Json *field(const Json &value, StringRef name) {
  if (!value.is_object())
    return nullptr;
  const auto found = value.find(name.str());
  return found == value.end() ? nullptr : &*found;
}

std::optional<StringRef> textField(const Json &value, StringRef name) {
  const Json *found = field(value, name);
  if (!found || !found->is_string())
    return std::nullopt;
  return found->get_ref<const std::string &>();
}

static const Json *fieldAt(const Json &value, std::initializer_list<StringRef> path) {
  const Json *at = &value;
  for (const StringRef name : path)
    if (at = field(*at, name); !at)
      return nullptr;
  return at;
}

bool flag(const Json &value, std::initializer_list<StringRef> path) {
  const Json *found = fieldAt(value, path);
  return found && found->is_boolean() && found->get<bool>();
}

static bool hasMarkdown(const Json *formats) {
  return formats && formats->is_array() && std::find(formats->begin(), formats->end(), "markdown") != formats->end();
}

Client readClient(const Json &params) {
  Client client;
  const Json none = Json::object();
  const Json *capabilities = field(params, "capabilities");
  const Json &can = capabilities ? *capabilities : none;
  if (const Json *encodings = fieldAt(can, {"general", "positionEncodings"}); encodings && encodings->is_array())
    for (const Json &name : *encodings)
      if (const auto known = name.is_string() ? findEncoding(name.get_ref<const std::string &>()) : std::nullopt) {
        client.encoding = *known;
        break;
      }
  const Json *editor = field(can, "textDocument");
  const Json &text = editor ? *editor : none;
  client.pullsDiagnostics = field(text, "diagnostic") && field(text, "diagnostic")->is_object();
  client.takesDiagnostics = !client.pullsDiagnostics || field(text, "publishDiagnostics");
  client.documentChanges = flag(can, {"workspace", "workspaceEdit", "documentChanges"});
  client.markdown = hasMarkdown(fieldAt(text, {"hover", "contentFormat"}));
  client.itemTags = fieldAt(text, {"completion", "completionItem", "tagSupport"}) != nullptr;
  client.deprecatedItems = flag(text, {"completion", "completionItem", "deprecatedSupport"});
  client.labelOffsets =
      flag(text, {"signatureHelp", "signatureInformation", "parameterInformation", "labelOffsetSupport"});
  client.preparesRename = flag(text, {"rename", "prepareSupport"});
  client.relatedInformation =
      flag(text, {"publishDiagnostics", "relatedInformation"}) || flag(text, {"diagnostic", "relatedInformation"});
  client.codeDescription = flag(text, {"publishDiagnostics", "codeDescriptionSupport"}) ||
                           flag(text, {"diagnostic", "codeDescriptionSupport"});
  client.diagnosticTags =
      fieldAt(text, {"publishDiagnostics", "tagSupport"}) || fieldAt(text, {"diagnostic", "tagSupport"});
  client.hierarchicalSymbols = flag(text, {"documentSymbol", "hierarchicalDocumentSymbolSupport"});
  client.watchesFiles = flag(can, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"});
  client.refreshesDiagnostics = client.pullsDiagnostics && flag(can, {"workspace", "diagnostics", "refreshSupport"});
  client.refreshesTokens = flag(can, {"workspace", "semanticTokens", "refreshSupport"});
  client.refreshesHints = flag(can, {"workspace", "inlayHint", "refreshSupport"});
  client.literalActions = fieldAt(text, {"codeAction", "codeActionLiteralSupport"}) != nullptr;
  return client;
}

void OpenDocument::edit(Range part, StringRef text) {
  document.edit(part, text);
  lines.edited(document.text(), part, static_cast<uint32_t>(text.size()));
}

void OpenDocument::replaceAll(std::string text) {
  document.replaceAll(std::move(text));
  lines = Lines(document.text());
}

uint32_t OpenDocument::offsetOf(Position position, const Client &client) const {
  return lines.offsetOf(document.text(), position, client.encoding);
}

Range OpenDocument::rangeOf(Position begin, Position end, const Client &client) const {
  const uint32_t from = offsetOf(begin, client);
  return {from, std::max(from, offsetOf(end, client))};
}

Json OpenDocument::position(uint32_t offset, const Client &client) const {
  const Position at = lines.positionOf(document.text(), offset, client.encoding);
  return {{"line", at.line}, {"character", at.column}};
}

Json OpenDocument::range(Range range, const Client &client) const {
  return {{"start", position(range.begin, client)}, {"end", position(range.end, client)}};
}

Json OpenDocument::location(Range range, const Client &client) const {
  return {{"uri", uri}, {"range", this->range(range, client)}};
}

Json OpenDocument::edits(llvm::ArrayRef<Edit> edits, const Client &client) const {
  Json out = Json::array();
  for (const Edit &edit : edits)
    out.push_back({{"range", range(edit.range, client)}, {"newText", edit.text.str()}});
  return out;
}

static std::optional<uint32_t> readCount(const Json *value) {
  if (!value || !value->is_number_unsigned())
    return std::nullopt;
  return static_cast<uint32_t>(std::min<uint64_t>(value->get<uint64_t>(), UINT32_MAX));
}

std::optional<Position> readPosition(const Json &value) {
  const auto line = readCount(field(value, "line")), column = readCount(field(value, "character"));
  return line && column ? std::optional(Position{*line, *column}) : std::nullopt;
}

std::string pathOf(StringRef uri) {
  if (!uri.consume_front("file://"))
    return "";
  uri = uri.drop_while([](char c) { return c != '/'; }); // skips a host
  std::string path;
  for (size_t i = 0; i < uri.size(); ++i) {
    unsigned code = 0;
    if (uri[i] == '%' && i + 2 < uri.size() && !uri.substr(i + 1, 2).getAsInteger(16, code)) {
      path += static_cast<char>(code);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

} // namespace ptxray::lsp
