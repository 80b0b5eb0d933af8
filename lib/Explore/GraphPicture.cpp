#include "Explore/GraphPicture.h"
#include "Check/ModuleCheck.h"
#include "Flow/Uniformity.h"
#include "Parse/Parse.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

/// More lines of a block are left out of pictures.
constexpr size_t mostLines = 40;

static std::optional<uint32_t> numberOf(BlockId block, const Graph &graph) {
  return indexOf(block) < graph.size() ? std::optional(indexOf(block)) : std::nullopt;
}

static ShownGraph shownGraph(const Body &body, const ModuleState &module, const SourceBuffer &source) {
  ShownGraph shown;
  shown.function = body.ast->text(body.function->name).str();
  Analyses analyses(body, module);
  const Graph &graph = analyses.graph();
  if (!graph.size())
    return shown;
  const DominatorTree after = postDominatorsOf(graph);
  const Loops loops = loopsOf(graph);
  const Uniformity uniformity(body, analyses, {});
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const Block &block = graph.blocks[i];
    ShownBlock &one = shown.blocks.emplace_back();
    one.firstLine = source.lineColumn(body.instruction(block.first).range.begin).line;
    one.lastLine = source.lineColumn(body.instruction(block.last()).range.begin).line;
    for (uint32_t number = block.first; number < block.end; ++number)
      one.text.push_back(source.text(body.instruction(number).range).str());
    for (const BlockId successor : graph.successors.of(BlockId(i)))
      one.to.push_back(indexOf(successor));
    one.leaves = block.leaves;
    one.aborts = block.aborts;
    one.isReached = graph.isReached(BlockId(i));
    one.dominator = numberOf(analyses.dominators().parent[i], graph);
    one.postDominator = numberOf(after.parent[i], graph);
    one.loop = numberOf(loops.header[i], graph);
    one.lanes = uniformity.splitBefore(BlockId(i)) != BlockId::None ? "certainly some"
                : uniformity.isWhole(BlockId(i))                    ? "all"
                                                                    : "perhaps some";
  }
  return shown;
}

std::vector<ShownGraph> shownGraphs(const SourceBuffer &source, std::optional<llvm::StringRef> wanted,
                                    DiagnosticSink &sink) {
  const CheckOptions options;
  Parser parser;
  Knowledge knowledge;
  ModuleCheck module(parser.ast(), knowledge, source, options, sink);
  std::vector<ShownGraph> graphs;
  parser.parse(source, sink, /*keepBodies=*/false, [&](const Ast &ast, Statement item) {
    const Body *body = module.item(item);
    if (body && (!wanted || ast.text(body->function->name) == *wanted))
      graphs.push_back(shownGraph(*body, module.moduleState(), source));
  });
  return graphs;
}

static std::string title(const ShownBlock &block, uint32_t number) {
  std::string text = llvm::formatv("block {0}, lines {1}-{2}", number, block.firstLine, block.lastLine).str();
  if (block.loop)
    text += llvm::formatv(", loop {0}", *block.loop).str();
  if (block.lanes != llvm::StringRef("all"))
    text += std::string(", ") + block.lanes + " lanes";
  return text;
}

/// The title, and the text as far as there is room for it.
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
      os << "\"];\n";
      for (const uint32_t to : block.to)
        os << "    f" << index << "b" << number << " -> f" << index << "b" << to << ";\n";
    }
    os << "  }\n";
  }
  os << "}\n";
}

static void optional(llvm::json::OStream &json, const char *name, std::optional<uint32_t> number) {
  if (number)
    json.attribute(name, *number);
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
              });
          });
        });
    });
  });
  os << '\n';
}

namespace {

constexpr unsigned lineHeight = 15, gap = 22, left = 160, letter = 8;

/// Blocks of one function from a height on.
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

/// To the next block straight on; the further it goes, the wider the bow.
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
      os << llvm::formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" fill=\"{4}\" stroke=\"#888888\"/>\n",
                          left, column.top[number], column.width, column.bottom[number] - column.top[number],
                          colour(block));
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
