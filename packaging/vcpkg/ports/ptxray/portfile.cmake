# An overlay port: `vcpkg install ptxray --overlay-ports=packaging/vcpkg/ports`, from a source archive of a release,
# which has the generated parser, ANTLR's runtime and nlohmann/json: PTXRAY_SOURCE_ARCHIVE names it (and
# VCPKG_KEEP_ENV_VARS this variable); without, the folder that this port lies in is built.
if(DEFINED ENV{PTXRAY_SOURCE_ARCHIVE})
  vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "$ENV{PTXRAY_SOURCE_ARCHIVE}")
else()
  get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../../.." ABSOLUTE)
endif()
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DBUILD_TESTING=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME ptxray CONFIG_PATH lib/cmake/ptxray)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES ptxray AUTO_CLEAN)
file(RENAME "${CURRENT_PACKAGES_DIR}/libexec/ptxray-run" "${CURRENT_PACKAGES_DIR}/tools/ptxray/ptxray-run")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/libexec")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/libexec"
     "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
