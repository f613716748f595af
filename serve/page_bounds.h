#pragma once

#include <chrono>
#include <cstdint>

namespace heddle::serve {

/// The limits of a process that makes data of pages.
struct PageBounds {
  std::int64_t memory = 0;           ///< bytes of address space
  std::chrono::milliseconds time{};  ///< for the data of one page, with the time that it waits
  /// After this time, data give way to other data that wait (MakerPool).
  std::chrono::milliseconds turn{2000};
};
/// The smallest limit of memory. The program itself needs about half of it.
inline constexpr std::int64_t kLeastPageMemory = std::int64_t{256} << 20;
/// The default limit of time. It is below kResponseSeconds, so that the browser gets the error.
inline constexpr std::chrono::seconds kPageTime{240};

}  // namespace heddle::serve
