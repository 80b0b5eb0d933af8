# Finishes a generated parser: cmake -DFILE=Ptx.cpp [-DSTART=NEVER] -P finish-parser.cmake
file(READ ${FILE} generated)
if(generated MATCHES "adaptivePredict")
  file(REMOVE ${FILE})
  message(FATAL_ERROR "grammar/Ptx.g4 has a decision that one token does not settle: see ${FILE}")
endif()

# ANTLR fills its tables when the program starts, which takes longer than checking a small file. Without
# a decision to predict only the recovering pass reads them: they are made with its first parser.
set(at_start "Ptx::Initializer Ptx::_init;")
set(constructor "Ptx::Ptx(TokenStream *input) : PtxBase(input) {\n")
foreach(text at_start constructor)
  string(FIND "${generated}" "${${text}}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "ANTLR generates other code than expected: no `${${text}}` in ${FILE}")
  endif()
endforeach()
string(REPLACE "${at_start}" "" generated "${generated}")
if(NOT START STREQUAL NEVER)
  string(REPLACE "${constructor}" "${constructor}  static const Initializer tables;\n" generated "${generated}")
endif()
file(WRITE ${FILE} "${generated}")
