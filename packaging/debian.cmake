# The Debian package: what it has beside the common files, and its control data.
set(debian ${CMAKE_CURRENT_SOURCE_DIR}/debian)
set(only_debian COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES ${debian}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} ${only_debian})
install(FILES ${debian}/lintian-overrides DESTINATION share/lintian/overrides RENAME heddle ${only_debian})
# A package depends on libraries of one release of Debian or Ubuntu, so its version names the
# release.
set(release "")
if(EXISTS /etc/os-release)
  file(STRINGS /etc/os-release id REGEX "^ID=")
  file(STRINGS /etc/os-release number REGEX "^VERSION_ID=")
  string(REGEX REPLACE "ID=|VERSION_ID=|\"" "" release "+${id}${number}")
endif()
set(version "${PROJECT_VERSION}${release}")
# The project has no mail address.
set(maintainer "The Heddle maintainers <maintainers@heddle.invalid>")
# Debian's changelog names only the version of the package.
install(CODE "string(TIMESTAMP now \"%a, %d %b %Y %H:%M:%S +0000\" UTC)
file(WRITE \"${CMAKE_CURRENT_BINARY_DIR}/changelog\" \"heddle (${version}) unstable; urgency=medium

  * CHANGELOG.md in this directory lists the changes.

 -- ${maintainer}  \${now}
\")
execute_process(COMMAND gzip -9nf \"${CMAKE_CURRENT_BINARY_DIR}/changelog\" COMMAND_ERROR_IS_FATAL ANY)" ${only_debian})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR} ${only_debian})
# Debian's Python finds the modules.
foreach(module heddle heddle_policy)
  install(CODE "set(modules \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/python3/dist-packages\")
file(MAKE_DIRECTORY \"\${modules}\")
file(CREATE_LINK ../../../share/heddle/python/${module} \"\${modules}/${module}\" SYMBOLIC)" ${only_debian})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};heddle;ALL;/;${CMAKE_BINARY_DIR};heddle;debian;/")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_VERSION ${version})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${maintainer}")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "cluster-scheduling experiments, run for real on one machine
Heddle emulates a cluster: a master and one worker process for each emulated
node launch map, reduce and executor tasks as real processes in Linux control
groups. A scheduling policy decides on heartbeats, and Heddle measures waiting
time, completion time and makespan. A simulator runs the same policies in
virtual time.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# For the user of the systemd unit.
set(CPACK_DEBIAN_PACKAGE_DEPENDS adduser)
# For policies in Python; tables in notebooks; figures; manual pages.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3, python3-zmq, python3-pandas, python3-matplotlib, man-db, bash-completion")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${debian}/postinst ${debian}/prerm ${debian}/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
