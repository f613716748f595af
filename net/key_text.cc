#include "net/key_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "common/text.h"

namespace heddle::net {
namespace {

const std::vector<KeyRole> kRoles = {KeyRole::kMaster, KeyRole::kWorker, KeyRole::kTop};

/// Words of a line of a key file, and the position of the line.
struct Line {
  std::string where;  ///< "path:3: "
  std::vector<std::string> words;
};

std::vector<Line> lines_of(std::string_view text, const std::string& path) {
  std::vector<Line> lines;
  std::istringstream in{std::string(text)};
  std::string raw;
  for (int number = 1; std::getline(in, raw); ++number) {
    // Only a # at the start begins a comment, because keys can contain #.
    if (raw.starts_with("#")) continue;
    Line line{path + ":" + std::to_string(number) + ": ", {}};
    std::istringstream words(raw);
    for (std::string word; words >> word;) line.words.push_back(word);
    if (!line.words.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::string meant(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  return "\"" + word.substr(0, 64) + "\"; expected " + join(known, " or ") +
         (near.empty() ? "" : "; did you mean \"" + near + "\"?");
}

Result<KeyRole> role_from(const Line& line, const std::string& word,
                          const std::vector<KeyRole>& expected) {
  std::vector<std::string> known;
  for (KeyRole role : expected) {
    if (word == name_of(role)) return role;
    known.emplace_back(name_of(role));
  }
  return usage_error(line.where + "role " + meant(word, known));
}

Result<void> check_key(const Line& line, const std::string& key) {
  if (valid_key(key)) return {};
  return usage_error(line.where + "expected a key: 40 characters of Z85, as `heddle keys` writes");
}

Result<void> check_name(const Line& line, const std::string& name) {
  if (valid_name(name)) return {};
  return usage_error(line.where +
                     "expected a name of up to 64 letters, digits, dots, dashes and underscores");
}

Result<void> check_value(const Line& line) {
  const std::string& word = line.words[0];
  const std::string& value = line.words[1];
  if (word == "role") {
    Result<KeyRole> role = role_from(line, value, kRoles);
    return role ? Result<void>() : std::move(role).error();
  }
  return word == "name" ? check_name(line, value) : check_key(line, value);
}

}  // namespace

const char* name_of(KeyRole role) {
  switch (role) {
    case KeyRole::kMaster:
      return "master";
    case KeyRole::kWorker:
      return "worker";
    case KeyRole::kTop:
      return "top";
  }
  return "";
}

std::string to_text(const KeyFile& key) {
  std::string text =
      "# Secret key of Heddle: only its owner may read it (mode 0600). Made by heddle keys.\n";
  text += std::string("role ") + name_of(key.role) + "\n";
  text += "name " + key.name + "\n";
  text += "public " + key.own.public_key + "\n";
  text += "secret " + key.own.secret_key + "\n";
  if (!key.master.empty()) text += "master " + key.master + "\n";
  return text;
}

Result<KeyFile> key_file_from(std::string_view text, const std::string& path) {
  const std::vector<std::string> known = {"role", "name", "public", "secret", "master"};
  std::map<std::string, std::string> values;
  for (const Line& line : lines_of(text, path)) {
    const std::string& word = line.words[0];
    if (std::find(known.begin(), known.end(), word) == known.end())
      return usage_error(line.where + meant(word, known));
    if (line.words.size() != 2)
      return usage_error(line.where + "expected `" + word + "` and one value");
    HEDDLE_TRY(check_value(line));
    if (!values.emplace(word, line.words[1]).second)
      return usage_error(line.where + "`" + word + "` occurs twice");
  }
  const bool masters_own = values["role"] == name_of(KeyRole::kMaster);
  for (const std::string& word : known)
    if (values[word].empty() && !(word == "master" && masters_own))
      return usage_error(path + ": expected a line `" + word + " …`; is the file whole?");
  if (public_key_of(values["secret"]) != values["public"])
    return usage_error(path + ": the secret key and the public key are not a pair");
  KeyFile key{KeyRole::kMaster, values["name"], {values["public"], values["secret"]}, ""};
  for (KeyRole role : kRoles)
    if (values["role"] == name_of(role)) key.role = role;
  if (!masters_own) key.master = values["master"];
  return key;
}

std::string to_text(const std::vector<Admitted>& admitted) {
  std::string text = "# Peers that this master admits: ROLE NAME PUBLIC-KEY\n";
  for (const Admitted& one : admitted)
    text += std::string(name_of(one.role)) + " " + one.name + " " + one.public_key + "\n";
  return text;
}

Result<std::vector<Admitted>> admitted_from(std::string_view text, const std::string& path) {
  std::vector<Admitted> admitted;
  std::set<std::string> names, keys;
  for (const Line& line : lines_of(text, path)) {
    if (line.words.size() != 3) return usage_error(line.where + "expected `ROLE NAME PUBLIC-KEY`");
    Result<KeyRole> role = role_from(line, line.words[0], {KeyRole::kWorker, KeyRole::kTop});
    if (!role) return std::move(role).error();
    HEDDLE_TRY(check_name(line, line.words[1]));
    HEDDLE_TRY(check_key(line, line.words[2]));
    if (!names.insert(line.words[1]).second)
      return usage_error(line.where + "the name \"" + line.words[1] + "\" occurs twice");
    if (!keys.insert(line.words[2]).second)
      return usage_error(line.where + "this key is already listed under another name");
    admitted.push_back({*role, line.words[1], line.words[2]});
  }
  return admitted;
}

}  // namespace heddle::net
