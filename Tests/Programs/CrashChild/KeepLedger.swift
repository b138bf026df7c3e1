import Glibc
import RegnumEngine
import RegnumStore

/// Commits continuously until the signal, every third time relaxed, and prints the number of each
/// acknowledged commit. Compacts the realm and verifies everything that it wrote now and then. Any
/// problem or error ends the process with a message.
func keepLedger(
    _ path: String, _ writer: String, _ terminationSignal: TerminationSignal
) async throws {
    StandardInput.exitAtEnd()
    let ledger = Ledger(writer: writer)
    let realm = try await Ledger.open(path, makesCheckpoints: true) { event in
        switch event {
        case .opened(let report) where !report.damagedCheckpoints.isEmpty:
            end("a checkpoint referenced by the log is damaged: \(report)")
        case .writingFailed(let error), .followingFailed(let error), .checkpointFailed(let error),
            .damageFound(let error), .scrubFailed(let error):
            end("\(error)")
        case .opened, .recovered, .waiting, .followingDelayed, .scrubbed, .closed:
            break
        }
    }
    if let problem = ledger.problem(realm.published) { end(problem) }
    let commits = terminationSignal.task {
        while !Task.isCancelled {
            let turn = try await realm.beginWrite()
            let (number, commit) = try ledger.makeCommit(on: turn.base)
            let isRelaxed = number % 3 == 0
            try await realm.commit(
                turn, commit,
                durability: isRelaxed ? .relaxed(withinNanoseconds: 2_000_000) : .full)
            printLine("\(number)")
            if number % Ledger.compactionInterval == 7 { _ = try await realm.compact() }
            if number % 25 == 0, let problem = ledger.problem(realm.published) { end(problem) }
        }
    }
    do {
        try await commits.value
    } catch is CancellationError {
        // Cancelled while waiting for its turn.
    }
    await realm.close()
}

/// Verifies what writers wrote in one version after the other until the signal, and prints each
/// version. Any problem or error ends the process with a message.
func auditLedgers(
    _ path: String, _ writers: [String], _ terminationSignal: TerminationSignal
) async throws {
    StandardInput.exitAtEnd()
    let realm = try await Ledger.open(path, makesCheckpoints: false)
    let audit = terminationSignal.task {
        while !Task.isCancelled {
            try await realm.catchUp()
            let root = realm.published
            for writer in writers {
                if let problem = Ledger(writer: writer).problem(root) { end(problem) }
            }
            printLine("\(root.version)")
            try await Task.sleep(for: .milliseconds(2))
        }
    }
    do {
        try await audit.value
    } catch is CancellationError {
        // Cancelled while it slept.
    }
    await realm.close()
}

private func end(_ sentence: String) -> Never {
    printError(sentence)
    exit(1)
}
