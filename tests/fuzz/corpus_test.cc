// Runs the targets over their corpora and 40 to 5000 mutations of each. The mutations are the same
// each time.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/targets.h"

namespace heddle::fuzz::corpus_test {

namespace fs = std::filesystem;

/// The last input of a target. Static, because a dying process writes it.
std::string current;

/// Saves the input for inspection before a sanitizer or an assertion ends the process.
void keep_input() {
  std::ofstream("fuzz-finding") << current;
  std::fputs("the input is in ./fuzz-finding\n", stderr);
}
void on_abort(int) { keep_input(); }
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());  // NOLINT

std::vector<std::string> corpus_of(const std::string& target) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(HEDDLE_CORPUS) / target))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return texts;
}

struct Target {
  const char* name;  ///< also the name of its corpus
  bool (*run)(std::string_view input);
  int mutations;    ///< about as many as run in a second under the sanitizers
  int strange = 0;  ///< number of inputs in its corpus that it is not to understand
};

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

class Corpus : public testing::TestWithParam<Target> {
 protected:
  Corpus() {
    std::signal(SIGABRT, on_abort);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_input);
  }
};

TEST_P(Corpus, NoInputDoesHarm) {
  const std::vector<std::string> texts = corpus_of(GetParam().name);
  ASSERT_FALSE(texts.empty());
  int understood = 0;
  for (const std::string& text : texts) {
    current = text;
    understood += GetParam().run(current);
  }
  // If a target understands fewer, the format has changed. Update the corpus, because mutations of
  // an old format find little.
  EXPECT_GE(understood + GetParam().strange, std::ssize(texts))
      << "tests/fuzz/corpus/" << GetParam().name;
  std::mt19937_64 random(1);
  for (int i = 0; i < GetParam().mutations; ++i) {
    current = mutated(texts, random);
    (void)GetParam().run(current);
  }
}

const auto name_of = [](const auto& target) { return std::string(target.param.name); };

INSTANTIATE_TEST_SUITE_P(
    Targets, Corpus,
    testing::Values(Target{"wire", wire, 1000}, Target{"data_message", data_message, 5000},
                    Target{"serving", serving, 500}, Target{"fetching", fetching, 500},
                    Target{"storing", storing, 500}, Target{"keys", keys, 2000},
                    Target{"zap", zap, 2000, 1}, Target{"welcome", welcome, 300},
                    Target{"master", master, 40}, Target{"worker", worker, 200},
                    Target{"scenario", scenario, 100}, Target{"journal", journal, 100},
                    Target{"derived", derived, 40}, Target{"replay", replay, 100},
                    Target{"control_files", control_files, 2000}, Target{"trace", trace, 100},
                    Target{"index", index, 100}, Target{"web", web, 5000},
                    Target{"small_files", small_files, 400}, Target{"archive", archive, 2000}),
    name_of);

#define HEDDLE_TARGET(code, ...) Target{"import_" #code, import_##code, 200, 1},
const Target kImporters[] = {HEDDLE_IMPORT_FORMATS(HEDDLE_TARGET)};
#undef HEDDLE_TARGET
// Without heddle-trace, which the target `trace` reads.
INSTANTIATE_TEST_SUITE_P(Importers, Corpus,
                         testing::ValuesIn(std::begin(kImporters) + 1, std::end(kImporters)),
                         name_of);

}  // namespace heddle::fuzz::corpus_test
