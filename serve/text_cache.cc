#include "serve/text_cache.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <new>

#include "common/text.h"

namespace heddle::serve {

using namespace std::chrono_literals;

namespace {

std::size_t size_of(const ResponseText& made) { return made.text->size() + kEntryBytes; }

ResponseText internal_error(const std::string& what) {
  return {500, std::make_shared<const std::string>("500: internal error" + what + "\n")};
}

/// Makes the text. The lack of memory concerns this text only.
ResponseText text_by(const Recipe& recipe) {
  try {
    return made_by(recipe.make);
  } catch (const std::bad_alloc&) {
    return internal_error(": no memory is left");
  }
}

}  // namespace

ResponseText made_by(const std::function<ResponseText()>& make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return internal_error(std::string(": ") + error.what());
  } catch (...) {
    return internal_error("");
  }
}

std::string etag_of(const std::string& text) {
  const std::uint64_t hash = XXH64(text.data(), text.size(), 0);
  return "\"" + hexadecimal(static_cast<std::uint32_t>(hash >> 32), 8) +
         hexadecimal(static_cast<std::uint32_t>(hash), 8) + "\"";
}

std::chrono::steady_clock::duration pause_after(std::chrono::steady_clock::duration cost) {
  return std::max<std::chrono::steady_clock::duration>(2s, 9 * cost);
}

TextCache::TextCache(std::size_t most_bytes, std::size_t most_waiting, std::size_t threads)
    : most_bytes_(most_bytes), most_waiting_(most_waiting) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

TextCache::~TextCache() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
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
  const auto open = [&] { return std::ranges::find(waiting_, false, &Waiting::begun); };
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || open() != waiting_.end(); });
    if (stop_) return;
    const auto next = open();
    next->begun = true;
    const Recipe recipe = next->recipe;
    lock.unlock();
    const ResponseText made = text_of(recipe);
    lock.lock();
    const auto then = std::move(next->then);
    waiting_.erase(next);
    lock.unlock();
    for (const auto& each : then) each(made);
  }
}

std::optional<ResponseText> TextCache::kept(const std::string& key, const std::string& stamp) {
  const auto found = kept_.find(key);
  if (found == kept_.end()) return std::nullopt;
  const Kept& one = found->second;
  asked_.splice(asked_.end(), asked_, one.place);
  const bool same = one.stamp == stamp && one.made.status < 500;
  if (same || Clock::now() < one.again) return one.made;
  bytes_ -= size_of(one.made);
  asked_.erase(one.place);
  kept_.erase(found);
  return std::nullopt;
}

ResponseText TextCache::text_of(const Recipe& recipe) {
  std::string stamp = recipe.stamp();
  const Clock::time_point begun = Clock::now();
  std::unique_lock lock(mutex_);
  if (std::optional<ResponseText> known = kept(recipe.key, stamp)) return *std::move(known);
  lock.unlock();
  ResponseText made = text_by(recipe);
  made.etag = etag_of(*made.text);
  const Clock::time_point now = Clock::now();
  lock.lock();
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
