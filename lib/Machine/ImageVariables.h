#pragma once
// Variables of a module that stand for textures, samplers and surfaces.
#include "Machine/Image.h"
#include "Parse/Ast.h"

namespace ptxray::machine {

/// What a variable says before anything is bound to it; nothing: it is none of these, or a list of them.
std::optional<ImageObject> imageObjectOf(const Ast &ast, const Declaration &declaration);

} // namespace ptxray::machine
