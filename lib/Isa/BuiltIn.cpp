// The tables generated from grammar/isa.
#include "Isa/Isa.h"
#include <array>

namespace ptxray::isa {

namespace {
#include "IsaTables.inc"

constinit const Tables all = {
    words,           wordKinds,       wordLists,       exprs,          exprArgs,         gates,          warnings,
    targetSets,      ranges,          terms,           spaceRefs,      operands,         patterns,       slotValues,
    slots,           columnMembers,   columns,         cells,          rowLines,         tableList,      rules,
    formTables,      formRules,       formChecks,      checkNames,     groups,           facts,          steps,
    stepArgs,        stepNumbers,     wordDefinitions, wordCalls,      namedFunctions,   formulas,       conversions,
    formConversions, forms,           entryList,       entryMnemonics, mnemonicForms,    mnemonicList,   targetList,
    versionList,     versionMeanings, registers,       directiveTexts, arguments,        directiveLists, directiveList,
    pragmaList,      featureList,     limitValues,     limitList,      runtimeFunctions, meaningList,    exampleList,
    characters,      textStarts};
} // namespace

const Tables &tables() { return all; }

} // namespace ptxray::isa
