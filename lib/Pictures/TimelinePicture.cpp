#include "Pictures/TimelinePicture.h"
#include "Check/CheckModule.h"
#include "Flow/Analyses.h"
#include "Source/JsonValue.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

std::optional<Timelines> timelinesOf(const SourceBuffer &source, std::optional<llvm::StringRef> wanted) {
  Timelines found;
  auto see = [&](const Body &body, const ModuleState &module) {
    if (wanted && body.ast->text(body.function->name) != *wanted)
      return;
    found.hasFunction = true;
    Analyses analyses(body, module);
    if (std::optional<Timeline> one = timelineOf(body, analyses, source))
      found.all.push_back(std::move(*one));
  };
  return streamChecked(source, see) ? std::optional(std::move(found)) : std::nullopt;
}

// ---- equal events together
namespace {

/// A row: events that are shown together, or the head of a section with its contents.
struct Row {
  bool isSection = false;
  TimelineSection section;
  TimelineEvent event;
  Lines lines;               // lines of all its events
  std::vector<int> barriers; // barriers of all its events
  bool isMixed = false;      // the texts of its events differ
  std::vector<Row> rows;     // rows of a section
};

class Folding {
public:
  explicit Folding(const Timeline &timeline);
  std::vector<Row> rows() const { return rowsOf(-1); }

private:
  struct Item {
    bool isSection;
    size_t index;
  };
  std::vector<Row> rowsOf(int section) const;
  void addSection(std::vector<Row> &rows, size_t index) const;
  static void addEvent(std::vector<Row> &rows, Row row);
  const std::vector<Item> &itemsOf(int section) const { return items[static_cast<size_t>(section) + 1]; }

  const Timeline &timeline;
  std::vector<std::vector<Item>> items; // indexed by section + 1
};

} // namespace

Folding::Folding(const Timeline &timeline) : timeline(timeline), items(timeline.sections.size() + 1) {
  std::vector<bool> isPlaced(timeline.sections.size());
  for (const auto &[index, event] : llvm::enumerate(timeline.events)) {
    for (int section = event.section; section >= 0 && !isPlaced[static_cast<size_t>(section)];) {
      const auto one = static_cast<size_t>(section);
      isPlaced[one] = true;
      section = timeline.sections[one].parent;
      items[static_cast<size_t>(section) + 1].push_back({true, one});
    }
    items[static_cast<size_t>(event.section) + 1].push_back({false, index});
  }
}

/// Combines two conditions. The second condition may include the first.
static std::string both(const std::string &a, const std::string &b) {
  if (a.empty() || b.empty() || a == b)
    return a.empty() ? b : a;
  return a + " and " + b;
}

static bool areToldTogether(const TimelineEvent &a, const TimelineEvent &b) {
  if (a.kind != b.kind || a.name != b.name || a.condition != b.condition || a.kind == EventKind::Hazard)
    return false;
  switch (a.kind) {
  case EventKind::Init:
  case EventKind::Invalidate: return true;
  case EventKind::Operation: return a.barrier == b.barrier;
  case EventKind::Await: return a.barrier == b.barrier && a.barrier >= 0 && (a.ends == b.ends || b.ends.empty());
  default:
    return a.text == b.text && a.barrier == b.barrier && a.takes == b.takes && a.keeps == b.keeps &&
           (a.ends == b.ends || b.ends.empty()) && a.arrives == b.arrives;
  }
}

void Folding::addEvent(std::vector<Row> &rows, Row row) {
  if (rows.empty() || rows.back().isSection || !areToldTogether(rows.back().event, row.event)) {
    rows.push_back(std::move(row));
    return;
  }
  Row &last = rows.back();
  last.isMixed |= row.isMixed || last.event.text != row.event.text;
  last.lines.insert(last.lines.end(), row.lines.begin(), row.lines.end());
  for (const int barrier : row.barriers)
    if (!llvm::is_contained(last.barriers, barrier))
      last.barriers.push_back(barrier);
}

