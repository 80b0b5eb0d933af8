# Copies the generated parser and tables to OUTPUT/parser and OUTPUT/isa, without the folders that they were made in.
file(REMOVE_RECURSE ${OUTPUT})
foreach(name PtxLexer.cpp PtxLexer.h fast/Ptx.cpp fast/Ptx.h recover/Ptx.cpp recover/Ptx.h)
  file(READ ${PARSER}/${name} text)
  string(REPLACE "Generated from ${SOURCE}/" "Generated from " text "${text}")
  file(WRITE ${OUTPUT}/parser/${name} "${text}")
endforeach()
file(COPY ${ISA}/IsaTables.inc ${ISA}/Checks.inc ${ISA}/IsaWords.inc ${ISA}/IsaNames.h DESTINATION ${OUTPUT}/isa)
