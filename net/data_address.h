#pragma once

#include <string>

namespace heddle::net {

/// Checks the endpoint and the public key of a worker's data service, to which other workers will
/// connect. Returns what is wrong with them, or "" if nothing is wrong. `from` is the IPv4 address
/// from which the worker connects to the master, or "" for a worker that connects by ipc.
///
/// Over TCP, the endpoint must be tcp://A.B.C.D:PORT, with a numeric address, and it needs a key. A
/// worker on another host must not name a special address, such as a loopback or link-local
/// address, because its peers would then connect to services on their own hosts. ipc://PATH is only
/// for workers that connect to the master by ipc.
std::string data_address_fault(const std::string& endpoint, const std::string& key,
                               const std::string& from);

/// Returns ADDRESS of an endpoint tcp://ADDRESS:PORT, or "" for other endpoints.
std::string address_in(const std::string& endpoint);

}  // namespace heddle::net
