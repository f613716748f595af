#pragma once

#include <string>

namespace heddle::net {

/// Returns what is wrong with the endpoint and public key that a worker gives for its data service,
/// to which other workers are to connect; "" if nothing is. `from`: the IPv4 address from which the
/// worker itself speaks; "" over ipc, where all processes are one user's on one host.
///
/// Allowed is tcp://A.B.C.D:PORT with a key. The address is a number, not a name. A worker on
/// another host may not name special addresses, because loopback, link-local and so on would have
/// its peers connect to services of their own hosts. ipc://PATH is for workers that connect by ipc.
std::string data_address_fault(const std::string& endpoint, const std::string& key,
                               const std::string& from);

/// Returns the address in tcp://ADDRESS:PORT; "" for other endpoints.
std::string address_in(const std::string& endpoint);

}  // namespace heddle::net
