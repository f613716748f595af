#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "external/external_policy.h"
#include "external/round_trips.h"
#include "master/live_options.h"

namespace heddle::master {

/// The exchange of a real run with the program of its external policy: the request that has no
/// reply yet, and how long the replies took. If Heddle decides, there are no requests. Errors name
/// the policy.
class PolicyExchange {
 public:
  using Request = external::ExternalPolicy::Request;

  /// `policy`: nullptr if Heddle decides. `scenario`, `policy` and `options` must outlive the
  /// object.
  PolicyExchange(const Scenario& scenario, external::ExternalPolicy* policy,
                 const LiveOptions& options)
      : scenario_(scenario), policy_(policy), options_(options) {}

  /// Returns why the run can't go on, or "" if it can.
  std::string failure() const;
  /// Returns the request that is due after a step, or nullptr if none is due.
  const Request* make_request(const ClusterState& cluster, EmuTime at, real::Time now);
  /// Returns the request that has no reply yet. Afterwards there is none.
  std::optional<Request> take_request();
  /// Returns whether there is a request without a reply.
  bool waits() const { return asked_.has_value(); }
  /// Reads the reply to the request. Error (kAborted): the reply can't be read.
  Result<std::string> read(const Request& request, const std::string& reply, real::Time now);
  /// Returns a text that says that the program does not reply any more, and why.
  std::string silence(const std::string& why) const;

  /// Counts the actions of the program that the engine has refused.
  void add_refused(std::size_t actions) { round_trips_.add_refused(actions); }
  /// Adds what the replies took to `overhead` (external::RoundTrips).
  void put_overhead(wire::Json& overhead) const;
  /// Returns the last messages to the program.
  std::vector<std::string> farewell(const ClusterState& cluster, EmuTime at,
                                    std::string_view status);

  // A recovery makes the requests of the previous master again. The program is asked again, so that
  // it gets to know the run.
  /// Compares the reply that the journal has with the one that the program gave now. The journal
  /// counts.
  void recover(const PolicyReplied& recorded);
  /// Asks the program if the last step has made a request.
  Result<void> repeat_request(const ClusterState& cluster, EmuTime at);
  /// Returns the reply to the last request, if the journal has none.
  std::optional<std::string> take_last_reply();
  /// Returns a sentence about the first reply that differs from the journal, or "".
  const std::string& difference() const { return difference_; }

 private:
  std::string about(const std::string& what) const;

  const Scenario& scenario_;
  external::ExternalPolicy* policy_;
  const LiveOptions& options_;
  std::optional<Request> asked_;
  real::Time asked_at_{};
  external::RoundTrips round_trips_;
  std::optional<external::Reply> reply_;  ///< to the last request of a recovery
  std::string difference_;
};

}  // namespace heddle::master
