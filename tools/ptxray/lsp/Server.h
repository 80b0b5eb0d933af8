#pragma once
// The language server. One thread handles messages in order, with one method each; the reader in Messages.h reads
// ahead.
#include "Messages.h"
#include "OpenDocument.h"
#include "Workspace/Config.h"
#include "llvm/ADT/StringMap.h"

namespace ptxray::lsp {

/// The answer to a request.
struct Answer {
  Answer(Json result) : result(std::move(result)) {}
  Answer(ErrorCode error, std::string problem) : error(error), problem(std::move(problem)) {}
  /// Returns an answer that is already serialised.
  static Answer ofText(std::string text) {
    Answer answer{Json()};
    answer.text = std::move(text);
    return answer;
  }
  Json result;
  std::string text;
  int error = 0;
  std::string problem;
};

/// The empty value.
inline const Json nothing;
const Json &tokenLegend();
Json workspaceEdit(const OpenDocument &open, Json edits, const Client &client);
/// Returns free memory of the C library to the system.
void returnFreeMemory();

class Server {
public:
  /// Constructs a server. If `verifies`, each result is compared with that of a fresh check, and a difference ends the
  /// program.
  explicit Server(llvm::raw_ostream &out, bool verifies = false) : out(out), verifies(verifies) {}
  /// Runs until the client sends `exit` or the stream ends. Returns the exit status.
  int run(Inbox &inbox);
  /// Handles one message, for callers that embed the server.
  void take(llvm::StringRef body);

private:
  struct Spot {
    OpenDocument &open;
    uint32_t offset;
  };
  using Request = Answer (Server::*)(const Json &params);
  using Notification = void (Server::*)(const Json &params);
  static const llvm::StringMap<Request> &requests();
  static const llvm::StringMap<Notification> &notifications();

  // Lifecycle.
  Answer initialize(const Json &params);
  Answer shutdown(const Json &params);
  void initialized(const Json &params);
  void changeConfiguration(const Json &params);
  void filesChanged(const Json &params);

  // Documents.
  void didOpen(const Json &params);
  void didChange(const Json &params);
  void didSave(const Json &params);
  void didClose(const Json &params);

  // Answers.
  Answer diagnostics(const Json &params);
  Answer codeActions(const Json &params);
  Answer hover(const Json &params);
  Answer completion(const Json &params);
  Answer signatureHelp(const Json &params);
  Answer definition(const Json &params);
  Answer references(const Json &params);
  Answer highlight(const Json &params);
  Answer prepareRename(const Json &params);
  Answer rename(const Json &params);
  Answer symbols(const Json &params);
  Answer folding(const Json &params);
  Answer selection(const Json &params);
  Answer tokens(const Json &params);
  Answer tokensInRange(const Json &params);
  Answer inlayHints(const Json &params);
  Answer formatting(const Json &params);

  void handle(Message &message);
  Answer answer(const Message &message);
  void reply(const Json &id, const Answer &answer);
  void notify(llvm::StringRef method, Json params);
  void request(llvm::StringRef method, Json params);
  void requestRefresh();
  void publish(OpenDocument &open);
  void publishStale(const Inbox *inbox);
  Json diagnosticItems(OpenDocument &open) const;
  Json verifiedItems(OpenDocument &open) const;
  void readSettings(const Json *settings);
  void setOptions(OpenDocument &open);
  void complain(const std::string &problem);
  void giveUp(std::string uri);
  OpenDocument *find(const Json &params);
  std::optional<Spot> spotOf(const Json &params);
  /// Returns the range in the field `range`.
  std::optional<Range> rangeOf(const Json &params, const OpenDocument &open) const;

  llvm::raw_ostream &out;
  const bool verifies;
  Client client;
  enum class State { New, Running, ShutDown, Ended } state = State::New;
  std::map<std::string, OpenDocument> documents; // keyed by URI
  unsigned opened = 0;
  bool hasPulled = false;   // the client has pulled diagnostics
  bool holdsMemory = false; // the C library may hold free memory
  std::vector<std::pair<std::string, std::string>> settings;
  bool showsHints = true; // inlay hints are enabled
  unsigned asked = 0;     // number of requests to the client
  std::string lastComplaint;
};

} // namespace ptxray::lsp
