#include "Messages.h"
#include "Source/Threads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <new>

namespace ptxray::lsp {

using llvm::StringRef;

// ---- the stream

bool MessageReader::fill() {
  if (at > buffer.size() / 2) {
    buffer.erase(0, at);
    at = 0;
  }
  char chunk[1 << 16];
  llvm::Expected<size_t> count = llvm::sys::fs::readNativeFile(file, chunk);
  if (!count)
    llvm::consumeError(count.takeError()); // the stream ends here too
  if (!count || *count == 0)
    return false;
  buffer.append(chunk, *count);
  return true;
}

/// Returns whether a line that may be incomplete can be a header: `Content-Length: 5`, or the beginning of one.
static bool mayBeHeader(StringRef line) {
  const StringRef name = line.take_while([](char c) { return llvm::isAlnum(c) || c == '-' || c == '_'; });
  if (name.size() == line.size() || line == "\r")
    return true;
  return !name.empty() && line[name.size()] == ':';
}

/// Reads a line. Returns false if the stream ends, if the line is too long, or if it cannot be a header. A line that
/// cannot be a header occurs after a length that was too small: it is the rest of a body. Reading must not wait for the
/// end of the line then, since the client may wait for an answer before it sends more.
bool MessageReader::readLine(std::string &line) {
  constexpr size_t longestHeader = 4096;
  size_t found;
  while ((found = buffer.find('\n', at)) == std::string::npos)
    if (buffer.size() - at > longestHeader || !mayBeHeader(StringRef(buffer).drop_front(at)) || !fill())
      return false;
  line = buffer.substr(at, found - at);
  if (StringRef(line).ends_with("\r"))
    line.pop_back();
  at = found + 1;
  return line.size() <= longestHeader;
}

MessageReader::Outcome MessageReader::readHeader(size_t &length) {
  constexpr size_t longestBody = size_t(1) << 30;
  bool hasLength = false;
  for (bool isFirst = true;; isFirst = false) {
    std::string line;
    if (!readLine(line))
      return isFirst && at == buffer.size() ? Outcome::End : Outcome::Lost;
    if (line.empty())
      return hasLength ? Outcome::Message : Outcome::Lost;
    const auto [name, value] = StringRef(line).split(':');
    if (name.size() == line.size() || !mayBeHeader(line))
      return Outcome::Lost;
    if (!name.equals_insensitive("Content-Length"))
      continue;
    if (value.trim().getAsInteger(10, length) || length > longestBody)
      return Outcome::Lost;
    hasLength = true;
  }
}

MessageReader::Outcome MessageReader::next(std::string &body) {
  size_t length = 0;
  if (const Outcome outcome = readHeader(length); outcome != Outcome::Message)
    return outcome;
  while (buffer.size() - at < length)
    if (!fill())
      return Outcome::End;
  body = buffer.substr(at, length);
  at += length;
  if (constexpr size_t mostKept = 1 << 20; buffer.capacity() > mostKept && buffer.size() - at < mostKept) {
    buffer.substr(at).swap(buffer); // an assignment would keep the allocated memory
    at = 0;
  }
  return Outcome::Message;
}

void sendBody(llvm::raw_ostream &out, const std::string &body) {
  out << "Content-Length: " << body.size() << "\r\n\r\n" << body;
  out.flush();
}

// ---- one message

static Message refusal(int error, std::string problem, Json id = nullptr) {
  Message message;
  message.error = error;
  message.problem = std::move(problem);
  message.id = std::move(id);
  return message;
}

std::optional<Message> readMessage(StringRef body) {
  Json value = Json::parse(body.begin(), body.end(), nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded())
    return refusal(ParseError, "the message is not JSON");
  if (!value.is_object())
    return refusal(InvalidRequest, "the message is not an object");
  const auto id = value.find("id"), method = value.find("method"), version = value.find("jsonrpc");
  const bool hasId = id != value.end();
  if (hasId && !id->is_string() && !id->is_number())
    return refusal(InvalidRequest, "the id is neither a string nor a number");
  if (version == value.end() || *version != "2.0")
    return refusal(InvalidRequest, "`jsonrpc` is not \"2.0\"", hasId ? *id : Json());
  if (method == value.end() && hasId && (value.contains("result") || value.contains("error")))
    return std::nullopt;
  if (method == value.end() || !method->is_string() || method->get_ref<const std::string &>().empty())
    return refusal(InvalidRequest, "the message has no method", hasId ? *id : Json());
  Message message;
  message.size = body.size();
  message.method = method->get<std::string>();
  if (hasId)
    message.id = *id;
  if (const auto params = value.find("params"); params != value.end())
    message.params = std::move(*params);
  return message;
}

// ---- the queue

Inbox::Inbox(llvm::sys::fs::file_t file) {
  if (!startDetached([file, queue = queue] { read(file, queue); }))
    inPlace.emplace(file);
}

/// Marks a waiting request as cancelled. It is still answered when its turn comes.
static bool cancel(std::deque<Message> &messages, const Json &params) {
  const auto id = params.is_object() ? params.find("id") : params.end();
  if (!params.is_object() || id == params.end())
    return false;
  const auto waiting = llvm::find_if(messages, [&](const Message &message) { return message.id == *id; });
  if (waiting == messages.end() || waiting->method == "initialize" || waiting->method == "shutdown")
    return false;
  waiting->error = RequestCancelled;
  waiting->problem = "cancelled";
  return true;
}

void Inbox::put(Queue &queue, Message message) {
  {
    const std::lock_guard lock(queue.mutex);
    if (message.method == "$/cancelRequest" && !message.isRequest()) {
      cancel(queue.messages, message.params);
      return;
    }
    queue.messages.push_back(std::move(message));
  }
  queue.filled.notify_one();
}

bool Inbox::readOne(MessageReader &reader, Queue &queue) {
  std::string body;
  const MessageReader::Outcome outcome = reader.next(body);
  if (outcome == MessageReader::Outcome::Message) {
    try {
      if (std::optional<Message> message = readMessage(body))
        put(queue, std::move(*message));
    } catch (const std::bad_alloc &) { // if the message opens a document, that stays closed
      body = std::string();
      put(queue, refusal(InternalError, "out of memory"));
    }
    return true;
  }
  {
    const std::lock_guard lock(queue.mutex);
    queue.ended = true;
    queue.lost = outcome == MessageReader::Outcome::Lost;
  }
  queue.filled.notify_one();
  return false;
}

void Inbox::read(llvm::sys::fs::file_t file, const std::shared_ptr<Queue> &queue) {
  MessageReader reader(file);
  while (readOne(reader, *queue)) {
  }
}

std::optional<Message> Inbox::next() {
  while (inPlace && isEmpty() && readOne(*inPlace, *queue)) {
  }
  std::unique_lock lock(queue->mutex);
  queue->filled.wait(lock, [this] { return queue->ended || !queue->messages.empty(); });
  if (queue->messages.empty())
    return std::nullopt;
  Message message = std::move(queue->messages.front());
  queue->messages.pop_front();
  return message;
}

bool Inbox::isEmpty() const {
  const std::lock_guard lock(queue->mutex);
  return queue->messages.empty();
}

bool Inbox::isLost() const {
  const std::lock_guard lock(queue->mutex);
  return queue->lost;
}

} // namespace ptxray::lsp
