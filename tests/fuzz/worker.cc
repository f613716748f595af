#include <deque>
#include <variant>

#include "tests/fuzz/targets.h"
#include "wire/codec.h"
#include "worker/link.h"
#include "worker/task_table.h"

namespace heddle::fuzz {
namespace {

using namespace std::chrono_literals;
using namespace heddle::worker;

/// Runs the deciding parts of a worker on a machine where every fifth operation that can fail does.
class WorkerSession {
 public:
  /// `names` holds the names of the worker's run and node. Missing ones have defaults.
  explicit WorkerSession(const std::vector<std::string>& names)
      : link_({names.empty() ? "12345678" : names[0], names.size() < 2 ? "n1" : names[1], 1, ""},
              incarnation_, now_) {}

  /// Handles a line; some time passes with each. Returns true once the worker has joined a master.
  bool line(std::string_view line) {
    const Result<wire::Message> message = wire::decode(line);
    now_ += message ? 30ms : 1s;
    if (message) carry_out(link_.on_message(*message, now_));
    carry_out(link_.tick(now_));
    if (link_.hello_due(now_)) link_.hello_sent(true, now_);
    if (link_.heartbeat_due(now_)) say(link_.heartbeat(now_));
    if (wire::Reports fresh = link_.take_fresh(); !fresh.reports.empty()) say(fresh);
    require(link_.next_due() + 1h > now_, "the next time is known");
    return joined_;
  }

  void end() {
    carry_out(table_.kill_all());
    require(table_.empty(), "what is killed is gone");
  }

 private:
  /// Carries out the task table's commands. The others are for the node.
  void command(const wire::Command& command) {
    std::visit(
        [this](const auto& what) {
          if constexpr (requires { table_.command(what, now_); })
            carry_out(table_.command(what, now_));
        },
        command.what);
  }
  static void say(const wire::Message& message) {
    require(bool(wire::decode(wire::encode(message))), "what a worker says can be decoded");
  }

  void carry_out(const std::vector<LinkEvent>& events) {
    for (const LinkEvent& event : events) {
      joined_ |= std::holds_alternative<Joined>(event);
      if (const auto* order = std::get_if<Do>(&event)) command(order->command);
      if (const auto* answer = std::get_if<Answer>(&event)) say(answer->message);
      if (!std::holds_alternative<Clear>(event)) continue;
      carry_out(table_.kill_all());
      link_.cleared(++incarnation_, now_);
    }
  }

  void carry_out(const Effects& effects) {
    std::deque<Effect> todo(effects.begin(), effects.end());
    while (!todo.empty()) {
      const Effect effect = std::move(todo.front());
      todo.pop_front();
      for (Effect& next : std::visit([this](const auto& e) { return done(e); }, effect))
        todo.push_back(std::move(next));
    }
  }
  bool fails() { return ++done_ % 5 == 0; }

  Effects done(const Start& e) {
    const ContainerId id = e.launch.container;
    if (!table_.start_wanted(id))
      return table_.start_failed(id, aborted_error("killed before"), now_);
    return fails() ? table_.start_failed(id, aborted_error("no room"), now_)
                   : table_.started(id, now_);
  }
  Effects done(const Stop& e) {
    return fails() ? table_.stop_failed(e.container, "busy", now_)
                   : table_.stopped(e.container, now_);
  }
  Effects done(const Continue& e) { return table_.continued(e.container, now_); }
  Effects done(const Give& e) {
    return e.part.last ? table_.exited(e.container, {}, {}, now_)
                       : table_.part_done(e.container, e.part.number, now_);
  }
  Effects done(const BeginRead& e) {
    return fails() ? table_.read_failed(e.container, e.read, "gone", now_)
                   : table_.read_done(e.container, e.read, now_);
  }
  Effects done(const BeginWrite& e) {
    return fails() ? table_.write_failed(e.container, e.write, "disk full", now_)
                   : table_.write_done(e.container, now_);
  }
  Effects done(const SendSigkill& e) { return table_.exited(e.container, {true, 9}, {}, now_); }
  Effects done(const worker::Release&) { return {}; }
  Effects done(const wire::Report& report) {
    link_.report(report);
    return {};
  }

  real::Time now_{1h};
  std::uint64_t incarnation_ = 1;
  Link link_;
  TaskTable table_;
  int done_ = 0;
  bool joined_ = false;  ///< at any time
};

}  // namespace

bool worker(std::string_view input) {
  std::vector<std::string_view> lines = lines_of(input);
  WorkerSession session(take_names(lines));
  bool any = false;
  for (std::string_view line : lines) any |= session.line(line);
  session.end();
  return any;
}

}  // namespace heddle::fuzz
