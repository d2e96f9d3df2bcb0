# SPDX-License-Identifier: BSD-3-Clause
# For find_package(ebb): ebb::ebb is the static library, ebb::shared the shared one where it was built.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/ebb-targets.cmake)