/// Adds the rows of a section. A condition on a single event is shown with the event. A condition directly within
/// another is combined with it.
// NOLINTNEXTLINE(misc-no-recursion): sections nest at most `mostNests` deep
void Folding::addSection(std::vector<Row> &rows, size_t index) const {
  Row row;
  row.isSection = true;
  row.section = timeline.sections[index];
  row.rows = rowsOf(static_cast<int>(index));
  const bool isRole = row.section.kind == TimelineSection::Role;
  if (isRole && row.rows.size() == 1 && !row.rows.front().isSection) {
    Row only = std::move(row.rows.front());
    only.event.condition = both(row.section.condition, only.event.condition);
    return addEvent(rows, std::move(only));
  }
  if (isRole && row.rows.size() == 1 && row.rows.front().section.kind == TimelineSection::Role) {
    row.section.condition = both(row.section.condition, row.rows.front().section.condition);
    row.rows = std::vector<Row>(std::move(row.rows.front().rows));
  }
  Row *last = rows.empty() || !rows.back().isSection ? nullptr : &rows.back();
  if (isRole && last && last->section.kind == TimelineSection::Role &&
      last->section.condition == row.section.condition) {
    for (Row &one : row.rows)
      one.isSection ? last->rows.push_back(std::move(one)) : addEvent(last->rows, std::move(one));
    return;
  }
  rows.push_back(std::move(row));
}

// NOLINTNEXTLINE(misc-no-recursion): sections nest at most `mostNests` deep
std::vector<Row> Folding::rowsOf(int section) const {
  std::vector<Row> rows;
  for (const Item item : itemsOf(section)) {
    if (item.isSection) {
      addSection(rows, item.index);
      continue;
    }
    Row row;
    row.event = timeline.events[item.index];
    row.lines.push_back(row.event.line);
    if (row.event.barrier >= 0)
      row.barriers.push_back(row.event.barrier);
    addEvent(rows, std::move(row));
  }
  return rows;
}

// ---- words
static std::string linesText(const Lines &lines) {
  if (lines.size() > 4)
    return llvm::formatv("lines {0} to {1} ({2})", lines.front(), lines.back(), lines.size()).str();
  std::string text = lines.size() == 1 ? "line " : "lines ";
  for (const auto &[i, line] : llvm::enumerate(lines))
    text += (i ? ", " : "") + std::to_string(line);
  return text;
}

static std::string barriersText(const std::vector<int> &barriers) {
  std::string text;
  for (const int one : llvm::ArrayRef(barriers).take_front(8))
    text += (text.empty() ? "B" : ", B") + std::to_string(one + 1);
  if (barriers.size() > 8)
    text += llvm::formatv(" and {0} more", barriers.size() - 8).str();
  return text;
}

static std::string eventText(const Row &row) {
  const TimelineEvent &event = row.event;
  if (event.kind == EventKind::Hazard)
    return "! " + event.text + " [" + event.name + "]";
  std::string text = event.name;
  if (row.lines.size() > 1)
    text += llvm::formatv(" x{0}, lines {1} to {2}", row.lines.size(), row.lines.front(), row.lines.back()).str();
  std::vector<std::string> parts;
  if (!row.barriers.empty() && event.kind != EventKind::Operation)
    parts.push_back(barriersText(row.barriers));
  if (!event.text.empty() && !(row.isMixed && event.kind == EventKind::Init))
    parts.push_back(event.text + (row.isMixed ? ", and on" : ""));
  if (!row.barriers.empty() && event.kind == EventKind::Operation)
    parts.push_back("counted by " + barriersText(row.barriers));
  if (event.arrives)
    parts.push_back("and arrives");
  if (!parts.empty())
    text += ": " + llvm::join(parts, ", ");
  const char *before = parts.empty() ? ": " : "; ";
  for (const auto &[lines, verb, after] :
       {std::tuple(&event.takes, event.kind == EventKind::Arrive ? "after " : "takes ", ""),
        {&event.ends, "ends ", ""},
        {&event.keeps, "leaves ", " pending"}})
    if (!lines->empty()) {
      text += before + std::string(verb) + linesText(*lines) + after;
      before = "; ";
    }
  if (!event.condition.empty())
    text += "  [" + event.condition + "]";
  return text;
}

static std::string sectionText(const TimelineSection &section) {
  return section.kind == TimelineSection::Loop
             ? llvm::formatv("loop, lines {0} to {1}:", section.firstLine, section.lastLine).str()
             : "if " + section.condition + ":";
}

