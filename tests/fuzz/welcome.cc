#include "common/text.h"
#include "tests/cgroup/recording_driver.h"
#include "tests/fuzz/targets.h"
#include "wire/codec.h"
#include "worker/caps.h"
#include "worker/link.h"
#include "worker/transfers.h"

namespace heddle::fuzz {
namespace {

using namespace std::chrono_literals;
using namespace heddle::worker;

/// Plays a stand-alone worker. It has no run and no node of its own, so the master's messages name
/// both.
class WelcomeSession {
 public:
  /// Handles a line; some time passes with each. Returns true if it is a Welcome that the worker
  /// accepts.
  bool line(std::string_view line) {
    const Result<wire::Message> message = wire::decode(line);
    now_ += 30ms;
    if (!message) return false;
    bool joined = false;
    for (const LinkEvent& event : link_.on_message(*message, now_)) {
      if (const auto* welcome = std::get_if<Joined>(&event)) {
        play(welcome->welcome);
        joined = true;
      }
      if (const auto* order = std::get_if<Do>(&event)) launch(order->command);
      if (std::holds_alternative<Clear>(event)) link_.cleared(++incarnation_, now_);
    }
    return joined;
  }

 private:
  void play(const wire::Welcome& welcome) {
    require(heartbeat_period(welcome) >= kShortestHeartbeat, "heartbeats have a pause");
    require(silence_limit(welcome) >= 2s, "a master may be silent for a while");
    // The names become directories below the scratch directory and the home of groups.
    require(link_.run().empty() || valid_name(link_.run()), "the run's name is a name");
    require(valid_name(link_.node()), "the node's name is a name");
    (void)data_options(welcome, "ipc:///d", "/scratch");
    tree_.reset();
    driver_.emplace();
    auto made = cgroup::NodeTree::create(*driver_, link_.run(), link_.node(), node_caps(welcome));
    if (made) tree_ = *std::move(made);
    const std::string run = cgroup::run_group(link_.run());
    for (const auto& [group, what] : driver_->groups)
      require(group == run || group.starts_with(run + "/"), "groups are below the run's");
    welcome_ = welcome;
    (void)load_caps(welcome, welcome.spec.capacity);
  }

  void launch(const wire::Command& command) {
    const auto* launch = std::get_if<wire::LaunchCommand>(&command.what);
    if (!launch || !tree_) return;
    const Result<int> slot = tree_->acquire(container_caps(welcome_, *launch));
    if (slot) (void)tree_->release(*slot);
  }

  real::Time now_{1h};
  std::uint64_t incarnation_ = 1;
  Link link_{{"", "", 1, ""}, incarnation_, now_};
  std::optional<cgroup::RecordingDriver> driver_;
  std::unique_ptr<cgroup::NodeTree> tree_;
  wire::Welcome welcome_;
};

}  // namespace

bool welcome(std::string_view input) {
  WelcomeSession session;
  bool any = false;
  for (std::string_view line : lines_of(input)) any |= session.line(line);
  return any;
}

}  // namespace heddle::fuzz
