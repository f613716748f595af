// Reads typical_requests: the requests that a policy expects.

#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/sections.h"

namespace heddle {

template <>
void describe(Keys& keys, const TypicalRequest& typical) {
  keys.amounts(typical.request, {}, "of the request", false);
  where_key(keys, typical.where);
  keys.number("count", typical.count, measure::kWhole, {1, 1000000000},
              "number of requests of this kind");
}

const Keys& typical_request_keys() { return keys_of<TypicalRequest>("typical_request"); }

void read_typical_requests(const Field& field, std::vector<TypicalRequest>& requests) {
  if (!field.is_list("a list of requests such as {cores: 4, memory: 8GiB, count: 120}") ||
      !field.has_at_most(kMaxTypicalRequests, "requests"))
    return;
  for (std::size_t i = 0; i < field.node().items.size(); ++i) {
    TypicalRequest typical;
    Section(field.item(i), typical_request_keys()).read(&typical);
    if (typical.request == Resources{} && field.item(i).is(YamlNode::Kind::kMap))
      field.item(i).error("asks for nothing; expected an amount of some resource");
    requests.push_back(std::move(typical));
  }
}

}  // namespace heddle
