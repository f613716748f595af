#include <array>

#include "serve/request.h"
#include "serve/result_tree.h"
#include "tests/fuzz/targets.h"

namespace heddle::fuzz {
namespace {

constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

/// Reads one field of a header from each line.
serve::Request request_from(const std::vector<std::string_view>& lines) {
  serve::Request request;
  const std::array<std::string*, 6> fields = {&request.method,        &request.target,
                                              &request.host,          &request.cookie,
                                              &request.authorization, &request.if_none_match};
  for (std::size_t i = 0; i < std::min(lines.size(), fields.size()); ++i) *fields[i] = lines[i];
  return request;
}

void check_id(const std::string& text) {
  const std::optional<serve::ResultId> id = serve::parse_result_id(text);
  if (!id) return;
  require(!id->root.empty() && id->root.find('/') == std::string::npos, "a root has a name");
  const std::string path = "/" + id->below + "/";
  require(path.find("/../") == std::string::npos && path.find("/./") == std::string::npos &&
              (id->below.empty() || path.find("//") == std::string::npos),
          "an id leads down");
}

void check_target(const serve::Target& target) {
  std::string text = target.path == "/" ? "/" : "/path";
  for (std::size_t i = 0; i < target.query.size(); ++i)
    text += (i == 0 ? "?" : "&") + serve::escaped(target.query[i].first) + "=" +
            serve::escaped(target.query[i].second);
  const std::optional<serve::Target> again = serve::parse_target(text);
  require(again && again->query == target.query, "an escaped query is the same after parsing");
  for (const auto& [key, value] : target.query) check_id(value);
}

}  // namespace

bool web(std::string_view input) {
  const serve::Request request = request_from(lines_of(input));
  if (const std::optional<serve::Target> target = serve::parse_target(request.target))
    check_target(*target);
  const serve::Admission admission = serve::admit(request, {kToken, 8080});
  if (admission.status != 200) return false;
  const bool has_token = request.target.find('%') != std::string::npos ||
                         request.target.find(kToken) != std::string::npos ||
                         request.cookie.find(kToken) != std::string::npos ||
                         request.authorization.find(kToken) != std::string::npos;
  require(has_token, "who is admitted has the token");
  require(serve::values_of(admission.query, "token").empty(), "the query has no token");
  return true;
}

}  // namespace heddle::fuzz
