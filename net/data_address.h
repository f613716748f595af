#pragma once

#include <string>

namespace heddle::net {

/// What is wrong with the endpoint and public key that a worker gives for its data service, which
/// other workers are to connect to; "" if nothing is. `from`: the IPv4 address that the worker
/// itself speaks from; "" over ipc, where all are processes of one user on one host.
///
/// Allowed is tcp://A.B.C.D:PORT with a key, a number and not a name. A worker on another host may
/// not name special addresses: loopback, link-local and so on would have its peers connect to
/// services of their own hosts. ipc://PATH is for workers that come by ipc.
std::string data_address_fault(const std::string& endpoint, const std::string& key,
                               const std::string& from);

/// The address in tcp://ADDRESS:PORT; "" for other endpoints.
std::string address_in(const std::string& endpoint);

}  // namespace heddle::net
