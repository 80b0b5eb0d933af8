#include "Server.h"
#include "llvm/ADT/STLExtras.h"
#include <new>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ptxray::lsp {

using llvm::StringRef;

void returnFreeMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

/// After messages and texts of at least this size, memory is worth returning.
static constexpr size_t largeMessage = 1 << 20, largeText = 1 << 19;

// ---- the methods by name

const llvm::StringMap<Server::Request> &Server::requests() {
  static const llvm::StringMap<Request> all = {
      {"initialize", &Server::initialize},
      {"shutdown", &Server::shutdown},
      {"textDocument/diagnostic", &Server::diagnostics},
      {"textDocument/codeAction", &Server::codeActions},
      {"textDocument/hover", &Server::hover},
      {"textDocument/completion", &Server::completion},
      {"textDocument/signatureHelp", &Server::signatureHelp},
      {"textDocument/definition", &Server::definition},
      {"textDocument/declaration", &Server::definition},
      {"textDocument/references", &Server::references},
      {"textDocument/documentHighlight", &Server::highlight},
      {"textDocument/prepareRename", &Server::prepareRename},
      {"textDocument/rename", &Server::rename},
      {"textDocument/documentSymbol", &Server::symbols},
      {"textDocument/foldingRange", &Server::folding},
      {"textDocument/selectionRange", &Server::selection},
      {"textDocument/semanticTokens/full", &Server::tokens},
      {"textDocument/semanticTokens/range", &Server::tokensInRange},
      {"textDocument/inlayHint", &Server::inlayHints},
      {"textDocument/formatting", &Server::formatting},
      {"textDocument/rangeFormatting", &Server::formatting},
  };
  return all;
}

const llvm::StringMap<Server::Notification> &Server::notifications() {
  static const llvm::StringMap<Notification> all = {
      {"initialized", &Server::initialized},
      {"textDocument/didOpen", &Server::didOpen},
      {"textDocument/didChange", &Server::didChange},
      {"textDocument/didSave", &Server::didSave},
      {"textDocument/didClose", &Server::didClose},
      {"workspace/didChangeConfiguration", &Server::changeConfiguration},
      {"workspace/didChangeWatchedFiles", &Server::filesChanged},
  };
  return all;
}

// ---- messages

void Server::notify(StringRef method, Json params) {
  send(out, {{"jsonrpc", "2.0"}, {"method", method.str()}, {"params", std::move(params)}});
}

/// Sends a request. The client's answer carries no information.
void Server::request(StringRef method, Json params) {
  Json message = {{"jsonrpc", "2.0"}, {"id", "ptxray-" + std::to_string(++asked)}, {"method", method.str()}};
  if (!params.is_null())
    message["params"] = std::move(params);
  send(out, message);
}

/// Asks the client to pull the findings again.
void Server::requestRefresh() {
  const std::pair<bool, const char *> kept[] = {{client.refreshesDiagnostics, "workspace/diagnostic/refresh"},
                                                {client.refreshesTokens, "workspace/semanticTokens/refresh"},
                                                {client.refreshesHints, "workspace/inlayHint/refresh"}};
  for (const auto &[isKept, method] : kept)
    if (isKept)
      request(method, nullptr);
}

void Server::reply(const Json &id, const Answer &answer) {
  if (!answer.text.empty())
    return sendBody(out, R"({"jsonrpc":"2.0","id":)" + dump(id) + ",\"result\":" + answer.text + "}");
  Json message = {{"jsonrpc", "2.0"}, {"id", id}};
  if (answer.error)
    message["error"] = {{"code", answer.error}, {"message", answer.problem}};
  else
    message["result"] = answer.result;
  send(out, message);
}

Answer Server::answer(const Message &message) {
  if (message.error)
    return {static_cast<ErrorCode>(message.error), message.problem};
  if (state == State::New && message.method != "initialize")
    return {ServerNotInitialized, "the first request is `initialize`"};
  if (state == State::ShutDown)
    return {InvalidRequest, "the server is shut down"};
  const auto known = requests().find(message.method);
  if (known == requests().end())
    return {MethodNotFound, "no method `" + message.method + "`"};
  try {
    return (this->*known->second)(message.params);
  } catch (const std::bad_alloc &) {
    return {InternalError, "out of memory"};
  }
}

