#!/bin/sh
# Node as a role of the service has it: sh services/node.sh ROLE FILE [ARGUMENT …]
role=$1
shift

# glibc gives memory back to the system, from two arenas in place of eight for each core: a fifth less of it.
export GLIBC_TUNABLES="${GLIBC_TUNABLES:-glibc.malloc.arena_max=2:glibc.malloc.mmap_threshold=1048576:glibc.malloc.trim_threshold=16777216}"

# Node keeps what it compiled for the next start, which takes a fifth less time; where it may not write, it does not.
# Beside the packages, so that `npm ci` begins anew.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$(cd "$(dirname "$0")/.." && pwd)/node_modules/.cache/tidemark}"

# V8's young generation small enough for the processor's cache, and its heaps threefold at most before they are collected.
set -- --max-semi-space-size=16 --heap-growing-percent=200 "$@"

# V8 keeps the WebAssembly code that it compiled anew: as it gives such code back beside a running PGlite, a check of its own
# may end the process (https://github.com/nodejs/node/issues/64500).
set -- --no-wasm-code-gc "$@"

# V8's helper threads collect garbage beside a thread and have its precedence over whatever else waits for a processor: a
# tenth more rows and messages a second for readers by themselves, and twice the p99 for requests. So where requests are
# answered each thread collects its own.
case $role in
  projector | sink) ;;
  *) set -- --single-threaded-gc "$@" ;;
esac

# The system's Node 24 where it is newer than the packages': it may have security releases that they lack. Another line
# is not taken, as the service was not tested on it.
node=node
IFS=:
for folder in $PATH; do
  case $folder in */node_modules/.bin) continue ;; esac
  [ -x "$folder/node" ] || continue
  [ "$folder/node" = "$(command -v node)" ] && break
  packaged=$(node --version)
  newest=$(printf '%s\n' "$packaged" "$("$folder/node" --version)" | grep '^v24\.' | sort -V | tail -n 1)
  [ "$newest" = "$packaged" ] || node=$folder/node
  break
done
unset IFS

exec "$node" "$@"
