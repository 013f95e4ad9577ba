#!/usr/bin/env bash
# Judge an assignor in CI: check it, sweep it, report on it, and hold it against gates. Ends with the worst exit status of these.
#
# TARGET          the assignor; empty: what the project's settings name is checked, and nothing else is done
# PROFILE         then the profile of the settings; default: ci
# PROMISES_OF     an assignor whose promises it must keep, such as consumer/sticky; may be empty
# BASELINE        a file of known findings, which do not fail (kassay check --write-baseline); may be empty
# STRICT          true: known defects fail, too
# NOT_WORSE_THAN  an assignor it must not be worse than beyond chance; may be empty
# MAX_GAP         greatest allowed gaps, apart by spaces, such as "balance=0 moves=20"; may be empty
# GRID            a grid file, whose targets are replaced; default: grids/quick.toml beside this folder
# EXAMPLES        groups that the check generates; default: 2000
# KASSAY          folder of the kassay command; default: found on PATH
# RESULTS         folder for findings, gates, each with its JUnit file, and the report; default: kassay-results
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
results=${RESULTS:-kassay-results}
kassay=${KASSAY:+$KASSAY/}kassay
format=${GITHUB_ACTIONS:+github}
worst=0
step() {  # a broken promise (1) is no reason not to tell the rest; wrong usage (2) is
  "$@"
  local status=$?
  ((status != 2)) || exit 2
  ((status == 0 || status != 1 && worst != 0)) || worst=$status
  return "$status"
}
mkdir -p "$results"
[ -z "${GITHUB_OUTPUT:-}" ] || echo "results=$results" >>"$GITHUB_OUTPUT"

checks=(${PROMISES_OF:+--promises-of "$PROMISES_OF"} ${BASELINE:+--baseline "$BASELINE"})
[ "${STRICT:-false}" != true ] || checks+=(--strict)
formats=(--format "${format:-pretty}" --also junit --also markdown)
summarise() { [ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$@" >>"$GITHUB_STEP_SUMMARY"; }

if [ -z "${TARGET:-}" ]; then
  step "$kassay" check --profile "${PROFILE:-ci}" ${checks[@]+"${checks[@]}"} "${formats[@]}" -o "$results/findings"
  summarise "$results/findings/check.md"
  exit "$worst"
fi
step "$kassay" check "$TARGET" --examples "${EXAMPLES:-2000}" ${checks[@]+"${checks[@]}"} "${formats[@]}" -o "$results/findings"

targets=(--target "$TARGET" ${NOT_WORSE_THAN:+--target "$NOT_WORSE_THAN"})
step "$kassay" sweep "${GRID:-$here/grids/quick.toml}" "${targets[@]}" -o "$results/sweep" || exit "$worst"
step "$kassay" report "$results/sweep" -o "$results/report" --trust  # its own sweep, of the targets named above

gates=(${NOT_WORSE_THAN:+--not-worse-than "$NOT_WORSE_THAN"})
for gap in ${MAX_GAP:-}; do gates+=(--max-gap "$gap"); done
if ((${#gates[@]})); then
  compare=("$kassay" compare "$TARGET" --sweep "$results/sweep" "${gates[@]}")
  step "${compare[@]}" "${formats[@]}" -o "$results/gates"
fi
summaries=("$results/findings/check.md" "$results/report/tables/verdicts.md" "$results/report/tables/properties.md")
((${#gates[@]} == 0)) || summaries+=("$results/gates/compare.md")
summarise "${summaries[@]}"
exit "$worst"
