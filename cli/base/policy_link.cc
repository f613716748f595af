#include "cli/base/policy_link.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cgroup/ownership.h"
#include "cgroup/tree.h"
#include "cli/base/exit_status.h"
#include "cli/base/policy_files.h"
#include "cli/base/signals.h"
#include "common/file.h"
#include "common/installed.h"
#include "core/policy/own_options.h"
#include "core/policy/registry.h"
#include "external/batsim_dialect.h"
#include "host/sha256.h"

namespace heddle::cli {
namespace {

/// How long a group of the same name, which a dead run has left, can take to end.
constexpr std::chrono::milliseconds kClaim{5000};

/// Returns the user as which the program runs; nullopt: the user of this process.
Result<std::optional<host::TaskUser>> program_user(const PolicyOptions& options) {
  const host::TaskUserQuestion question =
      host::task_user_question(options.task_user, options.allow_root_commands);
  Result<std::optional<host::TaskUser>> user = host::find_task_user(question);
  if (!user || *user) return user;
  return usage_error(
      "the program of an external policy does not run as root; expected --task-user USER, such as "
      "--task-user nobody");
}

}  // namespace

Result<void> settle_policy(const PolicyOptions& options, Scenario& scenario) {
  std::optional<ExternalSpec>& external = scenario.policy.external;
  if (!external) {
    if (options.arguments)
      return usage_error("--policy-arg needs an external policy; expected --policy exec:PROGRAM");
    return {};
  }
  if (options.arguments && !options.named) external->arguments.clear();
  if (options.arguments)
    external->arguments.insert(external->arguments.end(), options.arguments->begin(),
                               options.arguments->end());
  if (external->protocol == ExternalSpec::Protocol::kBatsim)
    HEDDLE_TRY(external::check_batsim(scenario));
  if (external->program.empty()) return {};
  if (!options.named && !options.allow_exec)
    return usage_error(options.scenario + ": the policy is the program " + external->program +
                       "; Heddle starts it only with --allow-exec");
  std::error_code error;
  external->program = std::filesystem::absolute(external->program, error).lexically_normal();
  Result<std::string> sum = host::sha256_of(external->program);
  if (!sum) return usage_error("--policy: " + sum.error().text);
  if (!external->sha256.empty() && external->sha256 != *sum)
    say("warning: " + external->program + " has changed: its SHA-256 is " + *sum +
        ", and the scenario has " + external->sha256);
  external->sha256 = *std::move(sum);
  const Result<std::optional<host::TaskUser>> user = program_user(options);
  return user ? Result<void>() : user.error();
}

Result<external::Description> describe_policy(const PolicyOptions& options,
                                              const Scenario& scenario) {
  const std::optional<ExternalSpec>& external = scenario.policy.external;
  if (!external || external->protocol == ExternalSpec::Protocol::kBatsim)
    return usage_error(policy_text(scenario.policy) +
                       ": has no options of its own; expected exec:PATH or external=ENDPOINT");
  Scenario plain = scenario;
  std::erase_if(plain.policy.options, [](const auto& row) { return is_own_option(row.first); });
  host::adopt_orphans();
  Result<external::Description> description{external::Description()};
  {
    Result<std::unique_ptr<PolicyLink>> link = PolicyLink::start(options, plain);
    if (link) {
      description = (*link)->describe();
      (void)(*link)->end("");
    } else {
      description = std::move(link).error();
    }
  }
  host::kill_orphans();
  return description;
}

Result<void> check_own_options(const PolicyOptions& options, const Scenario& scenario) {
  if (own_options(scenario.policy).empty()) return {};
  const Result<external::Description> description = describe_policy(options, scenario);
  if (!description) return description.error();
  return external::check_own_options(scenario.policy, *description);
}

std::string policy_group(const std::string& run) { return cgroup::run_group(run) + "/_policy"; }

Result<std::unique_ptr<PolicyLink>> PolicyLink::start(const PolicyOptions& options,
                                                      const Scenario& scenario,
                                                      const PolicyRun& run) {
  const ExternalSpec& spec = *scenario.policy.external;
  std::unique_ptr<PolicyLink> made(new PolicyLink);
  made->endpoint_ = spec.endpoint;
  made->limit_ = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(value(scenario.policy, kPolicyTimeout)));
  if (!spec.program.empty()) {
    const Result<std::optional<host::TaskUser>> user = program_user(options);
    if (!user) return user.error();
    if (*user && (*user)->uid != ::geteuid()) made->reader_ = (*user)->uid;
    made->policy_ = scenario.policy;
    HEDDLE_TRY(made->start_program(spec, *user, run));
    made->endpoint_ = made->program_->endpoint();
  }
  Result<std::unique_ptr<external::Link>> link = external::Link::connect(made->endpoint_);
  if (!link) return std::move(link).error();
  made->link_ = *std::move(link);
  if (own_options(scenario.policy).empty()) return made;
  const Result<external::Description> description = made->describe();
  if (!description) return description.error();
  HEDDLE_TRY(external::check_own_options(scenario.policy, *description));
  return made;
}

