#pragma once

#include <random>
#include <string>
#include <vector>

namespace heddle::fuzz {

/// Returns one of the texts after one to four mutations. A mutation changes, removes, doubles,
/// replaces or inserts a piece, or cuts off the rest of the text. REQUIRES: `texts` is not empty.
std::string mutated(const std::vector<std::string>& texts, std::mt19937_64& random);

}  // namespace heddle::fuzz
