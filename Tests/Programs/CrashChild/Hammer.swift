import Regnum

/// Commits back to back for the time, and at least once. Prints for each commit its version, when
/// `write` was called, when the body began, and when `write` returned, in nanoseconds of the shared
/// clock. The lines come at the end, so that printing takes no part in what is measured.
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
