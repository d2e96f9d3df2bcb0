#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# subproject_test.sh CMAKE BUILD - builds the sources as strangers do: inside another project, by add_subdirectory and by
# FetchContent, with make, and on a machine without Check. Rule: kernel tables and optimisation are left out, for speed.
set -eu
cmake=$1
here=$(cd "$(dirname "$0")" && pwd)
source=$(dirname "$here")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() { echo "subproject_test: $*" >&2; exit 1; }
quietly() { "$@" >"$tmp/log" 2>&1 || { tail -n 40 "$tmp/log"; fail "'$*' failed"; }; }

# A project outside, in a folder with a space. What it builds and installs is its own, and the library.
outer() { # FOLDER CMAKE-OPTIONS...
    local build="$tmp/$1"
    shift
    quietly "$cmake" -S "$here/subproject" -B "$build" -DEXAMPLE="$here/install/example.c" -DEBB_TABLES=none \
        -DCMAKE_C_FLAGS=-O0 "$@"
    quietly "$cmake" --build "$build" -j 2
    [ "$("$build/outer")" = 42 ] || fail "$build/outer did not print 42"
    [ ! -d "$build/headers" ] || fail "the tests of ebb are on inside another project"
    quietly "$cmake" --install "$build" --prefix "$build/root"
    [ "$(cd "$build/root" && find . -type f)" = ./bin/outer ] || fail "ebb installs itself into another project"
    [ -z "$(find "$build" \( -name ebb -o -name ebb-bench \) -type f -perm -u+x)" ] || fail "a tool of ebb was built"
}

outer "by folder" -DEBB="$source"
tar -C "$source" -cf "$tmp/ebb.tar" CMakeLists.txt src layers shaders
outer "by archive" -DFETCH=ON -DEBB="file://$tmp/ebb.tar" -G "Unix Makefiles"

# Alone, with make: neither Check nor pkg-config is needed, and one line says what is left out.
alone() { # FOLDER CMAKE-OPTIONS...
    local build="$tmp/$1"
    shift
    quietly "$cmake" -S "$source" -B "$build" -G "Unix Makefiles" "$@"
    [ "$(grep -c 'No tests: they need Check and pkg-config' "$tmp/log")" = 1 ] || fail "no word about the missing tests"
    [ ! -e "$build/CTestTestfile.cmake" ] || fail "tests without Check"
}
PKG_CONFIG_LIBDIR=$tmp alone no-check
alone no-pkg-config -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON
! "$cmake" -S "$source" -B "$tmp/insist" -DEBB_TESTS=ON -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON >"$tmp/log" 2>&1 ||
    fail "EBB_TESTS=ON was not refused without pkg-config"
grep -q 'EBB_TESTS=ON needs Check and pkg-config' "$tmp/log" || fail "no word about what EBB_TESTS=ON needs"
