#pragma once

#include "common/units.h"

namespace heddle {

// Limits of the values and sizes of a scenario.

/// The longest time of work: with 256 threads, its core-microseconds in millicores are just below
/// the maximum of 64 bits.
inline constexpr EmuTime kMaxTime{10000LL * 3600 * 1000000};
/// The latest time, and the longest walltime: 200 years.
inline constexpr EmuTime kMaxInstant{200LL * 365 * 24 * 3600 * 1000000};
inline constexpr EmuBytes kMaxBytes{1LL << 50};
inline constexpr Millicores kMaxCores{10000 * 1000};
inline constexpr double kMaxByteRate = 1125899906842624;
inline constexpr double kMaxBitRate = 1e15;
// Limits that keep sums well below the maximum of 64 bits. There are sums of the nodes' resources,
// and of the resources that tasks hold or request. Usage estimation also adds allocated and free
// resources, to compute the size of a cluster.
inline constexpr EmuBytes kMaxAllMemory{1LL << 60};        ///< total of all nodes
inline constexpr EmuBytes kMaxRequestedMemory{1LL << 61};  ///< by all tasks of all jobs
inline constexpr int kMaxNodes = 100000;
inline constexpr int kMaxQueues = 1000;
inline constexpr int kMaxAccounts = 10000;
inline constexpr int kMaxPartitions = 1000;  ///< also of qualities of service
inline constexpr std::size_t kMaxMemberships =
    1000000;  ///< of nodes in partitions, or in reservations
inline constexpr int kMaxReservations = 1000;
inline constexpr std::size_t kMaxReservedTimes = 10000;  ///< of all reservations together
inline constexpr int kMaxJobs = 100000;                  ///< without those of a table
inline constexpr int kMaxTypicalRequests = 10000;
inline constexpr int kMaxLoads = 1000;
inline constexpr int kMaxFaults = 1000;
inline constexpr int kMaxPhases = 10000;                   ///< per job
inline constexpr int kMaxTasks = 1000000;                  ///< per phase or stage
inline constexpr int kMaxStages = 10000;                   ///< per job
inline constexpr std::int64_t kMaxAllPhases = 1000000;     ///< of all jobs
inline constexpr std::int64_t kMaxAllTasks = 1000000000;   ///< of all jobs
inline constexpr std::size_t kMaxAllConditions = 1000000;  ///< on other jobs, of all jobs
inline constexpr std::int64_t kMaxAllEntries = 1000000;    ///< entries of `each`, of all jobs

}  // namespace heddle
