#include "serve/request.h"

#include <sodium.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "common/text.h"

namespace heddle::serve {
namespace {

constexpr std::string_view kBearer = "Bearer ";

/// Compares in a time that does not depend on the bytes.
bool is_token(std::string_view text, const Access& access) {
  return !access.token.empty() && text.size() == access.token.size() &&
         sodium_memcmp(text.data(), access.token.data(), text.size()) == 0;
}

/// Returns whether the value of the field Host is a name of this machine, with any port or none.
bool is_local(std::string_view host) {
  for (const std::string_view name : {"127.0.0.1", "localhost", "[::1]"}) {
    if (!host.starts_with(name)) continue;
    const std::string_view rest = host.substr(name.size());
    if (rest.empty()) return true;
    return rest.size() >= 2 && rest.size() <= 6 && rest.front() == ':' &&
           rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
  }
  return false;
}

/// Returns the value of a cookie, or "" if there is no such cookie. Of several, the first counts,
/// because browsers send the cookie with the longest path first.
std::string_view cookie_value(std::string_view cookies, const std::string& name) {
  while (!cookies.empty()) {
    const std::size_t end = std::min(cookies.find(';'), cookies.size());
    std::string_view cookie = cookies.substr(0, end);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    cookie.remove_prefix(std::min(cookie.find_first_not_of(' '), cookie.size()));
    if (cookie.starts_with(name) && cookie.substr(name.size()).starts_with('='))
      return cookie.substr(name.size() + 1);
  }
  return "";
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Decodes the escapes of a path or of a part of a query.
std::optional<std::string> decoded(std::string_view text, bool in_query) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && in_query) c = ' ';
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = digit_of(text[i + 1]), low = digit_of(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') return std::nullopt;
    result += c;
  }
  return result;
}

}  // namespace

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  // getrandom never fails for so few bytes (man 2 getrandom).
  (void)::getrandom(bytes.data(), bytes.size(), 0);
  std::string token;
  for (unsigned char byte : bytes) token += hexadecimal(byte, 2);
  return token;
}

std::string cookie_name(const Access& access) { return "heddle-" + std::to_string(access.port); }

std::vector<std::string> values_of(const Query& query, std::string_view key) {
  std::vector<std::string> values;
  for (const auto& [name, value] : query)
    if (name == key) values.push_back(value);
  return values;
}

std::optional<Target> parse_target(std::string_view target) {
  if (!target.starts_with('/')) return std::nullopt;
  target = target.substr(0, target.find('#'));
  const std::size_t mark = std::min(target.find('?'), target.size());
  std::optional<std::string> path = decoded(target.substr(0, mark), false);
  if (!path) return std::nullopt;
  Target parsed{*std::move(path), {}};
  std::string_view rest = target.substr(std::min(mark + 1, target.size()));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    std::optional<std::string> key = decoded(part.substr(0, equals), true);
    std::optional<std::string> value =
        decoded(part.substr(std::min(equals + 1, part.size())), true);
    if (!key || !value) return std::nullopt;
    parsed.query.emplace_back(*std::move(key), *std::move(value));
  }
  return parsed;
}

Admission admit(const Request& request, const Access& access) {
  if (!is_local(request.host)) return {403};
  if (request.method != "GET" && request.method != "HEAD") return {405};
  std::optional<Target> target = parse_target(request.target);
  bool in_target = false,
       elsewhere = is_token(cookie_value(request.cookie, cookie_name(access)), access);
  if (target) {
    for (const std::string& value : values_of(target->query, "token"))
      in_target = in_target || is_token(value, access);
    if (target->path == "/metrics" && request.authorization.starts_with(kBearer))
      elsewhere = elsewhere ||
                  is_token(std::string_view(request.authorization).substr(kBearer.size()), access);
    std::erase_if(target->query, [](const auto& part) { return part.first == "token"; });
  }
  if (!in_target && !elsewhere) return {403};
  if (!target) return {404};
  return {200, in_target, std::move(target->path), std::move(target->query)};
}

std::string escaped(std::string_view value) {
  std::string result;
  for (char c : value) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '/';
    result += plain ? std::string(1, c) : "%" + hexadecimal(static_cast<unsigned char>(c), 2);
  }
  return result;
}

}  // namespace heddle::serve
