#include "external/make_policy.h"

#include "core/policy/registry.h"
#include "external/batsim_dialect.h"
#include "external/heddle_dialect.h"

namespace heddle::external {

MadePolicy make_policy(const Scenario& scenario) {
  const std::optional<ExternalSpec>& spec = scenario.policy.external;
  if (!spec) return {heddle::make_policy(scenario), nullptr};
  std::unique_ptr<Dialect> dialect;
  if (spec->protocol == ExternalSpec::Protocol::kBatsim)
    dialect = std::make_unique<BatsimDialect>(scenario);
  else
    dialect = std::make_unique<HeddleDialect>(scenario);
  auto policy = std::make_unique<ExternalPolicy>(scenario, std::move(dialect));
  ExternalPolicy* external = policy.get();
  return {std::move(policy), external};
}

}  // namespace heddle::external
