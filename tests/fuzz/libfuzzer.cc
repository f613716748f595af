#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

#ifndef HEDDLE_FUZZ_TARGET  // the target of this executable
#define HEDDLE_FUZZ_TARGET wire
#endif

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)heddle::fuzz::HEDDLE_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