Result<void> PolicyLink::start_program(const ExternalSpec& spec,
                                       const std::optional<host::TaskUser>& user,
                                       const PolicyRun& run) {
  // A simulation also works where it cannot make such a directory.
  if (!run.dir)
    if (Result<host::RunDirectory> own = host::RunDirectory::create(host::base_directories()[0]))
      own_dir_ = *std::move(own);
  external::ProgramPlace place{.record = run.dir ? run.dir : own_dir_ ? &*own_dir_ : nullptr};
  std::vector<Fd> attach;
  if (run.driver) {
    const std::string top = cgroup::run_group(run.dir->run());
    HEDDLE_TRY(cgroup::make_run_group(*run.driver, top));
    Result<std::vector<Fd>> held = cgroup::claim(*run.driver, policy_group(run.dir->run()), kClaim);
    if (!held) return std::move(held).error();
    driver_ = run.driver;
    group_ = policy_group(run.dir->run());
    held_ = *std::move(held);
    Result<std::vector<Fd>> files = driver_->open_attach(group_);
    if (!files) return std::move(files).error();
    attach = *std::move(files);
    for (const Fd& file : attach) place.groups.push_back(file.get());
  }
  Result<external::Program> program =
      external::Program::start(spec, user, data_path("python"), place);
  if (!program) return std::move(program).error();
  program_.emplace(*std::move(program));
  return {};
}

PolicyLink::~PolicyLink() {
  program_.reset();
  leave();
}

void PolicyLink::leave() {
  if (driver_) (void)driver_->kill(group_);
  driver_ = nullptr;
  held_.clear();
  if (own_dir_) (void)own_dir_->remove();
  own_dir_.reset();
}

std::optional<pid_t> PolicyLink::pid() const {
  return program_ ? std::optional(program_->pid()) : std::nullopt;
}

std::optional<Error> PolicyLink::ended() {
  std::optional<Error> error = program_ ? program_->ended() : std::nullopt;
  if (error && error->text.find("No module named 'heddle_policy'") != std::string::npos &&
      data_path("python").empty())
    error->text += "\n" + missing_data("python");
  return error;
}

Result<std::string> PolicyLink::ask(const std::string& request) {
  return link_->exchange(request, limit_, program_ ? program_->pidfd() : -1,
                         [this]() -> std::optional<Error> {
                           if (asked_to_stop()) return aborted_error("interrupted");
                           if (parent_ && ::getppid() != *parent_)
                             return aborted_error("the process that started heddle has ended");
                           return ended();
                         });
}

Result<external::Description> PolicyLink::describe() {
  const Result<std::string> reply = ask(external::describe_request());
  Result<external::Description> description =
      reply ? external::read_description(*reply) : reply.error();
  if (!description) return std::move(description).error().in("describe");
  return description;
}

void PolicyLink::farewell(const std::string& text) {
  constexpr std::chrono::milliseconds kFarewell{500};
  const Result<std::string> reply =
      link_->exchange(text, std::min<std::chrono::nanoseconds>(kFarewell, limit_),
                      program_ ? program_->pidfd() : -1, [this] { return ended(); });
  if (reply) return;
  // The socket waits for the reply for ever. Another run needs a new one.
  if (Result<std::unique_ptr<external::Link>> link = external::Link::connect(endpoint_); link)
    link_ = *std::move(link);
}

std::optional<double> PolicyLink::end(const std::string& out) {
  if (!program_) return std::nullopt;
  program_->end();
  const std::string record = program_->record();
  leave();
  if (out.empty()) return program_->cpu_s();
  if (!program_->output().empty())
    if (const Result<void> written = replace_file(out + "/logs/policy.log", program_->output());
        !written)
      say("warning: " + written.error().text);
  for (const std::string& warning : write_policy_files(out, policy_, record, reader_))
    say("warning: " + warning);
  return program_->cpu_s();
}

}  // namespace heddle::cli
