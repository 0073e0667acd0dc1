#!/usr/bin/env bash
# Tests what takes hours: long histories and large data, kills, outages, overload and replicas, forced plans of PostgreSQL, and other
# versions of Node. Runs all parts, and fails at the end if one of them has.
set -uo pipefail
cd "$(dirname "$0")/.."

failed=()
part() {
  printf '\n%s\n' "$1"
  "${@:2}" || failed+=("$1")
}
tests=(jest --selectProjects unit integration isolation --ci)

part 'Long histories and large data' env SOAK=1 npx "${tests[@]}"
part 'Faults' env SOAK=1 npm run test:faults
for node in indexscan bitmapscan seqscan hashjoin hashagg; do
  part "Without enable_$node" env "TEST_PLAN=enable_$node" npx "${tests[@]}" --testPathPatterns 'world/|resolvers/|isolation/(?!plans)'
done
for version in 22 24; do
  part "Node $version" npx --yes --package "node@$version" "${tests[@]}"
done

printf '\n%s of the parts failed%s\n' "${#failed[@]}" "${failed[*]/#/: }"
((${#failed[@]} == 0))