void Server::handle(Message &message) {
  if (message.isRequest() || message.error)
    return reply(message.id, answer(message));
  if (message.method == "exit") {
    state = State::Ended;
    return;
  }
  const auto known = notifications().find(message.method);
  if (state != State::Running || known == notifications().end())
    return;
  try {
    (this->*known->second)(message.params);
  } catch (const std::bad_alloc &) {
    if (OpenDocument *open = find(message.params))
      giveUp(open->uri);
    else
      complain("there is no memory for `" + message.method + "`");
  }
}

/// Closes a document for which memory is too small. The others stay open.
void Server::giveUp(std::string uri) {
  documents.erase(uri);
  returnFreeMemory();
  complain("there is no memory to check `" + pathOf(uri) + "`: it is ignored until it is opened again");
}

int Server::run(Inbox &inbox) {
  for (;;) {
    std::optional<Message> message = inbox.next();
    const bool wasShutDown = state == State::ShutDown;
    if (!message)
      return 1; // a session should end with `exit`
    handle(*message);
    if (state == State::Ended)
      return wasShutDown ? 0 : 1;
    holdsMemory |= message->size > largeMessage;
    message.reset();
    publishStale(&inbox);
    if (holdsMemory && inbox.isEmpty()) { // returns temporary memory to the system
      returnFreeMemory();
      holdsMemory = false;
    }
  }
}

void Server::take(StringRef body) {
  if (std::optional<Message> message = readMessage(body))
    handle(*message);
  publishStale(nullptr);
}

// ---- life

