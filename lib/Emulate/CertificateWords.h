#pragma once
// Writes the certificate of a launch as text and as JSON. It states for which contents of the buffers the verdict
// holds.
#include "Diagnostics/Report.h"
#include "Machine/LaunchData.h"

namespace ptxray::machine {

/// Returns the sentence that states the scope of a certificate: `holds for all contents`, `depends on buffer 1 at line
/// 88 ...` or `only this run ...`. If `isGood` is not set, the launch has findings or did not finish, and there is no
/// certificate.
std::string certificateSummary(const Outcome &outcome, const FileReport &report, bool isGood);
/// Returns the certificate as lines of text.
std::string certificateText(const Outcome &outcome, const FileReport &report, llvm::StringRef kernel,
                            const LaunchShape &shape, bool isGood);
std::string certificateJson(const Outcome &outcome, const FileReport &report, llvm::StringRef kernel,
                            const LaunchShape &shape, bool isGood);

} // namespace ptxray::machine
