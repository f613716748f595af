#pragma once

namespace heddle {

/// A scenario with drawn work: a long and a short job on two nodes. One real run takes about a
/// second.
constexpr const char* kSmall = R"(
heddle: 1
name: small
seed: 3
emulation: {time_scale: 0.02, core_fraction: 0.05, memory_scale: 1/64}
cluster: {nodes: [{name: n, count: 2, cores: 4, memory: 4GiB}]}
policy: fifo
jobs:
  - {name: long, phases: [{name: map, tasks: 16, request: {cores: 1, memory: 512MiB}, cpu: {dist: lognormal, mean: 10s, cv: 0.3}}]}
  - {name: short, submit: 2s, phases: [{name: map, tasks: 2, request: {cores: 1, memory: 512MiB}, cpu: {dist: lognormal, mean: 5s, cv: 0.3}}]}
)";

}  // namespace heddle
