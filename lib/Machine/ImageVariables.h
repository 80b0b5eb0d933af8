#pragma once
// Variables of a module that represent textures, samplers and surfaces.
#include "Machine/Image.h"
#include "Parse/Ast.h"

namespace ptxray::machine {

/// Returns the description in a variable's initialiser, which applies until an image is bound to the variable. Returns
/// nothing for other variables and for arrays.
std::optional<ImageObject> imageObjectOf(const Ast &ast, const Declaration &declaration);

} // namespace ptxray::machine
