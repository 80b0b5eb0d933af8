#include "Command.h"
#include "Layout/Instructions.h"
#include "Layout/Show.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

using namespace layout;

/// Prints the contents of one lane, in the order of its registers.
static void writeLane(const Layout &layout, uint32_t lane, llvm::raw_ostream &out) {
  std::vector<std::pair<Place, Element>> held;
  forEach(layout, [&](Element element, Place place) {
    if (place[Lane] == lane)
      held.emplace_back(place, element);
  });
  llvm::sort(held);
  out << layout.name << ": " << layout.what << '\n';
  for (const auto &[place, element] : held)
    out << "  " << placeText(layout, place) << ": " << elementText(layout, element) << '\n';
  if (held.empty())
    out << "  " << laneName(layout) << ' ' << lane << " holds nothing of it\n";
}

static void writeElement(const Layout &layout, const Element &element, llvm::raw_ostream &out) {
  out << layout.name << ": " << elementText(layout, element) << ": ";
  const auto places = placesOf(layout, element);
  if (places.empty())
    out << "outside of the matrix";
  for (const Place &place : places)
    out << (&place == &places.front() ? "" : "; ") << placeText(layout, place);
  out << '\n';
}

/// Reads the request. Returns what is wrong, or an empty string.
static std::string readRequest(const Arguments &arguments, Request &request) {
  request.instruction = arguments.operands.front().str();
  request.arch = arguments.value("--arch").value_or("").str();
  for (const auto &[name, value] : arguments.options)
    request.settings[name.drop_front(2)] = value.str();
  for (const char *name : {"m", "n", "k", "warp", "split", "selector", "sfa-id", "sfb-id", "lane-offset", "lbo", "sbo",
                           "mn", "byte-id-a", "byte-id-b", "thread-id-a", "thread-id-b", "lane"})
    if (!request.text(name).empty() && !request.number(name))
      return "`--" + std::string(name) + "` requires a number";
  return "";
}

/// Keeps only the layouts of that operand. Returns what is wrong, or an empty string.
static std::string keepOperand(llvm::StringRef operand, Answer &answer, const Request &request) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Layout &layout : answer.layouts)
    names.push_back(layout.name);
  if (!llvm::any_of(names, [&](llvm::StringRef name) { return name.equals_insensitive(operand); }))
    return "`" + request.instruction + "` has no operand `" + operand.str() + "`, but " + llvm::join(names, ", ");
  llvm::erase_if(answer.layouts,
                 [&](const Layout &layout) { return !llvm::StringRef(layout.name).equals_insensitive(operand); });
  return "";
}

static std::optional<Element> readElement(llvm::StringRef written) {
  const auto [row, rest] = written.split(',');
  const auto [column, matrix] = rest.split(',');
  Element element{};
  if (row.getAsInteger(10, element[Row]) || column.getAsInteger(10, element[Column]) ||
      (!matrix.empty() && matrix.getAsInteger(10, element[Matrix])))
    return std::nullopt;
  return element;
}

namespace {

/// The requested parts. If there are none, the whole layout is shown.
struct Asked {
  std::optional<uint32_t> lane;
  std::optional<Element> element;

  bool isAnything() const { return lane || element; }
};

} // namespace

static void writeTexts(const Answer &answer, const Asked &asked, llvm::raw_ostream &out) {
  // A grid narrower than a usual terminal is not readable.
  const unsigned width =
      std::max(60u, llvm::sys::Process::StandardOutIsDisplayed() ? llvm::sys::Process::StandardOutColumns() : 100u);
  for (const Layout &layout : answer.layouts) {
    if (asked.lane)
      writeLane(layout, *asked.lane, out);
    if (asked.element)
      writeElement(layout, *asked.element, out);
    if (asked.isAnything())
      continue;
    if (&layout != &answer.layouts.front())
      out << '\n';
    writeText(layout, width, out);
  }
  for (const std::string &note : answer.notes)
    out << note << '\n';
}

static int runLayout(const Arguments &arguments) {
  Request request;
  if (const std::string complaint = readRequest(arguments, request); !complaint.empty())
    return usageError(complaint);
  Answer answer = describe(request);
  if (!answer.complaint.empty())
    return usageError(answer.complaint);
  if (const std::optional<llvm::StringRef> operand = arguments.value("--operand"))
    if (const std::string complaint = keepOperand(*operand, answer, request); !complaint.empty())
      return usageError(complaint);
  Asked asked{request.number("lane"), std::nullopt};
  if (const std::optional<llvm::StringRef> written = arguments.value("--element")) {
    asked.element = readElement(*written);
    if (!asked.element)
      return usageError("`--element` requires a row and a column, as in 3,7");
  }
  const llvm::StringRef format = arguments.value("--format").value_or("text");
  if (format == "svg" && asked.isAnything())
    return usageError("a picture shows all lanes and elements: omit `--lane` and `--element`");
  const auto isAsked = [&](const Element &at, const Place &place) {
    return (!asked.lane || place[Lane] == *asked.lane) && (!asked.element || at == *asked.element);
  };
  if (format == "json")
    writeJson(answer.layouts, answer.notes, request.instruction, isAsked, llvm::outs());
  else if (format == "svg")
    writeSvg(answer.layouts, request.instruction, llvm::outs());
  else
    writeTexts(answer, asked, llvm::outs());
  return Clean;
}

Command layoutCommand() {
  return {.name = "layout",
          .summary = "show which thread, register or address holds which element of a matrix",
          .syntax = {.operands = "INSTRUCTION",
                     .fewest = 1,
                     .most = 1,
                     .options = {{"--format", "text|json|svg", "output format"},
                                 {"--operand", "NAME", "only this operand: A, B, D, metadata, scale-a, ..."},
                                 {"--lane", "N", "show the contents of this thread (or lane of tensor memory)"},
                                 {"--element", "ROW,COLUMN", "show the location of this element"},
                                 {"--arch", "sm_X|gfx12", "with gfx12, show the wmma instructions of RDNA 4"},
                                 {"--m", "N", "tcgen05.mma: rows of D, which the instruction descriptor holds"},
                                 {"--n", "N", "columns of D"},
                                 {"--k", "N", "96, instead of the K of the kind; smem: elements along K"},
                                 {"--a", "TYPE", "tcgen05.mma: elements of A"},
                                 {"--d", "TYPE", "elements of D"},
                                 {"--lane-offset", "N", "16 for the other half of the lanes in layouts C and F"},
                                 {"--selector", "N", "sparsity selector"},
                                 {"--sfa-id", "N", "scale factor id of A"},
                                 {"--sfb-id", "N", "scale factor id of B"},
                                 {"--byte-id-a", "N", "mma with block scaling: selectors of the scale data"},
                                 {"--byte-id-b", "N", ""},
                                 {"--thread-id-a", "N", ""},
                                 {"--thread-id-b", "N", ""},
                                 {"--warp", "N", "tcgen05.ld and .st: warp of the warpgroup"},
                                 {"--split", "N", "columns between the halves of .16x32bx2"},
                                 {"--type", "TYPE", "smem: element type"},
                                 {"--major", "k|mn", "the dimension with consecutive addresses"},
                                 {"--swizzle", "none|32B|64B|128B|128B-base32B", "swizzling mode"},
                                 {"--mn", "N", "elements along M or N"},
                                 {"--lbo", "N", "leading dimension offset in bytes"},
                                 {"--sbo", "N", "stride dimension offset in bytes"}}},
          .run = runLayout};
}

} // namespace ptxray
