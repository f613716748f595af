#pragma once

#include <string_view>

namespace heddle {

/// Returns whether a ZeroMQ endpoint is on this machine, as far as its text says: ipc://PATH, or
/// tcp://HOST:PORT where HOST is an IPv4 address of the loopback network in four numbers,
/// "localhost" or "[::1]". No other name is on this machine, whatever it begins with. ZeroMQ also
/// takes tcp://SOURCE;HOST:PORT, which is refused too.
bool is_own_endpoint(std::string_view endpoint);

/// The forms that is_own_endpoint() accepts, for messages.
inline constexpr std::string_view kOwnEndpoints =
    "ipc://PATH, or tcp://HOST:PORT with 127.0.0.1, localhost or [::1], which ssh -L can forward "
    "to another machine";

}  // namespace heddle