Answer Server::initialize(const Json &params) {
  if (state != State::New)
    return {InvalidRequest, "`initialize` comes once"};
  client = readClient(params);
  readSettings(field(params, "initializationOptions"));
  state = State::Running;
  Json can = {
      {"positionEncoding", nameOf(client.encoding).str()},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
      {"codeActionProvider",
       client.literalActions ? Json{{"codeActionKinds", {"quickfix", "source.fixAll.ptxray"}}} : Json(false)},
      {"hoverProvider", true},
      {"completionProvider", {{"triggerCharacters", {".", "%"}}}},
      {"signatureHelpProvider", {{"triggerCharacters", {" ", ","}}}},
      {"definitionProvider", true},
      {"declarationProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"renameProvider", client.preparesRename ? Json{{"prepareProvider", true}} : Json(true)},
      {"documentSymbolProvider", true},
      {"documentFormattingProvider", true},
      {"documentRangeFormattingProvider", true},
      {"foldingRangeProvider", true},
      {"inlayHintProvider", true},
      {"selectionRangeProvider", true},
      {"semanticTokensProvider", {{"legend", tokenLegend()}, {"full", true}, {"range", true}}},
  };
  if (client.pullsDiagnostics)
    can["diagnosticProvider"] = {
        {"identifier", "ptxray"}, {"interFileDependencies", false}, {"workspaceDiagnostics", false}};
  return Json{{"capabilities", std::move(can)}, {"serverInfo", {{"name", "ptxray"}, {"version", PTXRAY_VERSION}}}};
}

/// Asks the client to watch configuration files, if it supports that.
void Server::initialized(const Json &) {
  if (!client.watchesFiles)
    return;
  const Json watchers = {{"watchers", {{{"globPattern", "**/.ptxray"}}}}};
  const Json registration = {
      {"id", "configurations"}, {"method", "workspace/didChangeWatchedFiles"}, {"registerOptions", watchers}};
  request("client/registerCapability", {{"registrations", Json::array({registration})}});
}

Answer Server::shutdown(const Json &) {
  state = State::ShutDown;
  documents.clear();
  return nothing;
}

/// Reads `{"ptxray": {"target": "sm_90a"}}`, or the inner object alone.
void Server::readSettings(const Json *given) {
  if (!given)
    return;
  if (const Json *own = field(*given, "ptxray"))
    given = own;
  settings.clear();
  for (const StringRef name : {"target", "arch", "ptx"})
    if (const auto value = textField(*given, name); value && !value->empty())
      settings.emplace_back(name, *value);
  if (flag(*given, {"pedantic"}))
    settings.emplace_back("pedantic", "yes");
  const Json *hints = field(*given, "inlayHints");
  showsHints = !hints || !hints->is_boolean() || hints->get<bool>();
}

void Server::changeConfiguration(const Json &params) {
  if (const Json *given = field(params, "settings"); given && given->is_object())
    readSettings(given);
  filesChanged(params);
}

void Server::filesChanged(const Json &) {
  for (auto &[uri, open] : documents)
    setOptions(open);
  requestRefresh();
}

/// Shows each problem only once.
void Server::complain(const std::string &problem) {
  if (problem == std::exchange(lastComplaint, problem))
    return;
  notify("window/showMessage", {{"type", 2}, {"message", "ptxray: " + problem}});
}

void Server::setOptions(OpenDocument &open) {
  const std::vector<Configuration::Setting> asked(settings.begin(), settings.end());
  const StringRef path = open.document.path();
  const std::optional<std::string> file = path.empty() ? std::optional<std::string>("") : std::nullopt;
  const auto read = Configuration(asked, file).settingsFor(path);
  if (!read)
    complain(read.problem());
  const Settings settings = read ? **read : Settings();
  open.document.setOptions(std::make_shared<CheckOptions>(settings.check));
  open.format = settings.format;
  open.isPublished = false;
}

// ---- documents

OpenDocument *Server::find(const Json &params) {
  const Json *named = field(params, "textDocument");
  const auto uri = named ? textField(*named, "uri") : std::nullopt;
  const auto found = uri ? documents.find(uri->str()) : documents.end();
  if (found == documents.end())
    return nullptr;
  holdsMemory |= found->second.document.text().size() > largeText;
  return &found->second;
}

std::optional<Server::Spot> Server::spotOf(const Json &params) {
  OpenDocument *open = find(params);
  const Json *given = field(params, "position");
  const auto position = given ? readPosition(*given) : std::nullopt;
  if (!open || !position)
    return std::nullopt;
  return Spot{*open, open->offsetOf(*position, client)};
}

std::optional<Range> Server::rangeOf(const Json &params, const OpenDocument &open) const {
  const Json *range = field(params, "range");
  const Json *begin = range ? field(*range, "start") : nullptr, *end = range ? field(*range, "end") : nullptr;
  const auto from = begin ? readPosition(*begin) : std::nullopt, to = end ? readPosition(*end) : std::nullopt;
  return from && to ? std::optional(open.rangeOf(*from, *to, client)) : std::nullopt;
}

/// Returns the language by the client's name for it, or otherwise by the extension of the path.
static Language languageFor(StringRef id, StringRef path) {
  static constexpr std::pair<llvm::StringLiteral, Language> ids[] = {
      {"ptx", Language::Ptx},   {"cuda", Language::Cuda},   {"cuda-cpp", Language::Cuda}, {"cpp", Language::Cuda},
      {"c", Language::Cuda},    {"cuda-c", Language::Cuda}, {"python", Language::Python}, {"llvm", Language::Llvm},
      {"mlir", Language::Llvm}, {"rust", Language::Rust},   {"julia", Language::Julia},   {"mojo", Language::Mojo},
  };
  for (const auto &[name, language] : ids)
    if (name == id)
      return language;
  return languageOf(path);
}

void Server::didOpen(const Json &params) {
  const Json *given = field(params, "textDocument");
  const auto uri = given ? textField(*given, "uri") : std::nullopt;
  const auto text = given ? textField(*given, "text") : std::nullopt;
  if (!uri || !text)
    return;
  const std::string path = pathOf(*uri);
  const Json *version = field(*given, "version");
  documents.erase(uri->str());
  OpenDocument &open =
      documents
          .try_emplace(uri->str(), uri->str(), path, languageFor(textField(*given, "languageId").value_or(""), path),
                       text->str(), version ? *version : nothing, ++opened)
          .first->second;
  setOptions(open);
}

void Server::didChange(const Json &params) {
  OpenDocument *open = find(params);
  const Json *changes = field(params, "contentChanges");
  if (!open || !changes || !changes->is_array())
    return;
  if (const Json *version = field(params["textDocument"], "version"))
    open->version = *version;
  open->isPublished = false; // findings for this version
  for (const Json &change : *changes) {
    const auto text = textField(change, "text");
    if (!text)
      continue;
    const Json *range = field(change, "range");
    if (!range || range->is_null()) {
      open->replaceAll(text->str());
      continue;
    }
    if (const auto part = rangeOf(change, *open))
      open->edit(*part, *text);
  }
}

/// Reads the configuration again if a configuration file was saved.
void Server::didSave(const Json &params) {
  if (OpenDocument *open = find(params))
    setOptions(*open);
}

void Server::didClose(const Json &params) {
  OpenDocument *open = find(params);
  if (!open)
    return;
  const std::string uri = open->uri;
  documents.erase(uri);
  holdsMemory = true;
  if (!hasPulled && client.takesDiagnostics)
    notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
}

} // namespace ptxray::lsp
