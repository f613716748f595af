#pragma once

#include <array>
#include <string_view>

#include "core/scenario/scenario.h"

namespace heddle {

/// The words of an enumeration, indexed by its values. Scenarios, messages, summaries and traces
/// use these words.
template <class E>
inline constexpr std::nullptr_t kWords = nullptr;

template <>
inline constexpr std::array<std::string_view, 5> kWords<Drawn::Dist>{
    "constant", "uniform", "normal", "lognormal", "exponential"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<CpuLimit>{"strict", "shares"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<Pacing>{"line", "none"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<SuspendWith>{"signal", "freezer"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<UnfitJobs>{"refuse", "cancel"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<Dispatch>{"heartbeat", "immediate"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<CountScope>{"node", "cluster"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<Saturation>{"kernel", "all"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<PreemptMode>{"requeue", "cancel",
                                                                     "suspend"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<Framework>{"mapreduce", "spark"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<NodeUseFrom>{"groups", "host"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<OomPreference>{"kernel", "youngest",
                                                                       "largest"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<Deploy>{"yarn-cluster", "yarn-client",
                                                                "dynamic"};

template <>
inline constexpr std::array<std::string_view, 4> kWords<AfterWhen>{"ok", "notok", "any", "start"};

template <>
inline constexpr std::array<std::string_view, 3> kWords<Release>{"default", "job", "task"};

template <>
inline constexpr std::array<std::string_view, 2> kWords<GangRestart>{"whole", "rank"};

template <>
inline constexpr std::array<std::string_view, 5> kWords<PhaseKind>{"map", "reduce", "am", "command",
                                                                   "executor"};

template <>
inline constexpr std::array<std::string_view, 2> kWords<ExternalSpec::Protocol>{"heddle", "batsim"};

template <>
inline constexpr std::array<std::string_view, 11> kWords<FaultKind>{
    "kill-worker",     "kill-master",      "freeze-worker",
    "partition",       "slow-node",        "full-disk",
    "lose-heartbeats", "delay-heartbeats", "duplicate-heartbeats",
    "crash-task",      "straggle"};

template <class E>
constexpr std::string_view word_of(E value) {
  return kWords<E>[static_cast<std::size_t>(value)];
}

}  // namespace heddle
