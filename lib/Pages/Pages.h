#pragma once
// The page of each name: an instruction, a qualifier, a directive, a pragma, a special register, a target.
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
/// The page of a directive, pragma, special register, target or qualifier; nothing if only an instruction has the name.
std::optional<Page> pageOf(llvm::StringRef name);

} // namespace ptxray
