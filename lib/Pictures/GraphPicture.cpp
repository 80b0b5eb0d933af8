#include "Pictures/GraphPicture.h"
#include "Check/CheckModule.h"
#include "Flow/Liveness.h"
#include "Flow/Uniformity.h"
#include "Flow/UnwrittenReads.h"
#include "Flow/Values.h"
#include "Module/KernelHead.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

namespace ptxray {

/// Maximum number of a block's lines in pictures.
constexpr size_t mostLines = 40;
/// Maximum number of a block's live registers that are listed; further ones are only counted, because each register
/// might be live in every block.
constexpr size_t mostLive = 512;

static std::optional<uint32_t> numberOf(BlockId block, const Graph &graph) {
  return indexOf(block) < graph.size() ? std::optional(indexOf(block)) : std::nullopt;
}

static std::string textOf(LocalId local, const Numbers &numbers, const Body &body) {
  if (body.symbol(local)->isPredicate)
    return !numbers.isNumber() ? "" : numbers.low ? "true" : "false";
  std::string base = numbers.base == LocalId::None ? "" : body.text(numbers.base).str();
  if (!numbers.isBounded && numbers.step <= 1)
    return base.empty() ? "" : base + " + any number";
  if (numbers.isOne() && (numbers.low == 0) && !base.empty())
    return base;
  std::string text = base.empty() ? "" : base + " + ";
  text += numbers.isBounded ? std::to_string(numbers.low) : std::to_string(numbers.low) + " and any number";
  if (numbers.isBounded && !numbers.isOne())
    text += " to " + std::to_string(numbers.high);
  return numbers.step > 1 ? text + " in steps of " + std::to_string(numbers.step) : text;
}

namespace {

/// Collects the displayed properties of one function.
class GraphMaker {
public:
  GraphMaker(const Body &body, const ModuleState &module, const SourceBuffer &source)
      : body(body), source(source), analyses(body, module) {}
  ShownGraph make();

private:
  const Graph &graph() { return analyses.graph(); }
  ShownBlock block(BlockId id);
  void live(BlockId id, ShownBlock &block);
  uint32_t lineOf(uint32_t instruction) const {
    return source.lineColumn(body.instruction(instruction).range.begin).line;
  }

