#pragma once

#include <string_view>

namespace heddle {

/// Returns whether a process listens at a ZeroMQ endpoint ipc://PATH, where PATH is absolute.
/// Returns false for other endpoints.
bool is_listened_on(std::string_view endpoint);

}  // namespace heddle
