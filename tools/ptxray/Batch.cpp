// Answers requests; docs/batch.md describes them.
#include "Batch.h"
#include "Check/Checker.h"
#include "Render/Render.h"
#include "Source/JsonValue.h"
#include "Workspace/Options.h"
#include "llvm/Support/FileSystem.h"

namespace ptxray {
namespace {

/// Reads the lines of standard input. Skips lines longer than `longest`.
class LineReader {
public:
  static constexpr size_t longest = 1 << 28;
  static_assert(longest <= SourceBuffer::largest);

  /// Returns whether the next line has arrived, so that reading it does not block.
  bool isReady() const { return chunk.find('\n', at) != std::string::npos; }
  /// Reads the next line. Returns false if the input ends or cannot be read.
  bool next(std::string &line, bool &isTooLong);
  std::string problem;

private:
  bool fill();

  std::string chunk;
  size_t at = 0; // in the chunk
};

bool LineReader::fill() {
  constexpr size_t size = 1 << 16;
  chunk.resize(size);
  at = 0;
  const llvm::MutableArrayRef<char> room(chunk.data(), chunk.size());
  llvm::Expected<size_t> count = llvm::sys::fs::readNativeFile(llvm::sys::fs::getStdinHandle(), room);
  if (!count)
    problem = llvm::toString(count.takeError());
  chunk.resize(count ? *count : 0);
  return !chunk.empty();
}

bool LineReader::next(std::string &line, bool &isTooLong) {
  line.clear();
  isTooLong = false;
  bool any = false;
  for (;;) {
    const size_t end = chunk.find('\n', at);
    const llvm::StringRef part = llvm::StringRef(chunk).slice(at, end);
    any |= !part.empty() || end != std::string::npos;
    isTooLong |= line.size() + part.size() > longest;
    if (isTooLong)
      line = std::string(); // frees its memory
    else
      line += part;
    at = end == std::string::npos ? chunk.size() : end + 1;
    if (end != std::string::npos || !fill())
      return any;
  }
}

/// The contents of a request.
struct Request {
  std::string name, text;
  std::optional<std::string> constraints;
  std::optional<Language> language;
  CheckOptions options;
  Json id; // returned unchanged
  bool hasText = false;
};

/// Sets a field of the request. Returns what is wrong with its value.
std::string read(Request &request, const std::string &field, Json &value) {
  if (value.is_null())
    return "";
  if (field == "id") {
    if (value.is_structured())
      return "`id` is not a string or a number";
    request.id = std::move(value);
    return "";
  }
  if (!value.is_string())
    return "`" + field + "` is not a string";
  std::string &text = value.get_ref<std::string &>();
  if (field == "text") {
    request.text = std::move(text);
    request.hasText = true;
  } else if (field == "name") {
    request.name = std::move(text);
  } else if (field == "constraints") {
    request.constraints = std::move(text);
  } else if (field == "language") {
    request.language = findLanguage(text);
    if (!request.language)
      return "unknown language `" + text + "`";
  } else {
    return setOption(request.options, field, text);
  }
  return "";
}

std::string read(Request &request, const std::string &line) {
  Json value = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object())
    return value.is_discarded() ? "this is not JSON" : "a JSON object is expected";
  std::string problem;
  for (auto &[field, content] : value.items())
    if (std::string wrong = read(request, field, content); problem.empty())
      problem = std::move(wrong);
  return !problem.empty() || request.hasText ? problem : "there is no `text`";
}

void refuse(const Request &request, const std::string &problem) {
  Json answer = {{"path", request.name}, {"problem", problem}};
  if (!request.id.is_null())
    answer["id"] = request.id;
  llvm::outs() << dump(answer) << '\n';
}

/// Writes an answer like an entry of `files` in `--format=json`.
void answer(Request request, Checker &checker) {
  FileReport report;
  report.path = std::move(request.name);
  report.source = SourceBuffer::fromOwned(report.path, std::move(request.text));
  const Language language = request.language.value_or(languageOf(report.path));
  report = request.constraints ? checker.checkStatement(std::move(report), *request.constraints, request.options)
                               : checker.check(std::move(report), language, request.options);
  std::string text;
  llvm::raw_string_ostream stream(text);
  renderJson(report, {}, stream);
  if (!request.id.is_null()) {
    text.pop_back();
    text += ",\"id\":" + dump(request.id) + '}';
  }
  llvm::outs() << text << '\n';
}

} // namespace

int runBatch(const Arguments &arguments, const CheckOptions &options) {
  Checker checker(arguments.has("--show-expansion") ? Expansions::Told : Expansions::Left);
  LineReader reader;
  std::string line;
  bool isTooLong = false;
  for (size_t number = 1; !llvm::outs().has_error(); ++number) {
    if (!reader.isReady())
      llvm::outs().flush(); // the client may wait for the answers before it sends more
    if (!reader.next(line, isTooLong))
      break;
    if (llvm::StringRef(line).trim().empty() && !isTooLong)
      continue;
    Request request;
    request.name = "<line " + std::to_string(number) + ">";
    request.options = options;
    if (std::optional<llvm::StringRef> language = arguments.value("--language"))
      request.language = findLanguage(*language);
    const std::string problem = isTooLong ? "the line is too long" : read(request, line);
    if (problem.empty())
      answer(std::move(request), checker);
    else
      refuse(request, problem);
  }
  return reader.problem.empty() ? Clean : usageError("cannot read standard input: " + reader.problem);
}

} // namespace ptxray
