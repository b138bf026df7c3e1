/// The `LOCK` of a realm that is opened read-only. It may be missing, for example on read-only
/// media; a writer that opens the realm later creates it. One that the disk can't read counts as
/// missing: processes that have it open keep it in memory, where it can be read.
///
/// It takes only shared locks, which show other processes that there is a reader, and never writes.
final class ReadOnlyLock: LockFile {
    private let state: Guarded<State>
    private let directoryIdentity: FileIdentity

    private struct State: Sendable {
        var file: (any LockFile)?
        var isShown = false
    }

    init(_ directory: any RealmDirectory) throws(StoreError) {
        directoryIdentity = directory.identity
        let file: (any LockFile)?
        do throws(StoreError) {
            file = try ifFound(directory.openLock())
        } catch {
            guard error.isMediaFailure else { throw error }
            file = nil
        }
        state = Guarded(State(file: file))
    }

    /// Whether `show` has something left to do: no `LOCK` was found so far, or another process is
    /// opening the realm alone or removing it.
    var isHidden: Bool { state.withLock { $0.file == nil || !$0.isShown } }

    /// Shows other processes that there is a reader, if possible now. Opens `LOCK` if it has been
    /// created since.
    func show(in directory: any RealmDirectory) {
        guard isHidden else { return }
        if current == nil, let found = try? directory.openLock() {
            _ = try? found.tryLock(.watchers, .shared)  // otherwise it is polled, as without it
            state.withLock { $0.file = found }
        }
        guard let current else { return }
        let isShown = (try? current.tryLock(.session, .shared)) != false
        state.withLock { $0.isShown = isShown }
    }

    private var current: (any LockFile)? { state.withLock { $0.file } }

    /// The identity of the directory if there is no `LOCK`.
    var identity: FileIdentity { current?.identity ?? directoryIdentity }

    func isCurrent() throws(StoreError) -> Bool { try current?.isCurrent() ?? true }

    /// False if there is no `LOCK`.
    func tryLock(_ byte: LockByte, _ kind: LockKind) throws(StoreError) -> Bool {
        precondition(kind == .shared, "a reader takes only shared locks")
        return try current?.tryLock(byte, kind) ?? false
    }

    func unlock(_ byte: LockByte) { current?.unlock(byte) }

    func isLockedElsewhere(_ byte: LockByte) -> Bool { current?.isLockedElsewhere(byte) ?? false }

    func loadControlSlot(_ index: Int) -> ControlWords {
        current?.loadControlSlot(index) ?? ControlWords(repeating: 0)
    }

    func load(_ word: LockWord) -> UInt32 { current?.load(word) ?? 0 }

    func waitForRelease(observed: UInt32, timeoutNanoseconds: UInt64) {
        current?.waitForRelease(observed: observed, timeoutNanoseconds: timeoutNanoseconds)
    }

    // Modifying methods, which are never called.
    func storeControlSlot(_ index: Int, _ words: ControlWords) { refuse() }
    func sync() { refuse() }
    func wake() { refuse() }
    func countGrant() { refuse() }
    func countFailedSync() { refuse() }
    func signalRelease() { refuse() }

    private func refuse() -> Never {
        preconditionFailure("write to a LOCK that was opened for reading")
    }
}
