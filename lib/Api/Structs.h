#pragma once
// The handles of the C interface point to these structures.
#include "Check/Checker.h"
#include "ptxray/ptxray-c.h"
#include <deque>

struct ptxray_options {
  ptxray::CheckOptions options;
  ptxray::Language language = ptxray::Language::Ptx;
  std::optional<std::string> constraints; // for the template of one statement
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
  std::optional<Findings> findings; // empty if there are none
  std::string printed;
  std::optional<std::string> refusal;
  std::optional<std::string> counters, fidelity; // set if the launch is counted
  std::optional<std::string> certificate;        // set if the launch requests a certificate
  std::optional<std::string> equality;           // set if two launches were compared
};

namespace ptxray {

std::unique_ptr<ptxray_result> resultOf(const FileReport &report);

} // namespace ptxray
