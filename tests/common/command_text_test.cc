#include "common/command_line/command_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::command_text_test {

using ::testing::HasSubstr;
using ::testing::Not;

CommandText loom() {
  CommandText weave{"loom weave",
                    "weave a cloth",
                    {{"PATTERN", "", "pattern to weave", true}},
                    {{"--color", "red|blue",
                      "color of the thread; a word that is so long that it "
                      "does not fit on one line (default: red)"},
                     {"--out", "FILE", "write the cloth to FILE"},
                     {"--quick", "", "do it fast"}}};
  return {"loom",  "make cloth",          {}, {{"--help", "", "show this text"}},
          {weave}, "Exit status: 0 done."};
}

TEST(HelpText, OfACommandWithOptions) {
  EXPECT_EQ(help_text(loom().commands[0]),
            "Usage: loom weave [OPTIONS] PATTERN\n"
            "\n"
            "Weave a cloth.\n"
            "\n"
            "Arguments:\n"
            "  PATTERN                   pattern to weave\n"
            "\n"
            "Options:\n"
            "  --color red|blue          color of the thread; a word that is so long that it\n"
            "                            does not fit on one line (default: red)\n"
            "  --out FILE                write the cloth to FILE\n"
            "  --quick                   do it fast\n");
}

TEST(HelpText, OfAProgramWithCommands) {
  EXPECT_EQ(help_text(loom()),
            "Usage: loom [OPTIONS] COMMAND\n"
            "\n"
            "Make cloth.\n"
            "\n"
            "Commands:\n"
            "  weave                     weave a cloth\n"
            "\n"
            "Options:\n"
            "  --help                    show this text\n"
            "\n"
            "Exit status: 0 done.\n");
}

TEST(HelpText, ALongOptionHasALineOfItsOwn) {
  EXPECT_THAT(help_text({"x", "y", {}, {{"--a-very-long-option", "WITH-VALUE", "help"}}}),
              HasSubstr("  --a-very-long-option WITH-VALUE\n                            help\n"));
}

TEST(HelpText, RequiredOptionsAreInTheUsage) {
  EXPECT_THAT(help_text({"x", "y", {{"RUN", "", "", true, true}}, {{"--out", "FILE", "", true}}}),
              HasSubstr("Usage: x [OPTIONS] --out FILE RUN...\n"));
}

TEST(ManualPage, EscapesWhatRoffWouldObey) {
  const std::string page =
      manual_page({"x", ".dot and \\back", {}, {{"--a-b", "N", "'quote"}}}, "1.0", "2026-11-24");
  EXPECT_THAT(page, HasSubstr(".TH X 1 \"2026-11-24\" \"x 1.0\" \"Heddle\"\n"));
  EXPECT_THAT(page, HasSubstr("x \\- \\&.dot and \\eback\n"));
  EXPECT_THAT(page, HasSubstr("\n.TP\n\\fB\\-\\-a\\-b\\fR \\fIN\\fR\n\\&'quote.\n"));
}

TEST(MarkdownReference, HasASectionForEachCommand) {
  const std::string page = markdown_reference(loom());
  EXPECT_THAT(page, HasSubstr("## loom\n\nMake cloth.\n\n```\nloom [OPTIONS] COMMAND\n```\n"));
  EXPECT_THAT(page, HasSubstr("\n## loom weave\n"));
  EXPECT_THAT(page, HasSubstr("| `--color red\\|blue` | color of the thread"));
  EXPECT_THAT(page, HasSubstr("| `PATTERN` | pattern to weave |\n"));
}

TEST(Completion, OfferCommandsOptionsAndChoices) {
  const CompletionWords words{{"PATTERN", {"twill", "satin"}}};
  const std::string bash = bash_completion(loom(), words);
  EXPECT_THAT(bash, HasSubstr("'loom weave')"));
  EXPECT_THAT(bash, HasSubstr("--color) words='red blue' ;;"));
  EXPECT_THAT(bash, HasSubstr("--out) files=1 ;;"));
  EXPECT_THAT(bash, HasSubstr("words='--color --out --quick twill satin'"));
  EXPECT_THAT(bash, Not(HasSubstr("--quick)")));
  const std::string fish = fish_completion(loom(), words);
  EXPECT_THAT(fish, HasSubstr("complete -c loom -n '__fish_use_subcommand' -a weave"));
  EXPECT_THAT(fish, HasSubstr("-l color -x -a 'red blue'"));
  EXPECT_THAT(fish, HasSubstr("-l out -r -F"));
  EXPECT_THAT(zsh_completion(loom(), words), HasSubstr("#compdef loom\n"));
}

}  // namespace heddle::command_text_test
