# Makes RulePages.inc from docs/diagnostics/*.md, ConceptPages.inc from docs/concepts/*.md: cmake -DFOLDER=...
# -DOUTPUT=... [-DPAGE=...] -P EmbedPages.cmake; with PAGE, of one page alone
if(NOT PAGE)
  set(PAGE *.md)
endif()
file(GLOB pages ${FOLDER}/${PAGE})
list(SORT pages)
set(rows "")
foreach(page IN LISTS pages)
  get_filename_component(id ${page} NAME_WE)
  file(READ ${page} text)
  string(APPEND rows "{\"${id}\", R\"page(${text})page\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${rows}")