  const Body &body;
  const SourceBuffer &source;
  Analyses analyses;
  std::optional<Uniformity> uniformity; // set for a function with a graph, like all following members
  std::optional<Liveness> liveness;
  std::optional<UnwrittenReads> unwritten;
};

} // namespace

void GraphMaker::live(BlockId id, ShownBlock &block) {
  if (!liveness->isComplete() || !graph().isReached(id))
    return;
  const std::vector<LocalId> before = liveness->before(id);
  block.liveCount = before.size();
  for (const LocalId local : llvm::ArrayRef(before).take_front(mostLive)) {
    block.live.push_back({body.text(local).str(), textOf(local, analyses.values().numbersOf(local), body),
                          uniformity->isSame(local)    ? "same"
                          : uniformity->differs(local) ? "different"
                                                       : "",
                          unwritten->isWrittenBefore(id, local)});
  }
}

ShownBlock GraphMaker::block(BlockId id) {
  const Block &block = graph()[id];
  ShownBlock one;
  one.firstLine = lineOf(block.first);
  one.lastLine = lineOf(block.last());
  for (uint32_t number = block.first; number < block.end; ++number)
    one.text.push_back(source.text(body.instruction(number).range).str());
  for (const BlockId successor : graph().successors.of(id))
    one.to.push_back(indexOf(successor));
  one.leaves = block.leaves;
  one.aborts = block.aborts;
  one.isReached = graph().isReached(id);
  one.dominator = numberOf(analyses.dominators().parent[indexOf(id)], graph());
  one.postDominator = numberOf(analyses.postDominators().parent[indexOf(id)], graph());
  one.loop = numberOf(analyses.loops().header[indexOf(id)], graph());
  one.lanes = uniformity->splitBefore(id) != BlockId::None ? "certainly some"
              : uniformity->isWhole(id)                    ? "all"
                                                           : "perhaps some";
  live(id, one);
  return one;
}

ShownGraph GraphMaker::make() {
  ShownGraph shown;
  shown.function = body.ast->text(body.function->name).str();
  if (body.function->kind == FunctionKind::Entry)
    shown.pressure.limit = headOf(*body.ast, *body.function).registers;
  if (analyses.isTangled() || !graph().size())
    return shown;
  std::vector<uint32_t> all(body.size());
  std::iota(all.begin(), all.end(), 0u);
  uniformity.emplace(body, analyses, all);
  liveness.emplace(body, graph());
  unwritten.emplace(body, analyses, writtenRegisters(body));
  for (uint32_t i = 0; i < graph().size(); ++i)
    shown.blocks.push_back(block(BlockId(i)));
  if (liveness->isComplete()) {
    const Pressure widest = liveness->widest();
    shown.pressure.registers = widest.registers;
    shown.pressure.line = lineOf(widest.instruction);
  }
  return shown;
}

std::optional<std::vector<ShownGraph>> shownGraphs(const SourceBuffer &source, std::optional<llvm::StringRef> wanted) {
  std::vector<ShownGraph> graphs;
  auto see = [&](const Body &body, const ModuleState &module) {
    if (!wanted || body.ast->text(body.function->name) == *wanted)
      graphs.push_back(GraphMaker(body, module, source).make());
  };
  return streamChecked(source, see) ? std::optional(std::move(graphs)) : std::nullopt;
}

static std::string title(const ShownBlock &block, uint32_t number) {
  std::string text = llvm::formatv("block {0}, lines {1}-{2}", number, block.firstLine, block.lastLine).str();
  if (block.loop)
    text += llvm::formatv(", loop {0}", *block.loop).str();
  if (block.lanes != llvm::StringRef("all"))
    text += std::string(", ") + block.lanes + " lanes";
  if (block.liveCount)
    text += llvm::formatv(", {0} live", block.liveCount).str();
  return text;
}

void writePressure(llvm::ArrayRef<ShownGraph> graphs, llvm::StringRef path, llvm::raw_ostream &os) {
  for (const ShownGraph &graph : graphs) {
    const ShownPressure &pressure = graph.pressure;
    if (!pressure.line) {
      os << path << ": `" << graph.function << "`: not known\n";
      continue;
    }
    os << path << ':' << pressure.line << ": `" << graph.function << "`: " << pressure.registers
       << (pressure.registers == 1 ? " register is" : " registers are") << " live here";
    if (pressure.limit)
      os << "; `.maxnreg` is " << *pressure.limit << (pressure.registers > *pressure.limit ? ", which is fewer" : "");
    os << '\n';
  }
}

/// Returns the known properties of a register besides its name; empty if there are none.
static std::string knownText(const ShownRegister &one) {
  std::string text = one.numbers;
  const auto add = [&](llvm::StringRef part) { text += (text.empty() ? "" : ", ") + part.str(); };
  if (llvm::StringRef(one.lanes) == "same")
    add("the same in all lanes");
  else if (llvm::StringRef(one.lanes) == "different")
    add("different in some lanes");
  if (!one.isWritten)
    add("not written on some way");
  return text;
}

/// Returns a line for each live register of a block.
static std::vector<std::string> knownLines(const ShownBlock &block) {
  std::vector<std::string> lines;
  for (const ShownRegister &one : block.live) {
    const std::string text = knownText(one);
    lines.push_back(text.empty() ? one.name : one.name + ": " + text);
  }
  if (block.liveCount > block.live.size())
    lines.push_back(llvm::formatv("{0} more", block.liveCount - block.live.size()).str());
  return lines;
}

/// Returns the title, and as many lines of the text as fit.
static std::vector<std::string> linesOf(const ShownBlock &block, uint32_t number) {
  std::vector<std::string> lines = {title(block, number)};
  for (const std::string &line : llvm::ArrayRef(block.text).take_front(mostLines))
    lines.push_back(llvm::StringRef(line).take_front(100).str());
  if (block.text.size() > mostLines)
    lines.push_back(llvm::formatv("... {0} more", block.text.size() - mostLines).str());
  return lines;
}

static const char *colour(const ShownBlock &block) {
  return !block.isReached                                 ? "#dddddd"
         : block.lanes == llvm::StringRef("all")          ? "#ffffff"
         : block.lanes == llvm::StringRef("perhaps some") ? "#fff4d6"
                                                          : "#ffd9d0";
}

static std::string quoted(llvm::StringRef text) {
  std::string out;
  for (const char c : text)
    if (c == '\n' || c == '\r' || c == '\t')
      out += ' ';
    else
      (out += c == '"' || c == '\\' ? "\\" : "") += c;
  return out;
}

void writeDot(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os) {
  os << "digraph ptx {\n  node [shape=box, style=filled, fontname=monospace];\n";
  for (const auto &[index, graph] : llvm::enumerate(graphs)) {
    os << "  subgraph cluster_" << index << " {\n    label=\"" << quoted(graph.function) << "\";\n";
    for (const auto &[number, block] : llvm::enumerate(graph.blocks)) {
      os << "    f" << index << "b" << number << " [fillcolor=\"" << colour(block) << "\", label=\"";
      for (const std::string &line : linesOf(block, static_cast<uint32_t>(number)))
        os << quoted(line) << "\\l";
      os << "\", tooltip=\"" << quoted(llvm::join(knownLines(block), "; ")) << "\"];\n";
      for (const uint32_t to : block.to)
        os << "    f" << index << "b" << number << " -> f" << index << "b" << to << " [label=\""
           << graph.blocks[to].liveCount << "\"];\n";
    }
    os << "  }\n";
  }
  os << "}\n";
}

static void optional(llvm::json::OStream &json, const char *name, std::optional<uint32_t> number) {
  if (number)
    json.attribute(name, *number);
}

static void writeLive(const ShownBlock &block, llvm::json::OStream &json) {
  json.attributeArray("live", [&] {
    for (const ShownRegister &one : block.live)
      json.object([&] {
        json.attribute("name", one.name);
        if (!one.numbers.empty())
          json.attribute("numbers", one.numbers);
        if (*one.lanes)
          json.attribute("lanes", one.lanes);
        if (!one.isWritten)
          json.attribute("written", false);
      });
  });
  if (block.liveCount > block.live.size())
    json.attribute("moreLive", block.liveCount - block.live.size());
}

void writeJson(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os) {
  llvm::json::OStream json(os, 1);
  json.object([&] {
    json.attribute("version", 1);
    json.attributeArray("functions", [&] {
      for (const ShownGraph &graph : graphs)
        json.object([&] {
          json.attribute("name", graph.function);
          json.attributeArray("blocks", [&] {
            for (const ShownBlock &block : graph.blocks)
              json.object([&] {
                json.attribute("firstLine", block.firstLine);
                json.attribute("lastLine", block.lastLine);
                json.attributeArray("to", [&] {
                  for (const uint32_t to : block.to)
                    json.value(to);
                });
                json.attribute("leaves", block.leaves);
                json.attribute("aborts", block.aborts);
                json.attribute("reached", block.isReached);
                optional(json, "dominator", block.dominator);
                optional(json, "postDominator", block.postDominator);
                optional(json, "loop", block.loop);
                json.attribute("lanes", block.lanes);
                writeLive(block, json);
              });
          });
          if (graph.pressure.line)
            json.attributeObject("pressure", [&] {
              json.attribute("registers", graph.pressure.registers);
              json.attribute("line", graph.pressure.line);
              if (graph.pressure.limit)
                json.attribute("maxnreg", *graph.pressure.limit);
            });
        });
    });
  });
  os << '\n';
}

namespace {

constexpr unsigned lineHeight = 15, gap = 22, left = 160, letter = 8;

/// The blocks of one function, starting at a vertical offset.
struct Column {
  std::vector<unsigned> top, bottom;
  unsigned width = 0, end = 0;
};

} // namespace

static std::string markup(llvm::StringRef text) {
  std::string out;
  for (const char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '\n' ? " " : std::string(1, c);
  return out;
}

static Column place(const ShownGraph &graph, unsigned top) {
  Column column;
  column.end = top;
  for (const auto &[number, block] : llvm::enumerate(graph.blocks)) {
    const std::vector<std::string> lines = linesOf(block, static_cast<uint32_t>(number));
    for (const std::string &line : lines)
      column.width = std::max<unsigned>(column.width, static_cast<unsigned>(line.size()) * letter + 2 * letter);
    column.top.push_back(column.end);
    column.end += static_cast<unsigned>(lines.size()) * lineHeight + 8;
    column.bottom.push_back(column.end);
    column.end += gap;
  }
  return column;
}

/// Draws an edge: straight to the next block, otherwise a curve whose width grows with its length.
static void drawEdge(const Column &column, uint32_t from, uint32_t to, llvm::raw_ostream &os) {
  const unsigned start = column.bottom[from], end = column.top[to];
  if (to == from + 1) {
    os << llvm::formatv("<path d=\"M{0} {1}V{2}\"/>\n", left + 30, start, end);
    return;
  }
  const bool isBack = to <= from;
  const uint32_t blocks = isBack ? from - to : to - from;
  const unsigned bow = std::min(140u, 20 + 8 * blocks), side = isBack ? left : left + column.width;
  const int aside = isBack ? static_cast<int>(side) - static_cast<int>(bow) : static_cast<int>(side + bow);
  os << llvm::formatv("<path d=\"M{0} {1}C{2} {1} {2} {3} {0} {3}\"/>\n", side, start - 6, aside, end + 8);
}

void writeSvg(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os) {
  std::vector<Column> columns;
  unsigned height = 20, width = 0;
  for (const ShownGraph &graph : graphs) {
    columns.push_back(place(graph, height + 24));
    height = columns.back().end + 20;
    width = std::max(width, left + columns.back().width + 160);
  }
  os << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                      "font-family=\"monospace\" font-size=\"12\">\n"
                      "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"3\" "
                      "orient=\"auto\"><path d=\"M0 0L7 3L0 6z\"/></marker></defs>\n",
                      width, height);
  for (const auto &[graph, column] : llvm::zip(graphs, columns)) {
    if (!column.top.empty())
      os << llvm::formatv("<text x=\"{0}\" y=\"{1}\" font-weight=\"bold\">{2}</text>\n", left, column.top[0] - 8,
                          markup(graph.function));
    for (const auto &[number, block] : llvm::enumerate(graph.blocks)) {
      os << llvm::formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" fill=\"{4}\" stroke=\"#888888\">"
                          "<title>{5}</title></rect>\n",
                          left, column.top[number], column.width, column.bottom[number] - column.top[number],
                          colour(block), markup(llvm::join(knownLines(block), "; ")));
      unsigned y = column.top[number];
      for (const std::string &line : linesOf(block, static_cast<uint32_t>(number)))
        os << llvm::formatv("<text x=\"{0}\" y=\"{1}\">{2}</text>\n", left + letter, y += lineHeight, markup(line));
    }
    os << "<g fill=\"none\" stroke=\"#335599\" marker-end=\"url(#tip)\">\n";
    for (const auto &[number, block] : llvm::enumerate(graph.blocks))
      for (const uint32_t to : block.to)
        drawEdge(column, static_cast<uint32_t>(number), to, os);
    os << "</g>\n";
  }
  os << "</svg>\n";
}

} // namespace ptxray
