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
  std::string endpoint;                        ///< the master's endpoint: ipc:// or tcp://
  std::optional<net::CurveClient> curve = {};  ///< keys; required for tcp://
  std::string run;
  std::string node;
  std::string task_program;
  const CommandCage* commands = nullptr;  ///< null: commands are refused; must outlive the agent
  std::string data;                       ///< endpoint for the data service to listen on
  std::string scratch;                    ///< an existing directory, for this worker alone
  // For a worker that may be on another host than its master. If run and node are not known
  // beforehand, the master assigns them.
  std::string clock = {};                        ///< as Hello::clock
  std::optional<wire::HostFacts> host = {};      ///< name and resources of this host
  real::Duration join_patience = kJoinPatience;  ///< for a Welcome, also after losing the master
  int data_socket = -1;  ///< a socket that listens at `data` already; -1: none
  /// Called before anything is made for a node. Sees to it that what is made can be removed if we
  /// die. Returns the scratch directory, which replaces `scratch`.
  std::function<Result<std::string>(const std::string& run, const std::string& node)> place = {};
};

/// The worker's control loop: one thread with one wait for the socket, processes, timers, doorbell,
/// data service, memory events and signals. Link and Node decide what to do; the agent only
/// connects them.
class Agent {
 public:
  /// REQUIRES: SIGTERM, SIGINT and SIGHUP are blocked in every thread; no other child processes.
  static Result<std::unique_ptr<Agent>> create(cgroup::Driver& driver, const AgentOptions& options);

  /// Runs until the run is over for this worker. Nothing of the worker is left running then.
  /// Returns the exit status: 0 if the master or a signal ended it, 2 if our key is not admitted, 3
  /// if this machine can't make the node, 4 after the loss of the master or a failure.
  int run();

 private:
  Agent(cgroup::Driver& driver, const AgentOptions& options, net::Poller poller, Launcher launcher);

  Result<void> prepare();
  /// Handles all messages that have come. Returns false if there were none.
  bool receive();
  void handle(const std::string& text);
  void carry_out(const std::vector<LinkEvent>& events);
  void join(const wire::Welcome& welcome);
  void obey(const wire::Command& command);
  void bring_about(const wire::FaultCommand& fault);
  /// Reconnects after a fault that is over, and sends the messages that faults held back until
  /// then.
  void go_on_after_faults(real::Time at);

  /// Does everything that is due: timers, launches, messages to send.
  void act();
  void send_reports();
  void send_heartbeat(real::Time at);
  /// Leaves if the master does not admit our key. Logs if the master breaks handshakes off.
  void check_handshake();
  std::string cut_off() const;
  bool send(const wire::Message& message);
  void wait();

  /// Begins to leave: kills everything, and sends no more reports unless `telling`.
  void leave(int status, const std::string& why, bool telling);
  void finish_clearing();
  /// Returns whether none of our tasks is left.
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
  std::optional<net::CurveServer> data_keys_;  ///< of the data service, new in each process
  std::unique_ptr<DataService> data_;
  std::unique_ptr<Node> node_;
  Faults faults_;
  Scale scale_;                   ///< valid while there is a node
  double former_data_cpu_s_ = 0;  ///< CPU time of the data services before the present one
  bool clearing_ = false;
  bool told_cut_off_ = false;  ///< has logged that handshakes are broken off, and they still are
  bool telling_ = true;        ///< reports are still sent
  std::optional<int> status_;  ///< set once leaving
  std::string why_;
  real::Time leave_by_;  ///< when the groups are removed, with whatever is in them
};

}  // namespace heddle::worker
