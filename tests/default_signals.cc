// Part of each test program. Shells start background commands with SIGINT ignored, and whatever the
// tests start would inherit that. Then workers and commands would not end on SIGINT, and tests that
// send it would wait in vain.

#include <csignal>

namespace heddle::tests {

[[maybe_unused]] static const bool kSignalsAreDefault = [] {
  for (const int number : {SIGINT, SIGQUIT, SIGHUP}) std::signal(number, SIG_DFL);
  return true;
}();

}  // namespace heddle::tests
