#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace heddle::serve {

/// Memory that each kept text takes besides its bytes.
inline constexpr std::size_t kEntryBytes = 1024;

/// The text of a response.
struct ResponseText {
  int status = 200;  ///< of the response
  std::shared_ptr<const std::string> text;
  std::string etag = {};  ///< changes with the text; set by TextCache
};

/// Returns a tag of a text, in quotes as the field ETag demands.
std::string etag_of(const std::string& text);

/// How to make a text, and when it has to be made again.
struct Recipe {
  std::string key;  ///< identifies the text
  /// Returns a description of the files from which the text is made. Must be quick.
  std::function<std::string()> stamp;
  std::function<ResponseText()> make;
};

/// The time between the end of one making and the beginning of the next one of the same text. It is
/// long enough that making the text takes at most a tenth of one CPU.
std::chrono::steady_clock::duration pause_after(std::chrono::steady_clock::duration cost);

/// Makes a text. An exception other than the lack of memory is a text with the status 500.
ResponseText made_by(const std::function<ResponseText()>& make);

/// Makes and keeps texts of responses in threads of its own. Several requests for a text while it
/// is made or waits get the same text. A text is kept and is made again only if its stamp has
/// changed and pause_after() is over. A text with a status of 500 or more is made again after the
/// pause in any case. If the kept texts together exceed `most_bytes`, those that were not asked for
/// the longest are dropped, but never the newest one.
class TextCache {
 public:
  /// `most_waiting`: the number of keys that can wait. `threads`: the number of texts that are made
  /// at the same time.
  TextCache(std::size_t most_bytes, std::size_t most_waiting, std::size_t threads = 1);
  /// Waits for the texts that are being made.
  ~TextCache();
  TextCache(const TextCache&) = delete;
  TextCache& operator=(const TextCache&) = delete;

  /// Calls `then` with the text, in a thread of the cache. Returns false and calls nothing if too
  /// many texts wait.
  bool ask(Recipe recipe, std::function<void(const ResponseText&)> then);

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Recipe recipe;
    std::vector<std::function<void(const ResponseText&)>> then;
    bool begun = false;  ///< it is being made
  };
  struct Kept {
    ResponseText made;
    std::string stamp;
    Clock::time_point again;  ///< when it may be made again
    std::list<std::string>::iterator place;
  };

  void work();
  ResponseText text_of(const Recipe& recipe);
  /// Returns the kept text, or forgets it if it is to be made again.
  std::optional<ResponseText> kept(const std::string& key, const std::string& stamp);
  void drop_old();

  const std::size_t most_bytes_, most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // The rest is guarded by mutex_.
  std::list<Waiting> waiting_;
  bool stop_ = false;
  std::map<std::string, Kept> kept_;
  std::list<std::string> asked_;  ///< keys of kept_, the one that was asked for last is the last
  std::size_t bytes_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace heddle::serve
