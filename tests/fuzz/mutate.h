#pragma once

#include <random>
#include <string>
#include <vector>

namespace heddle::fuzz {

/// A text changed in one to four places, or put together of two: bytes, words and lines that are
/// changed, left out, doubled or taken from another. REQUIRES: there are texts.
std::string mutated(const std::vector<std::string>& texts, std::mt19937_64& random);

}  // namespace heddle::fuzz
