#pragma once

#include <string>
#include <string_view>

#include "common/result.h"

namespace heddle::host {

/// Returns the SHA-256 of a file, in hex.
Result<std::string> sha256_of(const std::string& path);
/// Returns the SHA-256 of a text, in hex.
std::string sha256_of_text(std::string_view text);

}  // namespace heddle::host
