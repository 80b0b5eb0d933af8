// Sends diagnostics and code actions in the form of the protocol.
#include "Diagnostics/Manual.h"
#include "Editor/Actions.h"
#include "Server.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>
#include <new>
#include <utility>

namespace ptxray::lsp {

using llvm::StringRef;

/// The largest number of findings that is shown for a document.
static constexpr size_t mostShown = 1000;

static int severityOf(Severity severity) {
  switch (severity) {
  case Severity::Error: return 1;
  case Severity::Warning: return 2;
  case Severity::Pedantic: return 4; // a hint
  }
  return 1;
}

static Json related(const Diagnostic &d, const OpenDocument &open, const Client &client) {
  Json notes = Json::array();
  for (const Note &note : d.notes)
    notes.push_back(
        {{"location", open.location(note.range.value_or(d.range), client)}, {"message", note.message.str()}});
  return notes;
}

static Json item(const Diagnostic &d, const OpenDocument &open, const Client &client) {
  Json out = {{"range", open.range(d.range, client)},
              {"severity", severityOf(d.severity)},
              {"code", d.ruleText()},
              {"source", "ptxray"},
              {"message", d.message()}};
  if (const ManualSection *section = findManualSection(d.spec.manual); section && client.codeDescription)
    out["codeDescription"] = {{"href", section->url()}};
  if (client.relatedInformation && !d.notes.empty())
    out["relatedInformation"] = related(d, open, client);
  if (client.diagnosticTags && d.id == DiagId::UnusedSuppression)
    out["tags"] = {1}; // unnecessary
  return out;
}

Json Server::diagnosticItems(OpenDocument &open) const {
  const DiagnosticList &all = open.document.checked().diagnostics;
  Json items = Json::array();
  for (const Diagnostic &d : all) {
    if (items.size() == mostShown) {
      items.push_back({{"range", open.range(d.range, client)},
                       {"severity", 3},
                       {"source", "ptxray"},
                       {"message", std::to_string(all.size() - mostShown) + " more are not shown"}});
      break;
    }
    items.push_back(item(d, open, client));
  }
  return items;
}

/// Returns the findings as JSON. A server that verifies itself compares them with those of a fresh document: data that
/// the document keeps from earlier texts must have no effect.
Json Server::verifiedItems(OpenDocument &open) const {
  Json items = diagnosticItems(open);
  if (!verifies)
    return items;
  const Document &known = open.document;
  OpenDocument anew(open.uri, known.path().str(), known.language(), known.text().str(), open.version, open.number);
  anew.document.setOptions(known.sharedOptions());
  if (const Json expected = diagnosticItems(anew); items != expected) {
    llvm::errs() << "ptxray: lsp: of the text\n"
                 << known.text() << "\nthis was said:\n"
                 << dump(items) << "\nbut from nothing:\n"
                 << dump(expected) << '\n';
    std::abort();
  }
  return items;
}

void Server::publish(OpenDocument &open) {
  Json params = {{"uri", open.uri}};
  if (open.version.is_number_integer())
    params["version"] = open.version;
  params["diagnostics"] = verifiedItems(open);
  notify("textDocument/publishDiagnostics", std::move(params));
  open.isPublished = true;
}

/// Sends the findings of changed texts when the server has nothing else to do, so that many edits are checked once.
/// Some clients announce that they will pull but never do. Therefore findings are sent to every client until it has
/// pulled once.
void Server::publishStale(const Inbox *inbox) {
  if (hasPulled || !client.takesDiagnostics || state != State::Running)
    return;
  std::string tooLarge; // the document for which memory is too small
  for (auto &[uri, open] : documents) {
    if (inbox && !inbox->isEmpty())
      break;
    try {
      if (!open.isPublished)
        publish(open);
    } catch (const std::bad_alloc &) {
      tooLarge = uri;
      break;
    }
  }
  if (!tooLarge.empty())
    giveUp(std::move(tooLarge));
}

Answer Server::diagnostics(const Json &params) {
  OpenDocument *open = find(params);
  if (!open)
    return {InvalidParams, "no such document is open"};
  if (!std::exchange(hasPulled, true) && client.takesDiagnostics)
    for (const auto &[uri, published] : documents) // the findings sent earlier would be shown twice
      notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
  const std::string id = std::to_string(open->number) + "." + std::to_string(open->document.version());
  if (textField(params, "previousResultId") == StringRef(id))
    return Json{{"kind", "unchanged"}, {"resultId", id}};
  return Json{{"kind", "full"}, {"resultId", id}, {"items", verifiedItems(*open)}};
}

// ---- code actions

Json workspaceEdit(const OpenDocument &open, Json edits, const Client &client) {
  if (!client.documentChanges)
    return {{"changes", {{open.uri, std::move(edits)}}}};
  Json document = {{"uri", open.uri}, {"version", open.version}};
  return {{"documentChanges", {{{"textDocument", std::move(document)}, {"edits", std::move(edits)}}}}};
}

/// Returns whether the client asks for a kind of action, or for a more general kind. Without `only`, it asks for the
/// kinds for the place.
static bool isAsked(const Json *only, StringRef kind, bool byDefault) {
  if (!only || !only->is_array())
    return byDefault;
  return llvm::any_of(*only, [&](const Json &one) {
    if (!one.is_string())
      return false;
    const StringRef asked = one.get_ref<const std::string &>();
    return kind == asked || kind.starts_with(asked.str() + ".");
  });
}

Answer Server::codeActions(const Json &params) {
  OpenDocument *open = find(params);
  const auto part = open ? rangeOf(params, *open) : std::nullopt;
  if (!part)
    return {InvalidParams, "expected a document and a range in it"};
  Json actions = Json::array();
  if (!client.literalActions)
    return actions;
  const Json *context = field(params, "context");
  const Json *only = context ? field(*context, "only") : nullptr;
  if (isAsked(only, "quickfix", true))
    for (const CodeAction &action : actionsIn(open->document, *part)) {
      const Diagnostic &d = open->document.checked().diagnostics[action.diagnostic];
      actions.push_back({{"title", action.title},
                         {"kind", "quickfix"},
                         {"diagnostics", {item(d, *open, client)}},
                         {"isPreferred", action.isSafe},
                         {"edit", workspaceEdit(*open, open->edits(action.edits, client), client)}});
    }
  if (isAsked(only, "source.fixAll.ptxray", false))
    if (const std::vector<Edit> edits = fixAll(open->document); !edits.empty())
      actions.push_back({{"title", "apply all safe fixes"},
                         {"kind", "source.fixAll.ptxray"},
                         {"edit", workspaceEdit(*open, open->edits(edits, client), client)}});
  return actions;
}

} // namespace ptxray::lsp
