// Prints a page as text, for a terminal of 100 columns.
#include "Pages/Page.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <tuple>

namespace ptxray {

using llvm::StringRef;

static constexpr size_t pageWidth = 100;
static constexpr size_t widestTerm = 24; // longer terms are on a separate line

/// Wraps text. The first line begins at `at`, the others at `margin`.
static void wrapped(StringRef text, size_t at, size_t margin, llvm::raw_ostream &out) {
  bool isFirst = true;
  while (!text.empty()) {
    const auto [word, rest] = text.split(' ');
    text = rest;
    if (!isFirst && at + 1 + word.size() > pageWidth) {
      out << '\n' << std::string(margin, ' ');
      at = margin;
    } else if (!isFirst) {
      out << ' ';
      ++at;
    }
    out << word;
    at += word.size();
    isFirst = false;
  }
  out << '\n';
}

static size_t termWidth(const PageSection &section) {
  size_t width = 0;
  for (const PageRow &row : section.rows)
    if (const size_t columns = llvm::join(row.words, " ").size() + 2 * row.depth; columns <= widestTerm)
      width = std::max(width, columns);
  return width;
}

static void printList(const PageSection &section, llvm::raw_ostream &out) {
  const size_t margin = 2 + termWidth(section) + 2;
  for (const PageRow &row : section.rows) {
    const size_t indent = 2 + 2 * row.depth;
    const std::string terms = llvm::join(row.words, " ");
    const std::string says = row.text + (row.note.empty() ? "" : (row.text.empty() ? "" : "; ") + row.note);
    out << std::string(indent, ' ');
    if (says.empty()) {
      wrapped(terms, indent, indent + 2, out);
    } else if (indent + terms.size() + 2 <= margin) {
      out << terms << std::string(margin - indent - terms.size(), ' ');
      wrapped(says, margin, margin, out);
    } else {
      wrapped(terms, indent, indent + 2, out);
      out << std::string(margin, ' ');
      wrapped(says, margin, margin, out);
    }
  }
}

static void printCode(const PageSection &section, llvm::raw_ostream &out) {
  for (const PageRow &row : section.rows) {
    const std::string number = row.words.empty() ? "" : row.words.front() + " ";
    for (StringRef rest = row.text; !rest.empty();) {
      const auto [line, more] = rest.split('\n');
      out << "  " << (rest.size() == row.text.size() ? number : std::string(number.size(), ' '));
      wrapped(line, 2 + number.size(), 6 + number.size(), out);
      rest = more;
    }
    if (!row.note.empty()) {
      out << "      ";
      wrapped(row.note, 6, 6, out);
    }
  }
}

static size_t longestWord(StringRef text) {
  size_t longest = 0;
  for (StringRef word; !text.empty();) {
    std::tie(word, text) = text.split(' ');
    longest = std::max(longest, word.size());
  }
  return longest;
}

/// Returns the offset at which to split a cell: after a word, or else after punctuation in a word.
static size_t cutOf(StringRef cell, size_t width) {
  if (cell.size() <= width)
    return cell.size();
  if (const size_t blank = cell.take_front(width + 1).rfind(' '); blank != StringRef::npos && blank > 0)
    return blank;
  const size_t sign = cell.take_front(width).find_last_of(":_,");
  return sign == StringRef::npos || sign < 2 ? width : sign + 1;
}

/// Returns the widths of a table's columns. Columns are narrowed until the table fits, beginning with those that need
/// not split words.
static std::vector<size_t> widthsOf(const PageSection &section) {
  constexpr size_t narrowest = 12;
  const size_t columns = section.rows.front().words.size();
  std::vector<size_t> widths(columns, 0), words(columns, narrowest);
  for (const PageRow &row : section.rows)
    for (size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], row.words[c].size());
      words[c] = std::max(words[c], longestWord(row.words[c]));
    }
  const auto excess = [&](size_t c, bool mayBreak) {
    const size_t least = mayBreak ? narrowest : words[c];
    return widths[c] > least ? widths[c] : 0;
  };
  for (bool mayBreak : {false, true})
    for (;;) {
      size_t total = 0, widest = 0;
      for (size_t c = 0; c < columns; ++c) {
        total += widths[c] + 3;
        widest = excess(c, mayBreak) > excess(widest, mayBreak) ? c : widest;
      }
      if (total <= pageWidth || !excess(widest, mayBreak))
        break;
      --widths[widest];
    }
  return widths;
}

/// Prints a table. Cells that are too long for their columns are wrapped.
static void printTable(const PageSection &section, llvm::raw_ostream &out) {
  const std::vector<size_t> widths = widthsOf(section);
  const size_t columns = widths.size();
  for (const PageRow &row : section.rows) {
    std::vector<std::string> rest = row.words;
    for (bool isFirst = true; isFirst || llvm::any_of(rest, [](const std::string &cell) { return !cell.empty(); });
         isFirst = false) {
      std::string line = " ";
      for (size_t c = 0; c < columns; ++c) {
        const size_t cut = cutOf(rest[c], widths[c]);
        line += " " + rest[c].substr(0, cut) + std::string(widths[c] + 2 - cut, ' ');
        rest[c] = StringRef(rest[c]).drop_front(cut).ltrim().str();
      }
      out << StringRef(line).rtrim() << '\n';
    }
  }
}

static void printParagraphs(const PageSection &section, llvm::raw_ostream &out) {
  for (const PageRow &row : section.rows) {
    out << "  ";
    wrapped(row.text, 2, 2, out);
  }
}

static void printPicture(const PageSection &section, llvm::raw_ostream &out) {
  for (const PageRow &row : section.rows)
    for (StringRef line, rest = row.text; !rest.empty();) {
      std::tie(line, rest) = rest.split('\n');
      out << (line.empty() ? "" : "  ") << line << '\n';
    }
}

void printSection(const PageSection &section, llvm::raw_ostream &out) {
  if (section.kind == PageSection::Kind::Part)
    out << "# ";
  wrapped(section.title, 0, 2, out);
  switch (section.kind) {
  case PageSection::Kind::Part: break;
  case PageSection::Kind::Text: printParagraphs(section, out); break;
  case PageSection::Kind::Code: printCode(section, out); break;
  case PageSection::Kind::List: printList(section, out); break;
  case PageSection::Kind::Table: printTable(section, out); break;
  case PageSection::Kind::Picture: printPicture(section, out); break;
  }
}

void printPage(const Page &page, llvm::raw_ostream &out) {
  wrapped(page.name + " - " + page.title, 0, 2, out);
  for (const PageSection &section : page.sections) {
    out << '\n';
    printSection(section, out);
  }
}

} // namespace ptxray
