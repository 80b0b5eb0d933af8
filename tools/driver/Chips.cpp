#include "Chips.h"

namespace ptxray::driver {

llvm::ArrayRef<Chip> chips() {
  static constexpr Chip all[] = {
      {"sm_75", "T4", 7, 5, 40, 64, 64, 1024, 16, 16, 4, 1'590'000, 5'001'000, 256},
      {"sm_80", "A100", 8, 0, 108, 164, 163, 2048, 32, 80, 40, 1'410'000, 1'593'000, 5120},
      {"sm_86", "RTX 3090", 8, 6, 82, 100, 99, 1536, 16, 24, 6, 1'695'000, 9'751'000, 384},
      {"sm_89", "RTX 4090", 8, 9, 128, 100, 99, 1536, 24, 24, 72, 2'520'000, 10'501'000, 384},
      {"sm_90", "H100", 9, 0, 132, 228, 227, 2048, 32, 80, 50, 1'980'000, 2'619'000, 5120},
      {"sm_100", "B200", 10, 0, 148, 228, 227, 2048, 32, 180, 126, 1'965'000, 3'996'000, 8192},
      {"sm_103", "B300", 10, 3, 148, 228, 227, 2048, 32, 270, 126, 1'920'000, 3'996'000, 8192},
      {"sm_120", "RTX 5090", 12, 0, 170, 100, 99, 1536, 24, 32, 96, 2'407'000, 14'001'000, 512},
  };
  return all;
}

int attributeOf(const Chip &chip, int attribute) {
  const bool hasClusters = chip.major >= 9;
  switch (attribute) {
  case 1: // threads of a block
  case 2:
  case 3: return 1024;
  case 4: return 64;
  case 5: return 0x7fffffff; // blocks of a grid
  case 6:
  case 7: return 65535;
  case 8: return 48 * 1024; // shared memory without asking
  case 9: return 65536;     // constant memory
  case 10: return 32;       // lanes
  case 11: return 0x7fffffff;
  case 12:
  case 82: return 65536; // registers
  case 13: return chip.clock;
  case 14:
  case 30: return 512; // alignment of textures and surfaces
  case 16: return chip.processors;
  case 36: return chip.memoryClock;
  case 37: return chip.busWidth;
  case 38: return chip.cache << 20;
  case 39: return chip.threadsOfProcessor;
  case 40: return 2;
  case 75: return chip.major;
  case 76: return chip.minor;
  case 81: return chip.sharedOfProcessor * 1024;
  case 87: return 2;
  case 97: return chip.sharedOfBlock * 1024;
  case 106: return chip.blocksOfProcessor;
  case 111: return 1024;
  // It can do all these: copy beside kernels, map host memory, run kernels side by side, address all alike, order
  // streams, cache in L1, manage memory, stop kernels midway, launch cooperatively, register memory, map memory
  // anywhere, have pools.
  case 15:
  case 19:
  case 31:
  case 41:
  case 78:
  case 79:
  case 80:
  case 83:
  case 89:
  case 90:
  case 91:
  case 95:
  case 99:
  case 102:
  case 115: return 1;
  case 120:
  case 127: return hasClusters;
  default: return attribute >= 1 && attribute <= 145 ? 0 : -1;
  }
}

} // namespace ptxray::driver
