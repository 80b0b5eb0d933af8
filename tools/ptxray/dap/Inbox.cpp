#include "Inbox.h"
#include "Source/Threads.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::dap {

Inbox::Inbox(llvm::sys::fs::file_t file) {
  if (!startDetached([file, queue = queue] { read(file, queue); }))
    inPlace.emplace(file);
}

std::optional<Request> readRequest(const std::string &body) {
  const Json value = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object())
    return std::nullopt;
  const auto type = value.find("type"), number = value.find("seq"), command = value.find("command");
  if (type == value.end() || *type != "request" || number == value.end() || !number->is_number_integer() ||
      command == value.end() || !command->is_string())
    return std::nullopt;
  Request request{number->get<int64_t>(), command->get<std::string>(), Json::object()};
  if (const auto arguments = value.find("arguments"); arguments != value.end() && arguments->is_object())
    request.arguments = *arguments;
  return request;
}

bool Inbox::readOne(lsp::MessageReader &reader, Queue &queue) {
  std::string body;
  const bool isMessage = reader.next(body) == lsp::MessageReader::Outcome::Message;
  std::optional<Request> request = isMessage ? readRequest(body) : std::nullopt;
  {
    const std::lock_guard lock(queue.mutex);
    queue.hasEnded = !isMessage;
    if (!isMessage || (request && llvm::is_contained({"pause", "terminate", "disconnect"}, request->command)))
      queue.watch.isStopped = true;
    if (request)
      queue.requests.push_back(std::move(*request));
  }
  queue.filled.notify_one();
  return isMessage;
}

void Inbox::read(llvm::sys::fs::file_t file, const std::shared_ptr<Queue> &queue) {
  lsp::MessageReader reader(file);
  while (readOne(reader, *queue)) {
  }
}

std::optional<Request> Inbox::next() {
  while (inPlace && queue->requests.empty() && readOne(*inPlace, *queue)) {
  }
  std::unique_lock lock(queue->mutex);
  queue->filled.wait(lock, [this] { return queue->hasEnded || !queue->requests.empty(); });
  if (queue->requests.empty())
    return std::nullopt;
  Request request = std::move(queue->requests.front());
  queue->requests.pop_front();
  return request;
}

} // namespace ptxray::dap
