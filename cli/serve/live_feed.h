#pragma once

#include <map>
#include <memory>
#include <string>
#include <thread>

#include "serve/live.h"

namespace heddle::cli {

/// Looks for this user's running runs once a second and subscribes to the progress of their
/// masters, in a thread of its own. Puts what it knows on the board. The board must outlive the
/// feed.
class LiveFeed {
 public:
  explicit LiveFeed(serve::LiveBoard& board);
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

 private:
  class Watching;
  std::unique_ptr<Watching> watching_;
  std::jthread thread_;
};

}  // namespace heddle::cli
