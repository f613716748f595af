#pragma once

#include <random>
#include <string>
#include <vector>

namespace heddle::fuzz {

/// Returns one of the texts after one to four mutations. A mutation changes, drops, doubles or
/// replaces a piece, inserts one, or cuts off the rest. REQUIRES: `texts` is not empty.
std::string mutated(const std::vector<std::string>& texts, std::mt19937_64& random);

}  // namespace heddle::fuzz
