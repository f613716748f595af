#include "cli/base/with_option.h"

#include "core/policy/registry.h"

namespace heddle::cli {

Result<void> check_with_option(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return usage_error("expected OPTION=VALUE, such as reserve=false");
  const std::string key = text.substr(0, equals);
  if (key == "preset") return usage_error("expected an option or a part of policies");
  PolicySpec policy;
  return set_policy_key(policy, key, text.substr(equals + 1));
}

}  // namespace heddle::cli
