#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::serve {

/// The parts of a request's header that the server looks at. A field is "" if the request does not
/// have it.
struct Request {
  std::string method;  ///< "GET"
  std::string target;  ///< "/run?run=0"
  std::string host;    ///< "" also if the request has several
  std::string cookie, authorization, if_none_match;
};

/// The secret of one server.
struct Access {
  std::string token;
  int port = 0;  ///< is part of the cookie's name, because browsers send cookies to all ports
};

/// Returns a new token: 128 bits of the system's random numbers, as 32 hexadecimal digits.
std::string random_token();

/// Returns the name of the cookie that has the token.
std::string cookie_name(const Access& access);

using Query = std::vector<std::pair<std::string, std::string>>;

/// Returns all values of a key of the query, in order.
std::vector<std::string> values_of(const Query& query, std::string_view key);

/// The decision about a request.
struct Admission {
  /// 200: the request is admitted. 403: the host is not this machine, or the token is missing or
  /// wrong. 404: the target is not a path. 405: the method is neither GET nor HEAD.
  int status = 200;
  bool set_cookie = false;  ///< the token was in the target; the browser has to keep it
  std::string path = {};    ///< decoded
  Query query = {};         ///< decoded; without the token
};

/// Decides about a request, by its header alone. The host is checked first, then the method, then
/// the token, and then the target. The host must be 127.0.0.1, localhost or [::1]: a page of
/// another site can give its name the address 127.0.0.1 (DNS rebinding), but its requests still
/// have that name. Any port is admitted, because `ssh -L` can choose another one. The token is in
/// the query (`token`), in the cookie, or for /metrics in the field Authorization. Tokens are
/// compared in constant time.
Admission admit(const Request& request, const Access& access);

/// The decoded parts of a target.
struct Target {
  std::string path;
  Query query;
};
/// Parses "/path?key=value&…". Returns nullopt if the target does not begin with "/", has an
/// incomplete escape, or if a decoded part has a NUL or another control character.
std::optional<Target> parse_target(std::string_view target);

/// Escapes a value for a query.
std::string escaped(std::string_view value);

}  // namespace heddle::serve
