import Regnum

/// Commits back to back for the duration, at least once. For each commit it prints the version, and
/// when `write` was called, the body began and `write` returned, in nanoseconds of the shared
/// clock. The lines are printed at the end, so that printing doesn't affect the measurement.
func hammer(_ path: String, _ duration: Duration, isRelaxed: Bool) async throws {
    let realm = try await Realm.child(path)
    printLine("ready")
    guard StandardInput.readLine() != nil else { return }
    StandardInput.exitAtEnd()
    let start = ContinuousClock.now
    let durability: Realm.Durability = isRelaxed ? .relaxed(within: .seconds(1)) : .full
    var commits: [(version: UInt64, called: UInt64, began: UInt64, returned: UInt64)] = []
    repeat {
        let called = monotonicNanoseconds()
        let (version, began) = try await realm.write(durability: durability) { tx in
            let began = monotonicNanoseconds()
            _ = try tx.post(room: "hammer", author: "hammer", text: "hammer")
            return (tx.version, began)
        }
        commits.append((version, called, began, monotonicNanoseconds()))
    } while start.duration(to: .now) < duration
    await realm.close()
    printLines(commits.map { "\($0.version) \($0.called) \($0.began) \($0.returned)" })
}
