#pragma once

#include <string>

#include "common/result.h"

namespace heddle::host {

/// Returns the SHA-256 of a file, in hex.
Result<std::string> sha256_of(const std::string& path);

}  // namespace heddle::host
