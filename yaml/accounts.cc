// Reads the tree of accounts.

#include <cerrno>

#include "common/text.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/parents.h"
#include "yaml/sections.h"
#include "yaml/text.h"

namespace heddle {
namespace {

constexpr Range<std::int64_t> kAccountShares{0, 1000000000};
constexpr std::string_view kParent = "parent";

/// Shares: a number, or the word parent. M: ScenarioShares.
class SharesForm : public Form {
 public:
  std::string name() const override { return "whole number or parent"; }
  std::string limits() const override { return limits_text(measure::kWhole, kAccountShares); }
  bool read(const Field& field, void* member) const override {
    ScenarioShares& shares = *static_cast<ScenarioShares*>(member);
    if (field.is(YamlNode::Kind::kScalar) && field.node().text == kParent) {
      shares.reset();
      return true;
    }
    if (field.is(YamlNode::Kind::kScalar) && !is_number(field)) return false;
    const auto number = to_value(field, name(), measure::kWhole, kAccountShares);
    if (number) shares = number;
    return number.has_value();
  }
  std::string text(const void* member) const override {
    const ScenarioShares& shares = *static_cast<const ScenarioShares*>(member);
    return shares ? measure::kWhole.print(*shares) : std::string(kParent);
  }

 private:
  /// Reports a word other than parent.
  bool is_number(const Field& field) const {
    const std::string& text = field.node().text;
    const Result<std::int64_t> number = measure::kWhole.parse(text);
    if (number || number.error().code == ERANGE) return true;
    field.error(with_nearest(
        number.error().text + "; expected a whole number from " + limits() + ", or parent", text,
        {std::string(kParent)}));
    return false;
  }
};

/// Users and their shares, as a map such as {ann: 10, bob: 1}. M: std::vector<UserShares>.
class UsersForm : public Form {
 public:
  std::string name() const override { return "map of users and their shares"; }
  bool read(const Field& field, void* member) const override {
    if (!field.is(YamlNode::Kind::kMap)) {
      field.wrong_kind("a map of users and their shares, such as {ann: 10, bob: 1}");
      return false;
    }
    auto& users = *static_cast<std::vector<UserShares>*>(member);
    bool right = true;
    for (const YamlNode::Entry& entry : field.node().entries) {
      const Field at = field.at(entry);
      UserShares& user = users.emplace_back();
      if (!NameForm().read_plain(entry.key, &user.name)) {
        at.error("\"" + entry.key.substr(0, 80) + "\" is not a name; expected " +
                 NameForm().plain_form());
        right = false;
      }
      right = SharesForm().read(at, &user.shares) && right;
    }
    return right;
  }
  std::string text(const void* member) const override {
    const auto& users = *static_cast<const std::vector<UserShares>*>(member);
    Flow flow;
    for (const UserShares& user : users)
      flow.add(name_text(user.name), SharesForm().text(&user.shares));
    return users.empty() ? "" : flow.map();
  }
};

}  // namespace

template <>
void describe(Keys& keys, const AccountSpec& account) {
  keys.name("name", account.name, "name").needed();
  keys.name("parent", account.parent, "account above; none: directly below the root")
      .otherwise("none");
  keys.value("shares", &account.shares, std::make_unique<SharesForm>(),
             "shares among the accounts and users below the same account; parent: its users and "
             "accounts compete with those of the account above");
  keys.value("users", &account.users, std::make_unique<UsersForm>(),
             "users of the account, with their shares; users that only jobs name have 1 share; "
             "parent: the user has the shares and the usage of the account")
      .otherwise("{}");
}

const Keys& account_keys() { return keys_of<AccountSpec>("account"); }

void read_accounts(const Field& field, std::vector<AccountSpec>& accounts) {
  if (!field.is_list("a list of at least one account", 1) ||
      !field.has_at_most(kMaxAccounts, "accounts"))
    return;
  std::vector<TreeRow> rows;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < field.node().items.size(); ++i) {
    const Section section(field.item(i), account_keys());
    if (!section.field().is(YamlNode::Kind::kMap)) continue;
    AccountSpec account;
    section.read(&account);
    section.field().check_new("account", account.name, seen);
    rows.push_back({account.name, account.parent, section});
    accounts.push_back(std::move(account));
  }
  const std::size_t wrong = field.findings().wrong();
  check_tree(rows, "account");
  if (field.findings().wrong() != wrong) accounts.clear();
}

}  // namespace heddle
