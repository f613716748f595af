#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cgroup/driver.h"
#include "net/curve.h"
#include "net/dealer_socket.h"
#include "net/poller.h"
#include "worker/command.h"
#include "worker/data/data_service.h"
#include "worker/faults.h"
#include "worker/launcher.h"
#include "worker/link.h"
#include "worker/node.h"

namespace heddle::worker {

struct AgentOptions {
  std::string endpoint;                        ///< the master's: ipc:// or tcp://
  std::optional<net::CurveClient> curve = {};  ///< for tcp://, which goes not without
  std::string run;
  std::string node;
  std::string task_program;
  const CommandCage* commands = nullptr;  ///< null: commands are refused; outlives the agent
  std::string data;                       ///< endpoint for the data service to listen on
  std::string scratch;                    ///< an existing directory of its own
  // Of a worker that may be on another host than its master; what is not known beforehand, run and
  // node, the master tells.
  std::string clock = {};                        ///< as Hello::clock
  std::optional<wire::HostFacts> host = {};      ///< what this host has
  real::Duration join_patience = kJoinPatience;  ///< with `host`, also to look for a lost master
  int data_socket = -1;                          ///< listens at `data` already
  /// Called before anything is made for a node: sees to it that it can be removed if we die, and
  /// returns the scratch directory, which replaces `scratch`.
  std::function<Result<std::string>(const std::string& run, const std::string& node)> place = {};
};

/// The worker's control loop: one thread, one wait over the socket, processes, timers, doorbell,
/// data service, memory events and signals. What to do comes from the link and the node; it only
/// connects them.
class Agent {
 public:
  /// REQUIRES: SIGTERM, SIGINT and SIGHUP are blocked in every thread; no other child processes.
  static Result<std::unique_ptr<Agent>> create(cgroup::Driver& driver, const AgentOptions& options);

  /// Until the run is over for this worker. Nothing of it is left running then. Returns the exit
  /// status: 0 shut down or told to end by a signal, 2 our key is not admitted, 3 this machine
  /// can't, 4 master lost or failure.
  int run();

 private:
  Agent(cgroup::Driver& driver, const AgentOptions& options, net::Poller poller, Launcher launcher);

  Result<void> prepare();
  /// Everything that has come; false if nothing had.
  bool receive();
  void handle(const std::string& text);
  void carry_out(const std::vector<LinkEvent>& events);
  void join(const wire::Welcome& welcome);
  void obey(const wire::Command& command);
  void bring_about(const wire::FaultCommand& fault);
  /// What faults held back, as far as they do no longer.
  void go_on_after_faults(real::Time at);

  /// Everything that is due now: timers, launches, messages to send.
  void act();
  void send_reports();
  void send_heartbeat(real::Time at);
  /// Leaves if the master won't have our key.
  void check_handshake();
  std::string cut_off() const;
  bool send(const wire::Message& message);
  void wait();

  /// The end begins: no more reports unless `telling`, everything is killed.
  void leave(int status, const std::string& why, bool telling);
  void finish_clearing();
  /// No task of ours is left.
  bool idle() const { return !node_ || node_->empty(); }
  Result<void> make_node(const wire::Welcome& welcome);
  void remove_node();
  double data_cpu_s() const;
  real::Time next_due() const;

  cgroup::Driver& driver_;
  AgentOptions options_;
  net::Poller poller_;
  Launcher launcher_;
  std::unique_ptr<StartThread> starts_;
  Fd signals_;
  std::unique_ptr<Link> link_;
  std::unique_ptr<net::Socket> socket_;
  std::optional<net::CurveServer> data_keys_;  ///< of the data service over TCP, made for this life
  std::unique_ptr<DataService> data_;
  std::unique_ptr<Node> node_;
  Faults faults_;
  Scale scale_;                   ///< while there is a node
  double former_data_cpu_s_ = 0;  ///< of services before
  bool clearing_ = false;
  bool told_cut_off_ = false;  ///< said that the master breaks handshakes off, and it still does
  bool telling_ = true;        ///< reports still go out
  std::optional<int> status_;  ///< set once leaving
  std::string why_;
  real::Time leave_by_;  ///< then the groups are removed with whatever is in them
};

}  // namespace heddle::worker
