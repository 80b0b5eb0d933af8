#pragma once
// Receives requests of the Debug Adapter Protocol. A thread reads ahead, so that a running kernel can be stopped.
#include "../lsp/Messages.h"
#include "Emulate/Launch.h"

namespace ptxray::dap {

struct Request {
  int64_t number = 0;
  std::string command;
  Json arguments;
};

/// Parses the body of a message. Returns nothing for messages other than requests, which need no answer.
std::optional<Request> readRequest(const std::string &body);

class Inbox {
public:
  /// Starts reading.
  explicit Inbox(llvm::sys::fs::file_t file);
  /// Waits for the next request. Returns nothing at the end of the stream.
  std::optional<Request> next();
  /// Returns the watch that `pause`, and requests that end the launch, stop.
  machine::Watch &watch() { return queue->watch; }

private:
  /// State shared with the thread, which may still wait for input when the program ends.
  struct Queue {
    std::mutex mutex;
    std::condition_variable filled;
    std::deque<Request> requests;
    bool hasEnded = false;
    machine::Watch watch;
  };
  static void read(llvm::sys::fs::file_t file, const std::shared_ptr<Queue> &queue);
  /// Adds the next request to the queue. Returns false at the end of the stream.
  static bool readOne(lsp::MessageReader &reader, Queue &queue);
  std::shared_ptr<Queue> queue = std::make_shared<Queue>();
  std::optional<lsp::MessageReader> inPlace; // used if the system cannot start a thread
};

} // namespace ptxray::dap
