#include "Module/ModuleRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// Checks `{ width = 4, filter_mode = linear }`. An array of textures has a list of such lists.
// NOLINTNEXTLINE(misc-no-recursion): braces nest at most `deepestInitialiser` deep
void checkOpaqueFields(const Declaration &declaration, uint32_t node, uint32_t level, ModuleState &module) {
  struct Field {
    llvm::StringLiteral name;
    bool ofTexture, ofSampler, ofSurface;
  };
  static constexpr Field fields[] = {
      {"width", true, false, true},
      {"height", true, false, true},
      {"depth", true, false, true},
      {"channel_data_type", true, false, true},
      {"channel_order", true, false, true},
      {"array_size", true, false, true},
      {"normalized_coords", true, false, false},
      {"num_mipmap_levels", true, false, false},
      {"num_samples", true, false, false},
      {"filter_mode", true, true, false},
      {"addr_mode_0", true, true, false},
      {"addr_mode_1", true, true, false},
      {"addr_mode_2", true, true, false},
      {"force_unnormalized_coords", false, true, false},
  };
  static constexpr llvm::StringLiteral values[] = {"nearest",   "linear",        "wrap",           "mirror",
                                                   "clamp_ogl", "clamp_to_edge", "clamp_to_border"};
  const llvm::StringRef type = module.text(declaration.type);
  const Operand &item = module.ast.operands[node];
  auto wrong = [&](Range range, const std::string &what) {
    module.sink.report(DiagId::OpaqueField, range, what, type);
  };
  if (item.kind == OperandKind::Vector && level <= declaration.dims.count) {
    const int64_t mostFields = type == ".texref" ? 13 : type == ".surfref" ? 7 : 5;
    const int64_t room = level < declaration.dims.count ? module.ast.dims[declaration.dims.first + level] : mostFields;
    int64_t count = 0;
    for (uint32_t child = node + 1; child < node + item.extent; ++count, child += module.ast.operands[child].extent)
      checkOpaqueFields(declaration, child, level + 1, module);
    if (room >= 0 && count > room)
      module.sink.report(DiagId::InitialiserCount, item.range, count, room);
    return;
  }
  if (item.kind != OperandKind::Pair)
    return wrong(item.range, "a value without a name");
  const Operand &key = module.ast.operands[node + 1], &value = module.ast.operands[node + 2];
  const llvm::StringRef name = module.ast.text(key.name);
  const Field *field = llvm::find_if(fields, [&](const Field &f) { return f.name == name; });
  if (field == std::end(fields) || !(type == ".texref"    ? field->ofTexture
                                     : type == ".surfref" ? field->ofSurface
                                                          : field->ofSampler))
    return wrong(key.range, "`" + name.str() + "`");
  if (value.kind == OperandKind::Name && !llvm::is_contained(values, module.ast.text(value.name)))
    wrong(value.range, "`" + module.ast.text(value.name).str() + "`");
  if (type == ".texref" && field->ofSampler && !module.header.isUnifiedTexture())
    module.sink.report(DiagId::FieldIgnored, key.range, name);
}

} // namespace ptxray
