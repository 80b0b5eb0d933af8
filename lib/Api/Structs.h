#pragma once
// The handles of the C interface point to these structures.
#include "Check/Checker.h"
#include "ptxray/ptxray-c.h"
#include <deque>

struct ptxray_options {
  ptxray::CheckOptions options;
  ptxray::Language language = ptxray::Language::Ptx;
  std::optional<std::string> constraints; // of a text that is one statement
  std::string problem;
};

struct ptxray_result {
  /// Keeps what the structs point to in deques, whose elements never move.
  struct Findings {
    std::deque<std::string> strings;
    std::deque<ptxray_note> notes;
    std::deque<ptxray_edit> edits;
    std::deque<std::vector<const ptxray_note *>> noteLists;
    std::deque<std::vector<const ptxray_edit *>> editLists;
    std::deque<ptxray_diagnostic> diagnostics;
  };

  std::string ptx, target;
  std::optional<Findings> findings; // none: nothing was found
  std::string printed;
  std::optional<std::string> refusal;
  std::optional<std::string> counters, fidelity; // of a launch that is counted
  std::optional<std::string> certificate;        // of a launch that asks for one
};

namespace ptxray {

std::unique_ptr<ptxray_result> resultOf(const FileReport &report);

} // namespace ptxray
