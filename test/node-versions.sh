#!/usr/bin/env bash
# Runs the unit tests and a first start on the supported versions of Node, two at a time. The output of each comes at its end.
set -euo pipefail

# Tests of the repository's own files, and long ones of arithmetic, which are the same on every version.
files='test/(architecture|packages|ops/files|schema/schema|db/migrations/hashes|rest-gateway/openapi/openapi|db/doctor/munster)\.'
export tests="cli/journey|^(?!.*$files).*\.unit\."
# The code is the same on every version: what differs is Node.
export FUZZ_INPUTS=500

run() {
  local output code=0
  output=$(npx --yes --package "node@$1" jest --selectProjects unit integration --ci --testPathPatterns "$tests" 2>&1) || code=$?
  printf 'Node %s\n%s\n' "$1" "$output"
  return $code
}
export -f run

printf '%s\n' 20.19 22 24 26 | xargs -P 2 -I VERSION bash -c 'run VERSION'
