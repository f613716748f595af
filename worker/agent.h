#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cgroup/driver.h"
#include "worker/command.h"
#include "worker/data/data_service.h"
#include "worker/launcher.h"
#include "worker/link.h"
#include "worker/node.h"
#include "worker/poller.h"
#include "worker/socket.h"

namespace heddle::worker {

struct AgentOptions {
  std::string endpoint;
  std::string run;
  std::string node;
  std::string task_program;
  const CommandCage* commands = nullptr;  ///< null: commands are refused; outlives the agent
  std::string data;                       ///< endpoint for the data service to listen on
  std::string scratch;                    ///< an existing directory of its own
};

/// The worker's control loop: one thread, one wait over the socket, processes, timers, doorbell,
/// data service, memory events and signals. What to do comes from the link and the node; it only
/// connects them.
class Agent {
 public:
  /// REQUIRES: SIGTERM, SIGINT and SIGHUP are blocked in every thread; no other child processes.
  static Result<std::unique_ptr<Agent>> create(cgroup::Driver& driver, const AgentOptions& options);

  /// Until the run is over for this worker. Nothing of it is left running then. Returns the exit
  /// status: 0 shut down or told to end by a signal, 3 this machine can't, 4 master lost or
  /// failure.
  int run();

 private:
  Agent(cgroup::Driver& driver, const AgentOptions& options, Poller poller, Launcher launcher);

  Result<void> prepare();
  /// Everything that has come; false if nothing had.
  bool receive();
  void handle(const std::string& text);
  void on_event(const Joined& event);
  void on_event(const Do& event);
  void on_event(const Neighbours& event);
  void on_event(const Clear& event);
  void on_event(const Answer& event);
  void on_event(const Leave& event);
  void on_event(const GiveUp& event);
  void on_event(const Note& event);
  void carry_out(const std::vector<LinkEvent>& events);

  /// Everything that is due now: timers, launches, messages to send.
  void act();
  void say_hello(real::Time at);
  void send_reports();
  void send_heartbeat(real::Time at);
  bool send(const wire::Message& message);
  void wait();
  void on_signal();

  /// The end begins: no more reports unless `telling`, everything is killed.
  void leave(int status, const std::string& why, bool telling);
  void finish_clearing();
  bool may_end(real::Time at) const;
  Result<void> make_node(const wire::Welcome& welcome);
  void remove_node();
  double data_cpu_s() const;
  real::Time next_due() const;

  cgroup::Driver& driver_;
  AgentOptions options_;
  Poller poller_;
  Launcher launcher_;
  Fd signals_;
  std::unique_ptr<Link> link_;
  std::unique_ptr<Socket> socket_;
  std::unique_ptr<DataService> data_;
  std::unique_ptr<Node> node_;
  double former_data_cpu_s_ = 0;  ///< of services before
  bool clearing_ = false;
  bool telling_ = true;        ///< reports still go out
  std::optional<int> status_;  ///< set once leaving
  std::string why_;
  real::Time leave_by_;  ///< then the groups are removed with whatever is in them
};

}  // namespace heddle::worker
