#pragma once

namespace heddle {

/// Whether the tests are built with sanitizers, which make them take some twenty times longer.
/// Tests with many cases then try fewer of them.
#ifdef HEDDLE_SANITIZE
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace heddle
