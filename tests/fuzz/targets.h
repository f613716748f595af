#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Everything that reads what others have written, each under arbitrary input (docs/fuzzing.md).
namespace heddle::fuzz {

// A target returns whether it understood the input; or the process ends, by a sanitizer, an
// assertion or require().
bool wire(std::string_view input);           ///< a control or progress message
bool data_message(std::string_view input);   ///< of a data service
bool master(std::string_view input);         ///< what workers say to a master, line by line
bool worker(std::string_view input);         ///< what a master says to a worker, line by line
bool welcome(std::string_view input);        ///< what a worker makes of the node that it is to play
bool serving(std::string_view input);        ///< what others ask of a data service
bool fetching(std::string_view input);       ///< what others answer to a data service that reads
bool storing(std::string_view input);        ///< what others answer to one that writes
bool keys(std::string_view input);           ///< key files, and lists of the admitted
bool zap(std::string_view input);            ///< libzmq's questions about who comes in
bool scenario(std::string_view input);       ///< a scenario file
bool journal(std::string_view input);        ///< of a run, with its samples: the summary
bool derived(std::string_view input);        ///< the same: page, time line, tables, trace
bool replay(std::string_view input);         ///< the same, through the engine
bool control_files(std::string_view input);  ///< what the kernel says in /proc and control groups
bool trace(std::string_view input);          ///< to be imported
bool small_files(std::string_view input);    ///< models, experiments, run.json, --set

/// Ends the process, saying what does not hold.
void require(bool holds, const char* what);

/// The lines of a text, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);
/// The words of a first line `names WORD…`, which is removed; none if there is no such line. "-"
/// stands for an empty one.
std::vector<std::string> take_names(std::vector<std::string_view>& lines);

}  // namespace heddle::fuzz