static std::string barrierText(const TimelineBarrier &barrier) {
  std::string text = barrier.place;
  if (barrier.objects > 1)
    text += llvm::formatv(", {0} objects", barrier.objects).str();
  return text;
}

static std::string usesText(const TimelineBarrier &barrier) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string &what, const Lines &lines) {
    if (!lines.empty())
      parts.push_back(what + ": " + linesText(lines));
  };
  add(barrier.count.empty() ? "initialised" : "initialised with count " + barrier.count, barrier.inits);
  add(barrier.expected.empty() ? "expects bytes" : "expects " + barrier.expected + " bytes", barrier.expects);
  add("signalled", barrier.signals);
  add("waited for", barrier.waits);
  return llvm::join(parts, "; ");
}

// ---- text
/// Replaces control characters, which a file could otherwise send to the terminal.
static std::string shown(llvm::StringRef text) {
  std::string out;
  for (const char c : text)
    out += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c;
  return out;
}

// NOLINTNEXTLINE(misc-no-recursion): sections nest at most `mostNests` deep
static void writeRows(const std::vector<Row> &rows, unsigned depth, llvm::raw_ostream &os) {
  for (const Row &row : rows) {
    os << llvm::formatv("{0,7}  ", row.isSection ? std::string() : std::to_string(row.lines.front()));
    os.indent(2 * depth) << shown(row.isSection ? sectionText(row.section) : eventText(row)) << '\n';
    writeRows(row.rows, depth + 1, os);
  }
}

static std::string titleOf(const Timeline &timeline) {
  const llvm::StringRef name = timeline.function;
  const std::string shown = name.size() <= 72 ? name.str() : (name.take_front(56) + "..." + name.take_back(12)).str();
  return llvm::formatv("{0} {1}, lines {2} to {3}", timeline.isEntry ? "kernel" : "function", shown, timeline.firstLine,
                       timeline.lastLine)
      .str();
}

static constexpr llvm::StringLiteral incomplete = "too long to analyse: it is unknown which operations waits complete";

void writeTimelineText(llvm::ArrayRef<Timeline> timelines, llvm::raw_ostream &os) {
  for (const auto &[index, timeline] : llvm::enumerate(timelines)) {
    os << (index ? "\n" : "") << shown(titleOf(timeline)) << '\n';
    if (!timeline.isComplete)
      os << "  " << incomplete << '\n';
    for (const auto &[i, barrier] : llvm::enumerate(timeline.barriers)) {
      os << (i ? "" : "\n") << "  B" << i + 1 << "  " << shown(barrierText(barrier)) << '\n';
      os << "      " << shown(usesText(barrier)) << '\n';
    }
    os << '\n';
    writeRows(Folding(timeline).rows(), 0, os);
  }
}

// ---- JSON
static void addText(Json &json, const char *name, const std::string &text) {
  if (!text.empty())
    json[name] = text;
}

static void addLines(Json &json, const char *name, const Lines &lines) {
  if (!lines.empty())
    json[name] = lines;
}

static Json json(const TimelineBarrier &barrier) {
  Json json = {{"place", barrier.place}, {"ring", barrier.isRing}, {"objects", barrier.objects}};
  addText(json, "count", barrier.count);
  addText(json, "expected", barrier.expected);
  addLines(json, "inits", barrier.inits);
  addLines(json, "expects", barrier.expects);
  addLines(json, "signals", barrier.signals);
  addLines(json, "waits", barrier.waits);
  return json;
}

static Json json(const TimelineSection &section) {
  const bool isLoop = section.kind == TimelineSection::Loop;
  Json json = {{"kind", isLoop ? "loop" : "role"}, {"firstLine", section.firstLine}};
  if (section.parent >= 0)
    json["parent"] = section.parent;
  if (isLoop)
    json["lastLine"] = section.lastLine;
  else
    json["condition"] = section.condition;
  return json;
}

static Json json(const TimelineEvent &event) {
  Json json = {{"kind", kindName(event.kind).str()}, {"line", event.line}, {"name", event.name}};
  addText(json, "text", event.text);
  addText(json, "condition", event.condition);
  if (event.section >= 0)
    json["section"] = event.section;
  if (event.barrier >= 0)
    json["barrier"] = event.barrier;
  if (event.arrives)
    json["arrives"] = true;
  addLines(json, "takes", event.takes);
  addLines(json, "ends", event.ends);
  addLines(json, "keeps", event.keeps);
  return json;
}

