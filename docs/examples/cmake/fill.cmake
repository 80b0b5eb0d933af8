# Fills in scale.ptx.in: cmake -DTYPE=f32 -DOUTPUT=FILE -P fill.cmake
if(TYPE STREQUAL f32)
  set(BYTES 4)
else()
  set(BYTES 8)
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/scale.ptx.in ${OUTPUT} @ONLY)
