#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heddle::tests {

/// Compares messages with the rows of a YAML file below tests/. `section` is a key of the file's
/// map, and has a list of rows. A row is a list: the inputs, and then the message. The message is a
/// text, which must be the whole message, or a list of texts, which the message must contain:
///
///   cores:
///     - ["0", 's.yaml:3: cores: expected a number greater than 0, got "0"']
///     - [many, [cores, 'got "many"']]
///
/// `message` returns the message of a row's inputs. Each difference is a failure that names the
/// file and the line. A missing file, a missing section and an empty section are failures too.
void expect_messages(
    const std::string& file, const std::string& section,
    const std::function<std::string(const std::vector<std::string>& inputs)>& message);
/// Does the same for rows with one input.
void expect_messages_of(const std::string& file, const std::string& section,
                        const std::function<std::string(const std::string& input)>& message);
/// Does the same for rows with two inputs.
void expect_messages_of(
    const std::string& file, const std::string& section,
    const std::function<std::string(const std::string& first, const std::string& second)>& message);

}  // namespace heddle::tests
