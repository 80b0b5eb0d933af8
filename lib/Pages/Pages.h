#pragma once
// The page of each name: an instruction, one form of it, a qualifier, a directive, a pragma, a special register, a
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
/// Returns the page of one form: of the words that are written, or of the most usual ones that they begin. Nothing if
/// no form has a place for all of them.
std::optional<Page> formPage(llvm::StringRef written);
/// Returns the page of a version of PTX, written as `8.7` or `ptx 8.7`; nothing if the text is none.
std::optional<Page> versionPage(llvm::StringRef written);
/// Says what is wrong with the words of an opcode that has no form; no rows if nothing is.
PageSection notAForm(llvm::StringRef written);
/// Returns the page of a directive, pragma, special register, target or qualifier; nothing if only an instruction has
/// the name.
std::optional<Page> pageOf(llvm::StringRef name);

} // namespace ptxray
