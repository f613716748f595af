add_library(heddle_cpu_lines ${CMAKE_CURRENT_LIST_DIR}/cpu_lines.cc)
target_link_libraries(heddle_cpu_lines heddle_core heddle_common)
