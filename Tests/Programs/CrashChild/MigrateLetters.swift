import FoundationEssentials
import Regnum
import Synchronization

/// Creates `count` letters, a thousand per commit.
func fillLetters(_ path: String, count: Int) async throws {
    StandardInput.exitAtEnd()
    let realm = try await Realm.open(
        .init(location: .file(URL(filePath: path)), objectTypes: [FirstLetters.Letter.self]))
    for start in stride(from: 0, to: count, by: 1_000) {
        try await realm.write(durability: .relaxed(within: .seconds(1))) { tx in
            for number in start..<min(start + 1_000, count) {
                let text = String(repeating: "\(number % 10)", count: 400)
                try tx.create(FirstLetters.Letter.self, value: ["number": number, "text": text])
            }
        }
    }
    await realm.close()
}

/// Migrates letters to the later program's classes, in parts of `partByteCount` bytes or (if `nil`)
/// in one, and prints the memory of the process in KiB before, its peak while the letters were
/// visited, and its overall peak.
func migrateLetters(_ path: String, partByteCount: Int?) async throws {
    StandardInput.exitAtEnd()
    var configuration = SecondLetters.configuration(path)
    if let partByteCount {
        configuration.resumableMigration = ResumableMigration(
            memoryByteCount: partByteCount, batchCount: 256)
    }
    let before = anonymousMemoryKiB()
    let most = Mutex(before)
    configuration.migrationProgress = { _ in
        most.withLock { $0 = max($0, anonymousMemoryKiB()) }
    }
    try await Realm.performMigration(for: configuration)
    let visiting = most.withLock { $0 }
    printLine("\(before) \(visiting) \(max(visiting, anonymousMemoryKiB()))")
}
