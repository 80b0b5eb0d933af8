// Sends any bytes to the language server, as an editor would. A text that begins with `Content-` is a stream of
// messages. Any other text is opened as a document, edited, and queried at positions that the text itself chooses. The
// server must end without a fault, answer each request once, and keep its lines in step with the text.
#include "lsp/Server.h"
#include <cstdlib>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

using namespace ptxray;
using namespace ptxray::lsp;
using llvm::StringRef;

static void require(bool holds, const char *what) {
  if (holds)
    return;
  llvm::errs() << what << '\n';
  std::abort();
}

static size_t bytesRead = 0;

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  return std::atexit([] { llvm::errs() << bytesRead << " bytes of protocol were read\n"; });
}

/// Returns what the server writes when it reads the text.
static std::string answersTo(StringRef text) {
  bytesRead += text.size();
  const int file = memfd_create("messages", 0);
  require(write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()), "no memory");
  lseek(file, 0, SEEK_SET);
  std::string answers;
  llvm::raw_string_ostream out(answers);
  Inbox inbox(file);
  Server(out, /*verifies=*/true).run(inbox);
  while (inbox.next()) // the thread still reads
    ;
  close(file);
  return answers;
}

static uint32_t random(uint64_t &state) {
  state = state * 6364136223846793005 + 1442695040888963407;
  return static_cast<uint32_t>(state >> 33);
}

/// Writes messages about a text.
class Dialogue {
public:
  explicit Dialogue(StringRef text) : state(std::hash<std::string_view>()(text)), text(text) {}
  std::string all();
  unsigned requests = 0;

private:
  void send(const Json &message) {
    llvm::raw_string_ostream stream(out);
    lsp::send(stream, message);
  }
  void notify(const char *method, Json params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
  }
  void request(const char *method, Json params) {
    send({{"jsonrpc", "2.0"}, {"id", ++requests}, {"method", method}, {"params", std::move(params)}});
  }
  Json position() {
    const auto lines = static_cast<uint32_t>(text.count('\n') + 2);
    return {{"line", random(state) % lines}, {"character", random(state) % 60}};
  }
  void edit();
  void ask();

  uint64_t state;
  StringRef text;
  std::string out;
  const Json document = {{"uri", "file:///a.ptx"}};
};

void Dialogue::edit() {
  Json change = {{"text", text.substr(random(state) % (text.size() + 1), random(state) % 20).str()}};
  if (random(state) % 8)
    change["range"] = {{"start", position()}, {"end", position()}};
  notify("textDocument/didChange", {{"textDocument", document}, {"contentChanges", {std::move(change)}}});
}

void Dialogue::ask() {
  static constexpr const char *methods[] = {"hover",
                                            "completion",
                                            "signatureHelp",
                                            "definition",
                                            "references",
                                            "documentHighlight",
                                            "rename",
                                            "prepareRename",
                                            "codeAction",
                                            "semanticTokens/full",
                                            "semanticTokens/range",
                                            "documentSymbol",
                                            "foldingRange",
                                            "selectionRange",
                                            "formatting",
                                            "inlayHint"};
  const Json at = position();
  request((std::string("textDocument/") + methods[random(state) % std::size(methods)]).c_str(),
          {{"textDocument", document},
           {"position", at},
           {"positions", {at}},
           {"range", {{"start", at}, {"end", position()}}},
           {"newName", "%x"},
           {"context", {{"includeDeclaration", true}, {"only", {"source.fixAll", "quickfix"}}}}});
}

std::string Dialogue::all() {
  static constexpr const char *languages[] = {"ptx", "ptx", "cuda", "python", "llvm"};
  const Json encodings = {"utf-16", "utf-8", "utf-32"};
  request("initialize", {{"capabilities",
                          {{"general", {{"positionEncodings", {encodings[random(state) % 3]}}}},
                           {"textDocument", {{"codeAction", {{"codeActionLiteralSupport", Json::object()}}}}}}}});
  Json opened = document;
  opened["text"] = text.str();
  opened["languageId"] = languages[random(state) % std::size(languages)];
  notify("textDocument/didOpen", {{"textDocument", std::move(opened)}});
  for (unsigned round = 0; round < 12; ++round)
    random(state) % 3 ? ask() : edit();
  request("shutdown", nullptr);
  notify("exit", nullptr);
  return std::move(out);
}

static void requireAnswers(StringRef answers, unsigned requests) {
  std::set<unsigned> seen;
  while (!answers.empty()) {
    require(answers.consume_front("Content-Length: "), "no header");
    size_t length = 0;
    require(!answers.consumeInteger(10, length) && answers.consume_front("\r\n\r\n"), "no length");
    const StringRef body = answers.take_front(length);
    const Json message = Json::parse(body.begin(), body.end(), nullptr, false);
    require(message.is_object(), "an answer that is no object");
    if (message.contains("id"))
      require(seen.insert(message["id"].get<unsigned>()).second, "two answers");
    answers = answers.drop_front(length);
  }
  require(seen.size() == requests, "a request without an answer");
}

/// Compares the patched table of lines with a new one.
static void requireLines(StringRef text) {
  uint64_t state = text.size();
  std::string edited = text.str();
  Lines lines(edited);
  for (unsigned round = 0; round < 8; ++round) {
    const auto size = static_cast<uint32_t>(edited.size());
    const uint32_t begin = random(state) % (size + 1), end = std::min(size, begin + random(state) % 5);
    const std::string piece = text.substr(random(state) % (text.size() + 1), random(state) % 4).str();
    edited.replace(begin, end - begin, piece);
    lines.edited(edited, {begin, end}, static_cast<uint32_t>(piece.size()));
    require(lines == Lines(edited), "the table of lines is out of step");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const StringRef text(reinterpret_cast<const char *>(data), size);
  if (text.starts_with("Content-")) {
    answersTo(text);
    return 0;
  }
  requireLines(text);
  Dialogue dialogue(text);
  const std::string messages = dialogue.all();
  requireAnswers(answersTo(messages), dialogue.requests);
  return 0;
}
