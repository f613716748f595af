#pragma once

#include <string>

namespace heddle::cli {

/// `heddle verify DIR`: simulates the scenario of a real run that came to its end and prints how
/// what was predicted compares with what was measured (report/comparison/agreement.h).
int verify_command(const std::string& dir, bool json);

}  // namespace heddle::cli
