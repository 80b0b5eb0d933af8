#pragma once
// The requests of a client of the Debug Adapter Protocol. A thread reads ahead, so that a kernel that runs can be
// stopped.
#include "../lsp/Messages.h"
#include "Emulate/Launch.h"

namespace ptxray::dap {

struct Request {
  int64_t number = 0;
  std::string command;
  Json arguments;
};

/// Reads the body of a message. Messages other than requests are left out, since a client waits for no answer to them.
std::optional<Request> readRequest(const std::string &body);

class Inbox {
public:
  /// Starts to read.
  explicit Inbox(llvm::sys::fs::file_t file);
  /// Waits for the next request; nothing: the stream has ended.
  std::optional<Request> next();
  /// Is stopped by `pause`, and by requests that end the launch.
  machine::Watch &watch() { return queue->watch; }

private:
  /// Shared with the thread, which may still wait for input when the program ends.
  struct Queue {
    std::mutex mutex;
    std::condition_variable filled;
    std::deque<Request> requests;
    bool hasEnded = false;
    machine::Watch watch;
  };
  static void read(llvm::sys::fs::file_t file, const std::shared_ptr<Queue> &queue);
  /// Puts the next request into the queue. Returns false at the end of the stream.
  static bool readOne(lsp::MessageReader &reader, Queue &queue);
  std::shared_ptr<Queue> queue = std::make_shared<Queue>();
  std::optional<lsp::MessageReader> inPlace; // the reader, if the system refused to start a thread for it
};

} // namespace ptxray::dap
