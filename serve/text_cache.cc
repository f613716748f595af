#include "serve/text_cache.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "common/text.h"

namespace heddle::serve {

using namespace std::chrono_literals;

namespace {

std::size_t size_of(const ResponseText& made) { return made.text->size() + kEntryBytes; }

/// Makes the text. An exception, such as the lack of memory, concerns this text only.
ResponseText made_by(const Recipe& recipe) {
  try {
    return recipe.make();
  } catch (const std::exception& error) {
    return {500, std::make_shared<const std::string>(std::string("500: internal error: ") +
                                                     error.what() + "\n")};
  } catch (...) {
    return {500, std::make_shared<const std::string>("500: internal error\n")};
  }
}

}  // namespace

std::string etag_of(const std::string& text) {
  const std::uint64_t hash = XXH64(text.data(), text.size(), 0);
  return "\"" + hexadecimal(static_cast<std::uint32_t>(hash >> 32), 8) +
         hexadecimal(static_cast<std::uint32_t>(hash), 8) + "\"";
}

std::chrono::steady_clock::duration pause_after(std::chrono::steady_clock::duration cost) {
  return std::max<std::chrono::steady_clock::duration>(2s, 9 * cost);
}

TextCache::TextCache(std::size_t most_bytes, std::size_t most_waiting)
    : most_bytes_(most_bytes), most_waiting_(most_waiting), thread_([this] { work(); }) {}

TextCache::~TextCache() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

bool TextCache::ask(Recipe recipe, std::function<void(const ResponseText&)> then) {
  const std::lock_guard lock(mutex_);
  const auto same = std::ranges::find(waiting_, recipe.key,
                                      [](const Waiting& waiting) { return waiting.recipe.key; });
  if (same != waiting_.end()) {
    same->then.push_back(std::move(then));
    return true;
  }
  if (waiting_.size() >= most_waiting_) return false;
  waiting_.push_back({std::move(recipe), {std::move(then)}});
  changed_.notify_one();
  return true;
}

void TextCache::work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    const Recipe recipe = waiting_.front().recipe;
    lock.unlock();
    const ResponseText made = text_of(recipe);
    lock.lock();
    const auto then = std::move(waiting_.front().then);
    waiting_.pop_front();
    lock.unlock();
    for (const auto& each : then) each(made);
  }
}

ResponseText TextCache::text_of(const Recipe& recipe) {
  std::string stamp = recipe.stamp();
  const Clock::time_point begun = Clock::now();
  const auto found = kept_.find(recipe.key);
  if (found != kept_.end()) {
    asked_.splice(asked_.end(), asked_, found->second.place);
    if (found->second.stamp == stamp || begun < found->second.again) return found->second.made;
    bytes_ -= size_of(found->second.made);
    asked_.erase(found->second.place);
    kept_.erase(found);
  }
  ResponseText made = made_by(recipe);
  made.etag = etag_of(*made.text);
  const Clock::time_point now = Clock::now();
  bytes_ += size_of(made);
  kept_[recipe.key] = {made, std::move(stamp), now + pause_after(now - begun),
                       asked_.insert(asked_.end(), recipe.key)};
  drop_old();
  return made;
}

void TextCache::drop_old() {
  while (bytes_ > most_bytes_ && asked_.size() > 1) {
    const auto oldest = kept_.find(asked_.front());
    bytes_ -= size_of(oldest->second.made);
    kept_.erase(oldest);
    asked_.pop_front();
  }
}

}  // namespace heddle::serve