template <typename T> static Json jsonOf(const std::vector<T> &values) {
  Json all = Json::array();
  for (const T &value : values)
    all.push_back(json(value));
  return all;
}

void writeTimelineJson(llvm::ArrayRef<Timeline> timelines, llvm::raw_ostream &os) {
  Json functions = Json::array();
  for (const Timeline &one : timelines)
    functions.push_back({{"name", one.function},
                         {"kind", one.isEntry ? "kernel" : "function"},
                         {"firstLine", one.firstLine},
                         {"lastLine", one.lastLine},
                         {"complete", one.isComplete},
                         {"barriers", jsonOf(one.barriers)},
                         {"sections", jsonOf(one.sections)},
                         {"events", jsonOf(one.events)}});
  os << dump({{"version", 1}, {"functions", std::move(functions)}}, 1) << '\n';
}

// ---- SVG
namespace {

constexpr unsigned rowHeight = 18, letterWidth = 7, columnGap = 60, mostColumns = 12, mostLetters = 64,
                   mostArrows = 300;

struct Box {
  size_t column;
  unsigned y;
  std::string text;
  const Row *row; // null for the head of a section
};

struct Bracket {
  size_t column;
  unsigned from, to;
};

/// The arrangement of the picture: rows from top to bottom, a column for each role.
class Arrangement {
public:
  Arrangement(const std::vector<Row> &rows, unsigned top) : bottom(top) { place(rows, 0); }
  unsigned left(size_t column) const {
    unsigned x = 20;
    for (size_t i = 0; i < column; ++i)
      x += widths[i] + columnGap;
    return x;
  }
  unsigned width(size_t column) const { return widths[column]; }
  unsigned right() const { return left(widths.size()); }

  std::vector<Box> boxes;
  std::vector<Bracket> loops;
  unsigned bottom;

private:
  void add(size_t column, std::string text, const Row *row) {
    if (text.size() > mostLetters)
      text = text.substr(0, mostLetters - 3) + "...";
    widths[column] = std::max(widths[column], static_cast<unsigned>(text.size() + 2) * letterWidth);
    boxes.push_back({column, bottom, std::move(text), row});
    bottom += rowHeight;
  }
  // NOLINTNEXTLINE(misc-no-recursion): sections nest at most `mostNests` deep
  void place(const std::vector<Row> &rows, size_t column) {
    for (const Row &row : rows) {
      if (!row.isSection) {
        add(column, std::to_string(row.lines.front()) + " " + eventText(row), &row);
        continue;
      }
      const bool isLoop = row.section.kind == TimelineSection::Loop;
      const unsigned from = bottom;
      size_t inner = column;
      if (!isLoop && widths.size() < mostColumns) {
        inner = widths.size();
        widths.push_back(0);
      }
      add(inner, sectionText(row.section), nullptr);
      place(row.rows, inner);
      if (isLoop)
        loops.push_back({inner, from, bottom - 4});
    }
  }

  std::vector<unsigned> widths = {0};
};

} // namespace

