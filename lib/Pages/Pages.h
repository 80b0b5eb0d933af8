#pragma once
// Builds the page of a name: an instruction, one form of it, a qualifier, a directive, a pragma, a special register, a
// target.
#include "Isa/Isa.h"
#include "Pages/Page.h"
#include <optional>

namespace ptxray {

Page instructionPage(const isa::Mnemonic &mnemonic);
Page directivePage(const isa::Directive &directive);
Page pragmaPage(const isa::Directive &pragma);
Page registerPage(const isa::SpecialRegister &reg);
Page targetPage(const isa::Target &target);
Page wordPage(const isa::Word &word);
/// Returns the page of one form. The opcode may be incomplete; the most common completion is used. Returns nothing if
/// no form has all its words.
std::optional<Page> formPage(llvm::StringRef written);
/// Returns the page of a PTX version, written as `8.7` or `ptx 8.7`; nothing for other texts.
std::optional<Page> versionPage(llvm::StringRef written);
/// Describes the problem of an opcode that matches no form; has no rows if there is none.
PageSection notAForm(llvm::StringRef written);
/// Returns the page of a directive, pragma, special register, target or qualifier; nothing if only an instruction has
/// this name.
std::optional<Page> pageOf(llvm::StringRef name);

} // namespace ptxray
