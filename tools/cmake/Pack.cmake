# Makes an array of bytes out of a file, packed by zstd: cmake -DINPUT=... -DOUTPUT=... -P Pack.cmake
set(packed ${OUTPUT}.zst)
file(ARCHIVE_CREATE OUTPUT ${packed} PATHS ${INPUT} FORMAT raw COMPRESSION Zstd COMPRESSION_LEVEL 9)
file(SIZE ${INPUT} size)
file(READ ${packed} bytes HEX)
file(REMOVE ${packed})
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "constexpr size_t unpackedBytes = ${size};\nconstexpr unsigned char packed[] = {\n${bytes}};\n")
