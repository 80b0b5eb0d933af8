#pragma once
// The base protocol: messages with headers on a stream. A thread reads ahead, so that edits can be merged, and requests
// cancelled while an answer is computed.
#include "Source/JsonValue.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace ptxray::lsp {

enum ErrorCode {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  InternalError = -32603,
  ServerNotInitialized = -32002,
  RequestCancelled = -32800,
  RequestFailed = -32803,
};

/// Reads the bodies of messages from a file.
class MessageReader {
public:
  explicit MessageReader(llvm::sys::fs::file_t file) : file(file) {}
  enum class Outcome { Message, End, Lost }; // Lost: an invalid header
  Outcome next(std::string &body);

private:
  bool fill();
  bool readLine(std::string &line);
  Outcome readHeader(size_t &length);

  llvm::sys::fs::file_t file;
  std::string buffer;
  size_t at = 0;
};

struct Message {
  std::string method; // empty for a message that can only be answered with `error`
  Json id;            // null for a notification
  Json params;
  size_t size = 0; // size in bytes
  int error = 0;
  std::string problem;

  bool isRequest() const { return !id.is_null(); }
};

/// Parses a body. Returns nothing for a client's answer to a request.
std::optional<Message> readMessage(llvm::StringRef body);

/// Messages that have arrived and are not handled yet.
class Inbox {
public:
  /// Starts reading.
  explicit Inbox(llvm::sys::fs::file_t file);
  /// Waits for the next message. Returns nothing at the end of the stream.
  std::optional<Message> next();
  bool isEmpty() const;
  /// Returns whether a header was invalid. Nothing after it can be read.
  bool isLost() const;

private:
  /// State shared with the thread, which may still wait for input when the program ends.
  struct Queue {
    mutable std::mutex mutex;
    std::condition_variable filled;
    std::deque<Message> messages;
    bool ended = false, lost = false;
  };
  static void read(llvm::sys::fs::file_t file, const std::shared_ptr<Queue> &queue);
  /// Adds the next message to the queue. Returns false at the end of the stream.
  static bool readOne(MessageReader &reader, Queue &queue);
  static void put(Queue &queue, Message message);
  std::shared_ptr<Queue> queue = std::make_shared<Queue>();
  std::optional<MessageReader> inPlace; // used if the system cannot start a thread
};

/// Writes one message.
void sendBody(llvm::raw_ostream &out, const std::string &body);
inline void send(llvm::raw_ostream &out, const Json &message) { sendBody(out, dump(message)); }

} // namespace ptxray::lsp
