#pragma once
// The certificate of a launch in words and as JSON: for which contents of the buffers its verdict holds.
#include "Diagnostics/Report.h"
#include "Machine/LaunchData.h"

namespace ptxray::machine {

/// Returns the sentence that states what a certificate covers: `holds for all contents`, `depends on buffer 1 at line
/// 88 ...` or `only this run ...`. `isGood`: the launch came to its end without a finding; otherwise there is none.
std::string certificateSummary(const Outcome &outcome, const FileReport &report, bool isGood);
/// Returns the certificate as lines of text.
std::string certificateText(const Outcome &outcome, const FileReport &report, llvm::StringRef kernel,
                            const LaunchShape &shape, bool isGood);
std::string certificateJson(const Outcome &outcome, const FileReport &report, llvm::StringRef kernel,
                            const LaunchShape &shape, bool isGood);

} // namespace ptxray::machine
