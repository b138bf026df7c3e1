# Functions that build and run the tests. Sourced by Tests/run, Tests/soak, Tests/faults/run and
# .ci/run, after setup.sh.

# Background processes ignore an interrupt, so it ends the whole process group.
trap 'trap - INT; kill 0' INT

# One build for all tests: the library is optimized, but keeps its assertions and trap messages.
# Cross-module optimization would take a third longer and only speed up long scans. A separate
# process for each module file would parse everything twice, and nothing could start earlier. The
# checks that the compiler makes of its own code for LLVM would take a twentieth of the time, and
# debugging information a tenth: failed expectations and most traps name their line without it, and
# backtraces their functions.
checked_flags=(
    -c release --disable-index-store -Xswiftc -enable-testing -Xswiftc -DDEBUG -Xswiftc -warnings-as-errors
    -Xswiftc -no-emit-module-separately-wmo -Xswiftc -Xfrontend -Xswiftc -disable-llvm-verify
)
optimized_flags=(
    --scratch-path "$repository/.build/checked"
    -Xswiftc -assert-config -Xswiftc Debug -Xswiftc -disable-cmo -Xswiftc -gnone
)
areas=(
    Store Watch Layer Engine Coordinator Objects Collections Queries Fault Changes Realm Migrations
    Workers Compatibility Processes Chat Thumbnails
)

# swift-testing would walk the stack for each error that is thrown, also for those that the library
# catches: a fifth of the time of the tests of failures.
export SWT_SWIFT_ERROR_BACKTRACING_ENABLED=0

# folder_of AREA: prints the folder with the area's tests.
folder_of() {
    case $1 in
    Chat) echo "$repository/Examples/Chat/Tests" ;;
    Thumbnails) echo "$repository/Examples/Worker/Tests" ;;
    *) echo "$repository/Tests/$1" ;;
    esac
}

# area_of NAME: prints the area that declares a suite (SUITE or SUITE/TEST) or, failing that, a test
# of that name.
area_of() {
    local area pattern
    for pattern in "(struct|class|actor|enum) ${1%%/*}\\b" "func ${1##*/}\\("; do
        for area in "${areas[@]}"; do
            if grep -rqE --include='*.swift' "$pattern" "$(folder_of "$area")"; then
                echo "$area"
                return
            fi
        done
    done
    return 1
}

# with_progress WHAT LOG COMMAND...: runs a command with its output in LOG and reports its progress
# every 30 seconds.
with_progress() {
    local what=$1 log=$2 start=$SECONDS last=$SECONDS status=0
    shift 2
    "$@" >"$log" 2>&1 </dev/null &
    local process=$!
    while kill -0 $process 2>/dev/null; do
        sleep 0.2
        if [ $((SECONDS - last)) -ge 30 ]; then
            last=$SECONDS
            echo "  $what: $((SECONDS - start)) s, $(progress_of "$log")"
        fi
    done
    wait $process || status=$?
    return $status
}

# progress_of LOG: prints the progress of a build or a test run.
progress_of() {
    local passed failed
    passed=$(count_of "$1" passed)
    failed=$(count_of "$1" failed)
    if [ $((passed + failed)) -gt 0 ]; then
        echo "$passed tests passed, $failed failed"
    else
        grep -aoE '^\[[0-9]+/[0-9]+\] .{0,60}' "$1" | tail -n 1 || true
    fi
}

# targets_of AREA...: prints the test targets of areas, separated by commas.
targets_of() {
    local targets
    targets=$(printf ',%sTests' "$@")
    echo "${targets#,}"
}

# build_checked LOG [AREA...]: builds all areas, or only the given ones.
build_checked() {
    local log=$1 start=$SECONDS
    shift
    unset REGNUM_TARGETS
    if [ $# -gt 0 ]; then export REGNUM_TARGETS=$(targets_of "$@"); fi
    run_build "$log" --build-tests
    echo "Built in $((SECONDS - start)) s."
}

# run_build LOG OPTION...: runs a checked build, and ends the script if it fails.
run_build() {
    local log=$1
    shift
    if ! with_progress build "$log" swift build "${checked_flags[@]}" "${optimized_flags[@]}" "$@"
    then
        failed_build "$log"
        stop "the build failed; its full output is in $log."
    fi
}

# failed_build LOG: prints the errors of a build and the end of its output.
failed_build() {
    grep -aE '(error|warning): ' "$1" | sort -u | sed -n 1,20p
    [ ! -s "$1" ] || tail -n 5 "$1"
}

# test_threads LOG AREA...: builds areas with the thread sanitizer and runs their tests.
test_threads() {
    local log=$1 binary=$repository/.build/tsan/release/regnumPackageTests.xctest
    local flags=(--build-tests --sanitize=thread --scratch-path "$repository/.build/tsan"
        -Xswiftc -Onone -Xswiftc -gline-tables-only)
    shift
    export REGNUM_TARGETS=$(targets_of "$@")
    if ! with_progress build "$log" swift build "${checked_flags[@]}" "${flags[@]}"
    then
        failed_build "$log"
        return 1
    fi
    echo "Built the tests of $* in $SECONDS s."
    TSAN_OPTIONS="suppressions=$repository/.ci/thread-sanitizer.suppressions" \
        with_progress tests "$log" nice "$binary" --testing-library swift-testing ||
        { races_of "$log" || true; failures_of "$log"; tail -n 20 "$log"; return 1; }
    slow_tests "$log"
    tail -n 1 "$log"
    # A report in a child process doesn't fail the run by itself.
    ! races_of "$log"
}

# races_of LOG: prints the thread sanitizer's first reports.
races_of() {
    grep -a -A 60 'WARNING: ThreadSanitizer' "$1" | cut -c1-300 | sed -n 1,120p
}

# failures_of LOG: prints the failures of a run, with the failed expectations.
failures_of() {
    awk '/^✘/ { shown = 1 } /^(✔|◇)/ { shown = 0 }
        shown || /Fatal error|ThreadSanitizer|AddressSanitizer|LeakSanitizer/' "$1" | cut -c1-2000
}

# count_of LOG passed|failed: prints how many tests passed or failed.
count_of() {
    grep -aE "^\S+ Test .* $2 after" "$1" | grep -vc "Test run with" || true
}

# slow_tests LOG...: prints up to ten tests that took at least 5 seconds, slowest first.
slow_tests() {
    sed -nE 's/^. Test (.*) (passed|failed) after ([0-9.]+) seconds.*/\3 \1/p' "$@" |
        awk '$1 >= 5 && !/ run with /' | sort -rn |
        awk 'NR <= 10 { seconds = $1; $1 = ""; printf "  %7.1f s %s\n", seconds, $0 }'
}
