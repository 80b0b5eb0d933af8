#pragma once
// Variables of a module that stand for textures, samplers and surfaces.
#include "Machine/Image.h"
#include "Parse/Ast.h"

namespace ptxray::machine {

/// Returns the description in a variable's own text, before anything is bound to it. Other variables and lists have
/// none.
std::optional<ImageObject> imageObjectOf(const Ast &ast, const Declaration &declaration);

} // namespace ptxray::machine
