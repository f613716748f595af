// Computes usage, fair shares and priorities for scripts/fair_share, which compares them with those
// of a real Slurm. Each line of the input is a command:
//   half_life SECONDS           forgets all members and usage
//   account NAME ABOVE SHARES   SHARES: a number, or "parent". The root is called "root"
//   user NAME ABOVE SHARES
//   shares NAME SHARES          sets the shares of a member
//   decay SECONDS
//   charge NAME BILLING SECONDS
//   usage                       prints NAME USAGE of each member
//   keep                        `tree` and `classic` read the usage of now
//   normalised NAME PART        sets the part of all usage that `classic` reads of a member
//   tree                        prints NAME SHARES USAGE LEVEL_FS FACTOR PART of each member
//   classic                     prints the same
//   priority ELIGIBLE RECALCULATED MAX_AGE CPUS NODES ALL_CPUS ALL_NODES FAVOR AGE_WEIGHT
//       FAIRSHARE_WEIGHT FAIRSHARE SIZE_WEIGHT OTHER_TERMS…
//                               prints AGE SIZE PRIORITY. Times are in seconds, FAVOR is large or
//                               small

#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include "core/model/fair_share.h"
#include "core/model/job_priority.h"

namespace heddle {
namespace {

/// Most members of a tree.
constexpr std::size_t kMostMembers = 1000;

struct Row {
  std::string name;
  int above = -1;
  bool user = false;
  ShareTree::Shares shares = {};
};

std::istream& operator>>(std::istream& words, ShareTree::Shares& shares) {
  std::string word;
  if (words >> word) shares = word == "parent" ? std::nullopt : std::optional(std::stod(word));
  return words;
}

void print_priority(std::istringstream& words) {
  double eligible = 0, recalculated = 0, max_age = 0;
  JobSize asked, all;
  double age_weight = 0, fairshare_weight = 0, fairshare = 0, size_weight = 0, others = 0;
  std::string favor;
  words >> eligible >> recalculated >> max_age >> asked.cpus >> asked.nodes >> all.cpus >>
      all.nodes >> favor >> age_weight >> fairshare_weight >> fairshare >> size_weight;
  if (!words) return;
  for (double term = 0; words >> term;) others += term;
  words.clear();
  const double age =
      age_factor(emu_seconds(eligible), emu_seconds(recalculated), emu_seconds(max_age));
  const double size =
      size_factor(asked, all, favor == "small" ? FavorSize::kSmall : FavorSize::kLarge);
  const std::int64_t priority =
      priority_of({age_weight * age, fairshare_weight * fairshare, size_weight * size, others});
  std::printf("%.17g %.17g %lld\n", age, size, static_cast<long long>(priority));
}

class Commands {
 public:
  /// Returns false if there is no such command, or if it lacks a word.
  bool take(std::istringstream words) {
    std::string command, name;
    double number = 0;
    std::int64_t seconds = 0;
    words >> command;
    if (command == "half_life") {
      words >> number;
      *this = Commands();
      usage_ = DecayedUsage(kMostMembers, number);
    } else if (command == "account" || command == "user") {
      add(words, command == "user");
    } else if (command == "shares") {
      ShareTree::Shares shares;
      words >> name >> shares;
      rows_.at(index(name)).shares = shares;
    } else if (command == "decay") {
      words >> seconds;
      usage_.decay(seconds);
    } else if (command == "charge") {
      words >> name >> number >> seconds;
      usage_.charge(static_cast<int>(index(name)), number, seconds);
    } else if (command == "normalised") {
      words >> name >> number;
      parts_.at(index(name)) = number;
    } else if (command == "priority") {
      print_priority(words);
    } else {
      return print(command);
    }
    return !words.fail();
  }

 private:
  std::size_t index(const std::string& name) const { return members_.at(name); }

  void add(std::istringstream& words, bool user) {
    Row row;
    std::string above;
    words >> row.name >> above >> row.shares;
    row.above = static_cast<int>(index(above));
    row.user = user;
    members_[row.name] = rows_.size();
    rows_.push_back(row);
    parts_.resize(rows_.size());
  }
  ShareTree tree() const {
    ShareTree tree;
    for (const Row& row : rows_) {
      if (row.above < 0) continue;  // the root
      if (row.user)
        tree.add_user(row.above, row.shares);
      else
        tree.add_account(row.above, row.shares);
    }
    return tree;
  }
  bool print(const std::string& command) {
    if (command == "tree") {
      print(tree_fair_share(tree(), kept_), normalised(kept_));
    } else if (command == "classic") {
      print(classic_fair_share(tree(), parts_, 1), parts_);
    } else if (command == "keep") {
      kept_ = usage_of_all(tree(), usage_.values());
      parts_ = normalised(kept_);
    } else if (command == "usage") {
      const std::vector<double> all = usage_of_all(tree(), usage_.values());
      for (std::size_t i = 0; i < rows_.size(); ++i)
        std::printf("%s %.17g\n", rows_[i].name.c_str(), all[i]);
    } else {
      return false;
    }
    return true;
  }
  void print(const std::vector<FairShare>& shares, const std::vector<double>& parts) const {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      std::printf("%s %.17g %.17g %.17g %.17g %.17g\n", rows_[i].name.c_str(), shares[i].shares,
                  shares[i].usage, shares[i].level_fs, shares[i].factor, parts[i]);
  }

  std::vector<Row> rows_{{.name = "root"}};
  std::map<std::string, std::size_t> members_{{"root", 0}};
  DecayedUsage usage_{kMostMembers, 0};
  std::vector<double> kept_, parts_{0};
};

}  // namespace
}  // namespace heddle

int main() {
  heddle::Commands commands;
  for (std::string line; std::getline(std::cin, line); std::fflush(stdout))
    if (!commands.take(std::istringstream(line))) {
      std::fprintf(stderr, "heddle-fair-share: not a command: %s\n", line.c_str());
      return 2;
    }
}
