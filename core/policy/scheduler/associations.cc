#include "core/policy/scheduler/associations.h"

#include <algorithm>
#include <map>
#include <string>

namespace heddle {
namespace {

ShareTree::Shares shares_of(const std::optional<std::int64_t>& shares) {
  return shares ? ShareTree::Shares(static_cast<double>(*shares)) : std::nullopt;
}

class Builder {
 public:
  explicit Builder(const Scenario& scenario, bool root_user) : scenario_(scenario) {
    if (root_user) user(ShareTree::kRoot, "root", 1);
    for (const AccountSpec* account : by_depth()) {
      const int above = account->parent.empty() ? ShareTree::kRoot : accounts_.at(account->parent);
      accounts_[account->name] = made_.tree.add_account(above, shares_of(account->shares));
    }
    for (const AccountSpec& account : scenario.accounts)
      for (const UserShares& listed : account.users) {
        const int own = accounts_.at(account.name);
        user(own, listed.name, shares_of(listed.shares));
        listed_in_.try_emplace(listed.name, own);
      }
    for (const JobSpec& job : scenario.jobs)
      made_.of_job.push_back(user(account_of(job), job.user, 1));
  }

  Associations take() { return std::move(made_); }

 private:
  /// Returns the accounts, those above before those below, else in their order.
  std::vector<const AccountSpec*> by_depth() const {
    std::map<std::string, const AccountSpec*> named;
    for (const AccountSpec& account : scenario_.accounts) named[account.name] = &account;
    std::vector<std::pair<int, const AccountSpec*>> deep;
    for (const AccountSpec& account : scenario_.accounts) {
      int depth = 0;
      for (const AccountSpec* at = &account; !at->parent.empty(); at = named.at(at->parent))
        ++depth;
      deep.emplace_back(depth, &account);
    }
    std::ranges::stable_sort(deep, {}, [](const auto& one) { return one.first; });
    std::vector<const AccountSpec*> sorted;
    for (const auto& one : deep) sorted.push_back(one.second);
    return sorted;
  }
  /// Returns the user of the account. Adds the user if the account has no such user.
  int user(int account, const std::string& name, ShareTree::Shares shares) {
    const auto [known, fresh] = users_.try_emplace({account, name}, 0);
    if (fresh) known->second = made_.tree.add_user(account, shares);
    return known->second;
  }
  int account_of(const JobSpec& job) {
    if (!job.account.empty()) {
      const auto [known, fresh] = accounts_.try_emplace(job.account, 0);
      if (fresh) known->second = made_.tree.add_account(ShareTree::kRoot, 1);
      return known->second;
    }
    const auto listed = listed_in_.find(job.user);
    return listed == listed_in_.end() ? ShareTree::kRoot : listed->second;
  }

  const Scenario& scenario_;
  Associations made_;
  std::map<std::string, int> accounts_;
  std::map<std::pair<int, std::string>, int> users_;  ///< by account
  std::map<std::string, int> listed_in_;              ///< first account that lists the user
};

}  // namespace

Associations associations_of(const Scenario& scenario, bool root_user) {
  return Builder(scenario, root_user).take();
}

}  // namespace heddle
