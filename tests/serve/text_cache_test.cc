// Tests when texts are made, kept and made again.

#include "serve/text_cache.h"

#include <future>
#include <latch>
#include <stdexcept>
#include <thread>

#include "tests/support/matchers.h"

namespace heddle::serve {

using namespace std::chrono_literals;

/// Makes texts and counts how often.
struct Kitchen {
  std::string stamp = "1";
  int made = 0;
  Recipe recipe(const std::string& key, std::size_t bytes = 1) {
    return {key, [this] { return stamp; },
            [this, bytes] {
              ++made;
              return ResponseText{200, std::make_shared<const std::string>(bytes, 'x')};
            }};
  }
};

ResponseText wait_for(TextCache& maker, Recipe recipe) {
  std::promise<ResponseText> made;
  EXPECT_TRUE(
      maker.ask(std::move(recipe), [&](const ResponseText& text) { made.set_value(text); }));
  return made.get_future().get();
}

TEST(PauseAfter, KeepsTheCostAtATenthOfACpu) {
  EXPECT_EQ(pause_after(0s), 2s);
  EXPECT_EQ(pause_after(100ms), 2s);
  EXPECT_EQ(pause_after(1s), 9s);
}

TEST(EtagOf, DependsOnTheText) {
  EXPECT_EQ(etag_of("a"), etag_of("a"));
  EXPECT_NE(etag_of("a"), etag_of("b"));
  EXPECT_EQ(etag_of("a").size(), 18u);
  EXPECT_EQ(etag_of("a").front(), '"');
}

TEST(TextCache, KeepsATextWhileItsStampIsTheSame) {
  Kitchen kitchen;
  TextCache maker(1 << 20, 10);
  const ResponseText first = wait_for(maker, kitchen.recipe("a"));
  EXPECT_EQ(wait_for(maker, kitchen.recipe("a")).text, first.text);
  EXPECT_EQ(kitchen.made, 1);
  EXPECT_EQ(first.etag, etag_of("x"));
  (void)wait_for(maker, kitchen.recipe("b"));
  EXPECT_EQ(kitchen.made, 2);
}

TEST(TextCache, AChangedTextIsNotMadeAgainAtOnce) {
  Kitchen kitchen;
  TextCache maker(1 << 20, 10);
  (void)wait_for(maker, kitchen.recipe("a"));
  kitchen.stamp = "2";
  (void)wait_for(maker, kitchen.recipe("a"));  // within two seconds
  EXPECT_EQ(kitchen.made, 1);
}

TEST(TextCache, SeveralWhoAskForATextGetTheSame) {
  std::promise<void> gate;
  TextCache maker(1 << 20, 10);
  int made = 0;
  const Recipe slow{
      "slow", [] { return std::string(); },
      [&] {
        gate.get_future().wait();
        return ResponseText{200, std::make_shared<const std::string>(std::to_string(++made))};
      }};
  std::vector<std::promise<std::string>> texts(5);
  for (auto& text : texts)
    EXPECT_TRUE(maker.ask(slow, [&](const ResponseText& one) { text.set_value(*one.text); }));
  gate.set_value();
  for (auto& text : texts) EXPECT_EQ(text.get_future().get(), "1");
}

TEST(TextCache, SeveralThreadsMakeTextsAtTheSameTime) {
  TextCache maker(1 << 20, 10, 2);
  std::latch both(2);
  std::promise<void> done[2];
  for (int i = 0; i < 2; ++i) {
    Recipe recipe{std::to_string(i), [] { return std::string(); },
                  [&] {
                    both.arrive_and_wait();  // neither ends before the other has begun
                    return ResponseText{200, std::make_shared<const std::string>()};
                  }};
    EXPECT_TRUE(maker.ask(std::move(recipe), [&, i](const ResponseText&) { done[i].set_value(); }));
  }
  for (std::promise<void>& one : done) one.get_future().wait();
}

TEST(TextCache, AFailureIsMadeAgainAfterThePause) {
  TextCache maker(1 << 20, 10);
  int made = 0;
  const Recipe failing{
      "a", [] { return std::string("same"); },
      [&] {
        return ResponseText{++made == 1 ? 500 : 200, std::make_shared<const std::string>()};
      }};
  EXPECT_EQ(wait_for(maker, failing).status, 500);
  EXPECT_EQ(wait_for(maker, failing).status, 500) << "not at once";
  std::this_thread::sleep_for(pause_after(0s) + 100ms);
  EXPECT_EQ(wait_for(maker, failing).status, 200);
}

TEST(TextCache, RefusesWhatWouldWaitTooLong) {
  std::promise<void> gate, done;
  Kitchen kitchen;
  TextCache maker(1 << 20, 2);
  const Recipe slow{"slow", [] { return std::string(); },
                    [&] {
                      gate.get_future().wait();
                      return ResponseText{200, std::make_shared<const std::string>()};
                    }};
  EXPECT_TRUE(maker.ask(slow, [](const ResponseText&) {}));
  EXPECT_TRUE(maker.ask(kitchen.recipe("a"), [&](const ResponseText&) { done.set_value(); }));
  EXPECT_FALSE(maker.ask(kitchen.recipe("b"), [](const ResponseText&) { ADD_FAILURE(); }));
  gate.set_value();
  done.get_future().wait();
}

TEST(TextCache, DropsWhatWasNotAskedForTheLongest) {
  Kitchen kitchen;
  TextCache maker(2 * (100 + kEntryBytes), 10);  // room for two
  for (const char* key : {"a", "b", "a", "c"}) (void)wait_for(maker, kitchen.recipe(key, 100));
  EXPECT_EQ(kitchen.made, 3);
  (void)wait_for(maker, kitchen.recipe("a", 100));
  EXPECT_EQ(kitchen.made, 3);
  (void)wait_for(maker, kitchen.recipe("b", 100));
  EXPECT_EQ(kitchen.made, 4);
  (void)wait_for(maker, kitchen.recipe("huge", 1 << 20));  // is kept alone
  (void)wait_for(maker, kitchen.recipe("huge", 1 << 20));
  EXPECT_EQ(kitchen.made, 5);
}

TEST(TextCache, AnExceptionConcernsItsTextOnly) {
  TextCache maker(1 << 20, 10);
  const ResponseText made =
      wait_for(maker, {"a", [] { return std::string(); },
                       []() -> ResponseText { throw std::runtime_error("no memory"); }});
  EXPECT_EQ(made.status, 500);
  EXPECT_EQ(*made.text, "500: internal error: no memory\n");
  // wire::BadField is not a std::exception either.
  const ResponseText other =
      wait_for(maker, {"c", [] { return std::string(); }, []() -> ResponseText { throw 7; }});
  EXPECT_EQ(other.status, 500);
  EXPECT_EQ(*other.text, "500: internal error\n");
  Kitchen kitchen;
  EXPECT_EQ(wait_for(maker, kitchen.recipe("b")).status, 200);
}

}  // namespace heddle::serve
