# Writes OUTPUT, a header that names the commit of SOURCE. If the commit is the same, OUTPUT stays.
execute_process(COMMAND git -C ${SOURCE} log -1 "--format=%h %cs" OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed OR NOT commit MATCHES "^([0-9a-f]+) ([0-9-]+)$")
  set(name unknown)
  set(date ${RELEASED})
else()
  set(name ${CMAKE_MATCH_1})
  set(date ${CMAKE_MATCH_2})
endif()
set(changed "")
if(changes)
  set(changed ", with changes")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
     "#define HEDDLE_COMMIT \"${name}\"\n#define HEDDLE_COMMIT_DATE \"${date}\"\n#define HEDDLE_CHANGED \"${changed}\"\n#define HEDDLE_BUILD_TYPE \"${BUILD_TYPE}\"\n")
