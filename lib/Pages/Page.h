#pragma once
// A page says what is known of a name: it is a value that is printed as text, or written as JSON for other programs.
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace ptxray {

struct PageRow {
  std::vector<std::string> words; // that the row is about; of a table its cells
  std::string text;
  std::string note;        // a restriction: `needs PTX 7.4 and sm_70 or higher`
  unsigned depth = 0;      // values of a qualifier are below it
  std::string module = {}; // of an example: a whole text with the line in it
};

struct PageSection {
  enum class Kind : uint8_t {
    Part,    // what follows, up to the next part, belongs to one section of the manual
    Text,    // a paragraph a row
    Code,    // a line of PTX a row; the words number it
    List,    // words, and what they mean
    Table,   // the first row is the header
    Picture, // a row is text as it stands, in lines
  };
  Kind kind;
  std::string title;
  std::vector<PageRow> rows;
};

struct Page {
  std::string name, kind; // `tcgen05.mma`, `instruction`
  std::string title;      // in a few words
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
