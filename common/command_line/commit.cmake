# Writes OUTPUT, a header that names the commit of SOURCE. If the commit is the same, OUTPUT stays.
# In a checkout, git names the commit. In an archive that `git archive` made, archive.txt names it.
# If neither does, the commit is "unknown" and its date is the day of the build.
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE top
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
get_filename_component(source ${SOURCE} REALPATH)
set(commit "")
set(changes "")
# The sources can also be in a directory of some other repository.
if(top STREQUAL source)
  execute_process(COMMAND git -C ${SOURCE} log -1 "--format=%h %cs" OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
else()
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/archive.txt commit REGEX "^[0-9a-f]+ ")
endif()
if(commit MATCHES "^([0-9a-f]+) ([0-9-]+)$")
  set(name ${CMAKE_MATCH_1})
  set(date ${CMAKE_MATCH_2})
else()
  set(name unknown)
  string(TIMESTAMP date "%Y-%m-%d" UTC)
endif()
if(changes)
  string(APPEND name ", with changes,")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
     "#define HEDDLE_COMMIT \"${name}\"\n#define HEDDLE_COMMIT_DATE \"${date}\"\n#define HEDDLE_BUILD_TYPE \"${BUILD_TYPE}\"\n")
