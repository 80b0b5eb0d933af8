// Notes the PTX from which NVRTC makes binaries, for programs that load only these binaries (CuPy, cuda.core). This
// library is an auditor of the dynamic linker ($LD_AUDIT), so it sees which function of NVRTC a program gets, no matter
// how the program finds it.
#include "../../launcher/Remembered.h"
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace {

using Program = void *;
using Result = int;
constexpr Result success = 0;

/// The functions of one NVRTC. If a program loads a second one, that one is left alone.
struct Nvrtc {
  link_map *library = nullptr;
  Result (*getBinary)(Program, char *) = nullptr;
  Result (*getBinarySize)(Program, size_t *) = nullptr;
  Result (*getText)(Program, char *) = nullptr;
  Result (*getTextSize)(Program, size_t *) = nullptr;
};
Nvrtc nvrtc;

template <class Function> void find(Function &function, const char *name) {
  function = reinterpret_cast<Function>(dlsym(nvrtc.library, name));
}

/// Returns the binary like NVRTC, and stores the text under a name of the binary.
Result getBinary(Program program, char *to) {
  const Result result = nvrtc.getBinary(program, to);
  size_t size = 0, textSize = 0;
  if (result != success || nvrtc.getBinarySize(program, &size) != success || !size ||
      nvrtc.getTextSize(program, &textSize) != success || textSize < 2)
    return result;
  std::string text(textSize, '\0'); // includes a zero at its end
  if (nvrtc.getText(program, text.data()) == success)
    ptxray::launcher::rememberAs(ptxray::launcher::nameOfBinary(to, size), text.c_str());
  return result;
}

} // namespace

#define PTXRAY_AUDIT extern "C" __attribute__((visibility("default")))

PTXRAY_AUDIT unsigned la_version(unsigned version) { return version; }

PTXRAY_AUDIT unsigned la_objopen(link_map *library, Lmid_t, uintptr_t *cookie) {
  const char *slash = std::strrchr(library->l_name, '/');
  const char *name = slash ? slash + 1 : library->l_name;
  *cookie = reinterpret_cast<uintptr_t>(library);
  return std::strncmp(name, "libnvrtc.so", 11) == 0 ? LA_FLG_BINDTO | LA_FLG_BINDFROM : LA_FLG_BINDFROM;
}

PTXRAY_AUDIT uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned, uintptr_t *, uintptr_t *to, unsigned *,
                                    const char *name) {
  auto *const library = reinterpret_cast<link_map *>(*to);
  if (std::strcmp(name, "nvrtcGetCUBIN") != 0 || (nvrtc.library && nvrtc.library != library))
    return symbol->st_value;
  nvrtc.library = library;
  nvrtc.getBinary = reinterpret_cast<Result (*)(Program, char *)>(symbol->st_value);
  find(nvrtc.getBinarySize, "nvrtcGetCUBINSize");
  find(nvrtc.getText, "nvrtcGetPTX");
  find(nvrtc.getTextSize, "nvrtcGetPTXSize");
  const bool hasAll = nvrtc.getBinarySize && nvrtc.getText && nvrtc.getTextSize;
  return hasAll ? reinterpret_cast<uintptr_t>(getBinary) : symbol->st_value;
}
