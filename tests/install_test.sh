#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# install_test.sh CMAKE BUILD - installs a built tree elsewhere and uses it as strangers do: by find_package, by
# pkg-config from C and C++, and by the program. Rule: the tree is moved before it is used, so nothing in it may know
# where it was; the static library has no global name without the prefix, the shared one exports what headers declare.
set -eu
cmake=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
root="$tmp/moved"

fail() { echo "install_test: $*" >&2; exit 1; }
expect() { # VALUE COMMAND...
    local want=$1 got
    shift
    got=$("$@") || fail "'$*' failed"
    [ "$got" = "$want" ] || fail "'$*' printed '$got', not '$want'"
}

"$cmake" --install "$build" --prefix "$tmp/first" >"$tmp/log" 2>&1 || { cat "$tmp/log"; fail "cmake --install failed"; }
mv "$tmp/first" "$root"
expect "ebb.h ebb.hpp ebb_layer.h" bash -c "cd '$root/include' && echo *"

"$cmake" -S "$here/install" -B "$tmp/example" -DCMAKE_PREFIX_PATH="$root" >"$tmp/log" 2>&1 &&
    "$cmake" --build "$tmp/example" >>"$tmp/log" 2>&1 || { cat "$tmp/log"; fail "the example does not build"; }
expect 42 "$tmp/example/static"

pc=$(dirname "$(find "$root" -name ebb.pc)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --dont-define-prefix --cflags --libs --static ebb)
# shellcheck disable=SC2086 # flags are words
cc -std=c11 "$here/install/example.c" $flags -o "$tmp/c" && LD_LIBRARY_PATH=$(dirname "$pc") expect 42 "$tmp/c"
if command -v c++ >/dev/null; then
    # shellcheck disable=SC2086
    c++ -std=c++17 "$here/install/example.cpp" $flags -o "$tmp/cpp" && LD_LIBRARY_PATH=$(dirname "$pc") expect 42 "$tmp/cpp"
fi

[ ! -x "$root/bin/ebb" ] || expect "$(sed -n 's/^Version: /ebb /p' "$pc/ebb.pc")" "$root/bin/ebb" --version

static=$(find "$root" -name libebb.a)
nm -g --defined-only "$static" | awk 'NF == 3 && $3 !~ /^(ebb_|__x86\.)/ {print $3}' >"$tmp/foreign"
[ ! -s "$tmp/foreign" ] || fail "libebb.a defines names that are not ebb's:" $(cat "$tmp/foreign")
nm -g --defined-only "$static" | grep -q ' T ebb_net_new$' || fail "nm does not see libebb.a"

shared=$(find "$root" -name libebb.so)
[ -n "$shared" ] || exit 0
expect 42 "$tmp/example/shared"
nm -D --defined-only "$shared" | awk '$2 == "T" || $2 == "D" || $2 == "R" || $2 == "B" {print $3}' | sort >"$tmp/exported"
sed 's,//.*,,' "$root"/include/ebb{,_layer}.h | grep -v '^\(static\|typedef\|#\|    \)' | grep -o '\bebb_[a-z0-9_]* *(' | tr -d ' (' |
    sort -u >"$tmp/declared"
diff "$tmp/declared" "$tmp/exported" || fail "declared (<) and exported (>) functions differ"
