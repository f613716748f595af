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
  const CommandCage* commands = nullptr;  ///< must outlive the agent; null: commands are refused
  std::string data;                       ///< endpoint for the data service to listen on
  std::string scratch;                    ///< an existing directory only for this worker
  // Options for a worker that can be on another host than its master. If `run` or `node` is empty,
  // the master assigns it.
  std::string clock = {};                        ///< name of the clock (Hello::clock)
  std::optional<wire::HostFacts> host = {};      ///< name and resources of this host
  real::Duration join_patience = kJoinPatience;  ///< longest wait for a Welcome
  int data_socket = -1;                          ///< a socket that already listens at `data`, or -1
  /// Function that the agent calls before it makes anything for a node. The function records what
  /// will be made, so that it can be removed if we are killed. Returns the scratch directory to use
  /// instead of `scratch`.
  std::function<Result<std::string>(const std::string& run, const std::string& node)> place = {};
};

/// The worker's control loop. It is one thread, which waits in one place for the socket, processes,
/// timers, the doorbell, the data service, memory events and signals. Link and Node decide what to
/// do. The agent only connects them.
class Agent {
 public:
  /// REQUIRES: SIGTERM, SIGINT and SIGHUP are blocked in every thread, and this process has no
  /// other children.
  static Result<std::unique_ptr<Agent>> create(cgroup::Driver& driver, const AgentOptions& options);

  /// Runs until the run is over for this worker, and ends all of its tasks. Returns the exit
  /// status:
  /// - 0 if the master or a signal ended the worker
  /// - 2 if our key is not admitted
  /// - 3 if this machine can't make the node
  /// - 4 after the loss of the master or a failure
  int run();

 private:
  Agent(cgroup::Driver& driver, const AgentOptions& options, net::Poller poller, Launcher launcher);

  Result<void> prepare();
  /// Handles signals and messages that have arrived, at most kMostMessages. Returns false if there
  /// were none.
  bool receive();
  /// Leaves if a signal has arrived. Returns whether one has.
  bool take_signals();
  void handle(const std::string& text);
  void carry_out(const std::vector<LinkEvent>& events);
  void join(const wire::Welcome& welcome);
  void obey(const wire::Command& command);
  void bring_about(const wire::FaultCommand& fault);
  /// Reconnects after a partition has ended, and sends the heartbeats that a fault has delayed
  /// until `at`.
  void go_on_after_faults(real::Time at);

  /// Does everything whose time has come: timers, launches and messages to send.
  void act();
  void send_reports();
  void send_heartbeat(real::Time at);
  /// Starts to leave if the master does not admit our key. Logs a warning if the master closes the
  /// connection during the handshake.
  void check_handshake();
  std::string cut_off() const;
  bool send(const wire::Message& message);
  void wait();

  /// Starts to leave: kills all tasks. Sends further reports only if `telling` is true.
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
  std::optional<net::CurveServer> data_keys_;  ///< keys of the data service, new in each process
  std::unique_ptr<DataService> data_;
  std::unique_ptr<Node> node_;
  Faults faults_;
  Scale scale_;                   ///< valid while there is a node
  double former_data_cpu_s_ = 0;  ///< CPU time of earlier data services
  bool clearing_ = false;
  bool told_cut_off_ = false;  ///< has logged that handshakes fail, and none has succeeded since
  bool telling_ = true;        ///< reports are still sent
  std::optional<int> status_;  ///< set when the worker starts to leave
  std::string why_;
  real::Time leave_by_;  ///< when the groups are removed, even with processes in them
};

}  // namespace heddle::worker
