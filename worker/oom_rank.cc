#include "worker/oom_rank.h"

#include <algorithm>

namespace heddle::worker {
namespace {

constexpr int kHighest = 1000;  // OOM_SCORE_ADJ_MAX
constexpr int kRanks = 10;      // 1000 >> 9 is 1

}  // namespace

std::map<ContainerId, int> oom_scores(OomPreference preference,
                                      std::vector<OomCandidate> candidates, bool raised) {
  auto before = [preference](const OomCandidate& a, const OomCandidate& b) {
    if (preference == OomPreference::kYoungest && a.started != b.started)
      return a.started > b.started;
    if (preference == OomPreference::kLargest && a.charge != b.charge) return a.charge > b.charge;
    return a.container < b.container;
  };
  std::sort(candidates.begin(), candidates.end(), before);
  std::map<ContainerId, int> scores;
  int rank = 0;
  for (const OomCandidate& candidate : candidates) {
    const int score = rank < kRanks ? kHighest >> rank : 0;
    ++rank;
    if (preference == OomPreference::kKernel)
      scores[candidate.container] = raised ? kHighest : 0;
    else
      scores[candidate.container] = raised ? (kHighest + score) / 2 : score;
  }
  return scores;
}

}  // namespace heddle::worker
