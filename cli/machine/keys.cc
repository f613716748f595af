#include "cli/machine/keys.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "cli/base/exit_status.h"
#include "net/key_files.h"
#include "report/table.h"

namespace heddle::cli {
namespace {

Result<std::string> directory(const KeysOptions& options) {
  std::string dir = options.dir.empty() ? net::default_key_directory() : options.dir;
  if (!dir.empty()) return dir;
  return usage_error("neither XDG_CONFIG_HOME nor HOME is set; expected --keys DIR");
}

const char* use_of(net::KeyRole role) {
  switch (role) {
    case net::KeyRole::kMaster:
      return "stays here";
    case net::KeyRole::kWorker:
      return "to be copied into ~/.config/heddle/keys of hosts that run workers";
    case net::KeyRole::kTop:
      return "for heddle top tcp://…, wherever it is run";
  }
  return "";
}

/// Returns a row for each name: first for local pairs, then for admitted keys whose pair is on
/// another host.
std::vector<std::vector<std::string>> rows_of(const std::vector<net::KeyFile>& keys,
                                              const std::vector<net::Admitted>& admitted,
                                              bool masters_host) {
  std::vector<std::vector<std::string>> rows;
  for (const net::KeyFile& key : keys) {
    const bool in = std::ranges::any_of(admitted, [&](const net::Admitted& one) {
      return one.public_key == key.own.public_key && one.role == key.role;
    });
    const bool asked = masters_host && key.role != net::KeyRole::kMaster;
    rows.push_back(
        {key.name, net::name_of(key.role), asked ? (in ? "yes" : "no") : "-", key.own.public_key});
  }
  for (const net::Admitted& one : admitted)
    if (std::ranges::none_of(
            keys, [&](const net::KeyFile& key) { return key.own.public_key == one.public_key; }))
      rows.push_back({one.name, net::name_of(one.role), "yes, pair elsewhere", one.public_key});
  return rows;
}

}  // namespace

Result<int> keys_make_command(const KeysOptions& options) {
  Result<std::string> dir = directory(options);
  if (!dir) return std::move(dir).error();
  std::vector<std::pair<net::KeyRole, std::string>> names;
  for (const std::string& name : options.workers) names.emplace_back(net::KeyRole::kWorker, name);
  for (const std::string& name : options.tops) names.emplace_back(net::KeyRole::kTop, name);
  if (names.empty()) names = {{net::KeyRole::kWorker, "worker"}, {net::KeyRole::kTop, "top"}};
  Result<std::vector<net::KeyFile>> made = net::make_keys(*dir, names);
  if (!made) return std::move(made).error();
  for (const net::KeyFile& key : *made)
    std::cout << "made " << *dir << "/" << key.name << ".key: " << use_of(key.role) << '\n';
  return kExitDone;
}

Result<int> keys_list_command(const KeysOptions& options) {
  Result<std::string> dir = directory(options);
  if (!dir) return std::move(dir).error();
  Result<std::vector<net::KeyFile>> keys = net::read_key_files(*dir);
  if (!keys) return std::move(keys).error();
  // A host that runs only workers does not know which keys are admitted.
  const bool masters_host = ::access((*dir + "/admitted").c_str(), F_OK) == 0;
  Result<std::vector<net::Admitted>> admitted = std::vector<net::Admitted>{};
  if (masters_host) admitted = net::read_admitted(*dir);
  if (!admitted) return std::move(admitted).error();
  std::cout << *dir << '\n'
            << report::format_table({{"name"}, {"role"}, {"admitted"}, {"public key"}},
                                    rows_of(*keys, *admitted, masters_host));
  return kExitDone;
}

Result<int> keys_remove_command(const KeysOptions& options) {
  Result<std::string> dir = directory(options);
  if (!dir) return std::move(dir).error();
  HEDDLE_TRY(net::remove_key(*dir, options.name));
  std::cout << "removed " << options.name
            << "; masters that are already running admit it until they end\n";
  return kExitDone;
}

}  // namespace heddle::cli
