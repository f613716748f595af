#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/scenario/scenario.h"
#include "trace/import/slurm_settings.h"

namespace heddle::trace::slurm {

/// How a cluster decides, as its slurm.conf says.
struct Rules {
  std::string policy;               ///< as for --policy; "": the file does not say
  std::vector<std::string> unused;  ///< settings that Heddle does not imitate: "bf_interval=15"
  bool by_shares = false;           ///< priorities depend on fair share
  bool by_qos = false;              ///< priorities depend on the QOS
  std::optional<PreemptMode> preempt_mode = {};  ///< of QOS without a mode of their own
  double node_timeout_s = 300;                   ///< SlurmdTimeout
  bool preempts = true;                          ///< false: PreemptType is preempt/none
  friend bool operator==(const Rules&, const Rules&) = default;
};

/// Reads the settings of a slurm.conf that say how jobs are ordered and backfilled: SchedulerType,
/// SchedulerParameters, those that begin with Priority, PreemptType and PreemptMode. Weights have
/// the defaults of Slurm, which is 0.
class RulesReader {
 public:
  /// Takes in a setting. `where`: its place, for errors. Settings of other things do nothing.
  /// Throws BadTrace.
  void read(const Setting& setting, const std::string& where);
  /// Notes a setting that Heddle does not imitate.
  void leave_out(std::string setting) { rules_.unused.push_back(std::move(setting)); }
  /// Returns what the settings say.
  Rules made() const;

 private:
  void read_parameters(const Setting& setting, const std::string& where);
  void read_flags(std::string_view flags);

  std::map<std::string_view, std::string> options_;  ///< of the policy, by name
  bool says_ = false;                                ///< a setting says how jobs are scheduled
  bool builtin_ = false;
  std::optional<bool> multifactor_;
  Rules rules_;
};

}  // namespace heddle::trace::slurm
