#pragma once
// The information about a name. A page is a value that is printed as text, or written as JSON for other programs.
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace ptxray {

struct PageRow {
  std::vector<std::string> words; // subject of the row; in a table, its cells
  std::string text;
  std::string note;        // a restriction: `needs PTX 7.4 and sm_70 or higher`
  unsigned depth = 0;      // indentation, such as 1 for values of a qualifier
  std::string module = {}; // for an example: a module that contains the line
};

struct PageSection {
  enum class Kind : uint8_t {
    Part,    // heading of the following sections, which belong to one section of the manual
    Text,    // one paragraph per row
    Code,    // one line of PTX per row, numbered by its words
    List,    // words and their meanings
    Table,   // the first row is the header
    Picture, // preformatted lines
  };
  Kind kind;
  std::string title;
  std::vector<PageRow> rows;
};

struct Page {
  std::string name, kind; // `tcgen05.mma`, `instruction`
  std::string title;      // a few words
  std::vector<PageSection> sections;

  /// Adds a section unless it has no rows.
  void add(PageSection section) {
    if (section.kind == PageSection::Kind::Part || !section.rows.empty())
      sections.push_back(std::move(section));
  }
};

void printSection(const PageSection &section, llvm::raw_ostream &out);
void printPage(const Page &page, llvm::raw_ostream &out);

} // namespace ptxray