static std::string inMarkup(llvm::StringRef text) {
  std::string out;
  for (const char c : shown(text))
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

static llvm::StringRef colourOf(EventKind kind) {
  switch (kind) {
  case EventKind::Operation: return "#d6e8ff";
  case EventKind::Wait:
  case EventKind::Await: return "#fff0c2";
  case EventKind::Commit:
  case EventKind::Arrive:
  case EventKind::Expect:
  case EventKind::Complete: return "#dff3d8";
  case EventKind::Hazard: return "#ffb8ac";
  default: return "#eeeeee";
  }
}

static llvm::StringRef colourOfBarrier(int barrier) {
  static constexpr llvm::StringLiteral colours[] = {"#1f5fa8", "#a8481f", "#2f7d32", "#7b2fa8", "#a81f5f", "#00838f"};
  return colours[static_cast<size_t>(barrier) % std::size(colours)];
}

static bool isSignal(EventKind kind) {
  return kind == EventKind::Operation || kind == EventKind::Arrive || kind == EventKind::Expect ||
         kind == EventKind::Complete;
}

static void drawArrows(const Arrangement &layout, llvm::raw_ostream &os) {
  unsigned count = 0;
  for (const Box &from : layout.boxes) {
    if (!from.row || !isSignal(from.row->event.kind))
      continue;
    for (const Box &to : layout.boxes) {
      if (!to.row || to.row->event.kind != EventKind::Await || from.column == to.column || from.row->barriers.empty() ||
          to.row->barriers != from.row->barriers || ++count > mostArrows)
        continue;
      const bool isRightwards = from.column < to.column;
      const unsigned start = layout.left(from.column) + (isRightwards ? layout.width(from.column) : 0);
      const unsigned end = layout.left(to.column) + (isRightwards ? 0 : layout.width(to.column));
      const int bend = isRightwards ? 40 : -40;
      const unsigned y = from.y + rowHeight / 2, z = to.y + rowHeight / 2;
      os << llvm::formatv("<path d=\"M{0} {1}C{2} {1} {3} {4} {5} {4}\" stroke=\"{6}\"/>\n", start, y,
                          static_cast<int>(start) + bend, static_cast<int>(end) - bend, z, end,
                          colourOfBarrier(from.row->barriers.front()));
    }
  }
}

static void draw(const Timeline &timeline, const Arrangement &layout, unsigned top, llvm::raw_ostream &os) {
  unsigned y = top;
  os << llvm::formatv("<text x=\"20\" y=\"{0}\" font-weight=\"bold\">{1}</text>\n", y, inMarkup(titleOf(timeline)));
  for (const auto &[i, barrier] : llvm::enumerate(timeline.barriers))
    os << llvm::formatv("<text x=\"20\" y=\"{0}\" fill=\"{1}\">B{2}  {3}: {4}</text>\n", y += rowHeight,
                        colourOfBarrier(static_cast<int>(i)), i + 1, inMarkup(barrierText(barrier)),
                        inMarkup(usesText(barrier)));
  for (const Bracket &loop : layout.loops) {
    const unsigned x = layout.left(loop.column) - 6;
    os << llvm::formatv("<path d=\"M{0} {1}H{2}V{3}H{0}\" fill=\"none\" stroke=\"#888888\"/>\n", x + 6, loop.from + 4,
                        x, loop.to);
  }
  for (const Box &box : layout.boxes) {
    if (box.row)
      os << llvm::formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" fill=\"{4}\" stroke=\"#bbbbbb\"/>\n",
                          layout.left(box.column), box.y, layout.width(box.column), rowHeight - 2,
                          colourOf(box.row->event.kind));
    os << llvm::formatv("<text x=\"{0}\" y=\"{1}\"{2}>{3}</text>\n", layout.left(box.column) + letterWidth / 2,
                        box.y + rowHeight - 5, box.row ? "" : " font-style=\"italic\"", inMarkup(box.text));
  }
  os << "<g fill=\"none\" marker-end=\"url(#tip)\">\n";
  drawArrows(layout, os);
  os << "</g>\n";
}

void writeTimelineSvg(llvm::ArrayRef<Timeline> timelines, llvm::raw_ostream &os) {
  std::vector<std::vector<Row>> rows;
  std::vector<Arrangement> layouts;
  std::vector<unsigned> tops;
  unsigned height = 0, width = 900;
  for (const Timeline &timeline : timelines)
    rows.push_back(Folding(timeline).rows());
  for (const auto &[timeline, own] : llvm::zip(timelines, rows)) {
    tops.push_back(height + 24);
    layouts.emplace_back(own, height + 40 + static_cast<unsigned>(timeline.barriers.size()) * rowHeight);
    height = layouts.back().bottom + 20;
    width = std::max(width, layouts.back().right());
  }
  os << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                      "font-family=\"monospace\" font-size=\"11\">\n"
                      "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"3\" "
                      "orient=\"auto\"><path d=\"M0 0L7 3L0 6z\"/></marker></defs>\n",
                      width, height);
  for (const auto &[timeline, layout, top] : llvm::zip(timelines, layouts, tops))
    draw(timeline, layout, top, os);
  os << "</svg>\n";
}

} // namespace ptxray
