#include "trace/import/slurm_accounting.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "common/text.h"
#include "trace/import/rows.h"
#include "trace/import/slurm_fields.h"

namespace heddle::trace::slurm {
namespace {

constexpr double kMostPriority = 4294967295, kMostFactor = 1e6, kMostShares = 1e9;

/// The rows of a file whose first line names the fields.
class Records {
 public:
  explicit Records(Input& file) : file_(file) {}

  /// Reads the next row. Returns false at the end.
  bool next() {
    while (const auto line = file_.line()) {
      split(*line, names_.empty() ? names_ : cells_, '|');
      if (!cells_.empty()) return true;
    }
    return false;
  }
  std::string_view cell(std::string_view name) const {
    const std::size_t place = place_of(name, names_);
    return place < cells_.size() ? cells_[place] : std::string_view();
  }
  /// Returns nullopt if the cell is empty. Throws BadTrace if it has no number from 0 to `most`.
  std::optional<double> number(std::string_view name, double most) const {
    const std::string_view text = cell(name);
    if (text.empty()) return std::nullopt;
    const std::optional<double> number = read_count(text);
    if (!number || *number < 0 || *number > most)
      throw BadTrace{file_.where() + ": " + std::string(name) + " \"" +
                         printable_line(text.substr(0, 80)) + "\"; expected a number from 0 to " +
                         std::to_string(std::llround(most)),
                     true};
    return number;
  }

 private:
  Input& file_;
  Cells names_, cells_;
};

bool has_fields(std::string_view head, std::initializer_list<std::string_view> fields) {
  Cells names;
  split(head.substr(0, head.find('\n')), names, '|');
  return std::ranges::all_of(
      fields, [&](std::string_view field) { return place_of(field, names) != kNamed; });
}

}  // namespace

bool is_qos(std::string_view head) { return has_fields(head, {"Name", "Priority", "UsageFactor"}); }
bool is_associations(std::string_view head) {
  return has_fields(head, {"Account", "User", "Share"});
}

Qualities read_qos(Input& file, Names& names) {
  Qualities read;
  std::vector<QosSpec>& all = read.all;
  for (Records rows(file); rows.next();) {
    if (rows.cell("Name").empty()) continue;
    QosSpec qos;
    qos.name = names.of(rows.cell("Name"));
    qos.priority = std::llround(rows.number("Priority", kMostPriority).value_or(0));
    qos.usage_factor = rows.number("UsageFactor", kMostFactor).value_or(1);
    if (const auto most = rows.number("MaxJobsPU", kMostFactor))
      qos.max_jobs_per_user = std::max(static_cast<int>(*most), 1);
    const std::string_view mode = rows.cell("PreemptMode");
    if (mode == "cancel") qos.preempt_mode = PreemptMode::kCancel;
    if (mode.find("suspend") != mode.npos) qos.preempt_mode = PreemptMode::kSuspend;
    if (mode.empty() || mode == "cluster") read.as_cluster.insert(qos.name);
    for (std::string_view some = rows.cell("Preempt"); !some.empty();)
      qos.preempt.push_back(names.of(take_until(some, ',')));
    if (const auto exempt = read_length(rows.cell("PreemptExemptTime")))
      qos.exempt_time = emu_seconds(std::max(*exempt, 0.0));
    if (std::ranges::find(all, qos.name, &QosSpec::name) == all.end() &&
        all.size() < static_cast<std::size_t>(kMaxPartitions))
      all.push_back(std::move(qos));
  }
  const auto known = [&](const std::string& name) {
    return std::ranges::find(all, name, &QosSpec::name) != all.end();
  };
  for (QosSpec& qos : all)
    std::erase_if(qos.preempt, [&](const std::string& name) { return !known(name); });
  return read;
}

std::vector<AccountSpec> read_associations(Input& file, Names& accounts, Names& users) {
  constexpr std::string_view kRoot = "root";
  std::vector<AccountSpec> all;
  std::map<std::string, std::size_t> known;
  for (Records rows(file); rows.next();) {
    const std::string_view account = rows.cell("Account"), user = rows.cell("User");
    if (account.empty() || account == kRoot) continue;
    const std::string name = accounts.of(account);
    const auto [at, is_new] = known.try_emplace(name, all.size());
    if (is_new) {
      if (all.size() == static_cast<std::size_t>(kMaxAccounts))
        throw BadTrace{
            file.where() + ": expected at most " + std::to_string(kMaxAccounts) + " accounts",
            true};
      all.emplace_back().name = name;
    }
    AccountSpec& of = all[at->second];
    const ScenarioShares shares =
        rows.cell("Share") == "parent"
            ? std::nullopt
            : ScenarioShares(std::llround(rows.number("Share", kMostShares).value_or(1)));
    if (!user.empty()) {
      of.users.push_back({users.of(user), shares});
      continue;
    }
    of.shares = shares;
    const std::string_view parent = rows.cell("ParentName");
    if (!parent.empty() && parent != kRoot) of.parent = accounts.of(parent);
  }
  for (AccountSpec& account : all)
    if (!known.contains(account.parent)) account.parent.clear();
  return all;
}

}  // namespace heddle::trace::slurm
