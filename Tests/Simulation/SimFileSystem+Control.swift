package import RegnumStore
import RegnumTestSupport

// What a test configures, queries and breaks.
extension SimFileSystem {
    /// Called with the kind and the number (from 0) of every effect just before it happens, outside
    /// of the lock, so that the state doesn't include the effect yet. After the last effect the
    /// test has to look at the state itself. A closure that captures this file system must be set
    /// to `nil` in the end, or both leak.
    package var onEffect: (@Sendable (EffectKind, Int) -> Void)? {
        get { state.withLock { $0.onEffect } }
        set { state.withLock { $0.onEffect = newValue } }
    }

    /// The number of effects so far.
    package var effectCount: Int { state.withLock { $0.effectCount } }

    /// Returns the number of calls of the kind so far, including failed ones.
    package func count(_ kind: EffectKind) -> Int { state.withLock { $0.counts[kind] ?? 0 } }

    /// The number of wakes that reached the watchers.
    package var wakeCount: Int { state.withLock { $0.wakeCount } }

    /// Plans a failure. Of several planned failures the first one that applies is thrown.
    package func inject(_ failure: SimFailure) { state.withLock { $0.failures.append(failure) } }

    /// Removes all planned failures.
    package func clearFailures() { state.withLock { $0.failures = [] } }

    /// The number of calls that failed as planned; 0 means that a workload ended before the nth
    /// call.
    package var firedFailureCount: Int { state.withLock { $0.firedFailureCount } }

    /// The maximum number of bytes of all files together; `nil` means no limit. A write beyond it
    /// writes what fits and throws `diskFull`.
    package var capacityByteCount: UInt64? {
        get { state.withLock { $0.capacityByteCount } }
        set { state.withLock { $0.capacityByteCount = newValue } }
    }

    /// The number of bytes of all files that have a name or are open.
    package var usedByteCount: UInt64 { state.withLock { $0.usedByteCount() } }

    /// The number of open files (including `LOCK`), to test for leaks.
    package var openHandleCount: Int {
        state.withLock { $0.inodes.values.reduce(0) { $0 + $1.handleCount } }
    }

    /// Whether every open for writing, creation, renaming, removal and write is refused with
    /// `filePermissionDenied`, as on a disk mounted read-only.
    package var isReadOnly: Bool {
        get { state.withLock { $0.isReadOnly } }
        set { state.withLock { $0.isReadOnly = newValue } }
    }

    /// Sets what `bootID()` returns.
    package func setBootID(_ identity: Identity128?) { state.withLock { $0.bootID = identity } }

    /// Sets the monotonic clock, and how far each reading advances it.
    package func setMonotonic(nanoseconds: UInt64, tickNanoseconds: UInt64 = 1000) {
        state.withLock { state in
            state.monotonicNanoseconds = nanoseconds
            state.tickNanoseconds = tickNanoseconds
        }
    }

    /// Advances both clocks.
    package func advanceTime(nanoseconds: UInt64) {
        state.withLock { state in
            state.monotonicNanoseconds += nanoseconds
            state.wallClockMicroseconds += Int64(nanoseconds / 1000)
        }
    }

    /// Sets the wall clock, which doesn't advance otherwise.
    package func setWallClock(microseconds: Int64) {
        state.withLock { $0.wallClockMicroseconds = microseconds }
    }

    /// Makes reads return what is on disk where a failed sync marked pages clean
    /// (`losesDirtyData`).
    package func dropCaches() { state.withLock { $0.dropCaches() } }

    /// Whether anything isn't guaranteed to be on disk (except for the control page).
    package var hasUnsyncedChanges: Bool {
        state.withLock { state in
            state.inodes.values.contains { !$0.dirty.isEmpty }
                || state.directories.values.contains { !$0.operations.isEmpty || !$0.isDurable }
        }
    }
}

// Damage: changes that no program makes. They are on disk at once and don't count as effects.
extension SimFileSystem {
    /// Returns the sorted names of the files of a directory; empty if it doesn't exist.
    package func fileNames(in directory: String) -> [String] {
        let path = Self.normalized(directory)
        return state.withLock { $0.directories[path]?.entries.keys.sorted() ?? [] }
    }

    /// Returns the content of a file as reads see it; `nil` if it doesn't exist.
    package func contents(of name: String, in directory: String) -> [UInt8]? {
        let path = Self.normalized(directory)
        return state.withLock { state in
            guard let inode = state.directories[path]?.entries[name] else { return nil }
            return state.inodes[inode]?.content
        }
    }

    /// Returns the content of a file that is guaranteed to be on disk.
    package func durableContents(of name: String, in directory: String) -> [UInt8]? {
        let path = Self.normalized(directory)
        return state.withLock { state in
            guard let inode = state.directories[path]?.durable[name] else { return nil }
            return state.inodes[inode]?.durable
        }
    }

    /// Replaces a whole file or creates it, and makes file and directory durable.
    package func setContents(_ bytes: [UInt8], of name: String, in directory: String) {
        let path = Self.normalized(directory)
        state.withLock { state in
            var target = state.directories[path] ?? SimDirectoryState(isDurable: true)
            let inode = target.entries[name] ?? state.newNumber()
            target.entries[name] = inode
            target.durable[name] = inode
            state.directories[path] = target
            var file = state.inodes[inode] ?? SimInode()
            file.take(0..<file.content.count)
            file.content = bytes
            file.durable = bytes
            file.dirty = []
            state.inodes[inode] = file
        }
    }

    /// Changes a file in place. Traps if it doesn't exist.
    package func damage(
        _ name: String, in directory: String, _ change: (inout [UInt8]) -> Void
    ) {
        guard var bytes = contents(of: name, in: directory) else {
            preconditionFailure("there is no file \(name) to damage")
        }
        change(&bytes)
        setContents(bytes, of: name, in: directory)
    }

    /// Flips one bit (0 is the lowest bit of byte 0). Traps if the file or the bit doesn't exist.
    package func flipBit(_ bit: Int, of name: String, in directory: String) {
        damage(name, in: directory) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
    }

    /// Removes a file durably. No effect if it doesn't exist. Open files stay open.
    package func removeFile(_ name: String, in directory: String) {
        let path = Self.normalized(directory)
        state.withLock { state in
            let inodes = [
                state.directories[path]?.entries.removeValue(forKey: name),
                state.directories[path]?.durable.removeValue(forKey: name),
            ]
            for inode in inodes.compactMap({ $0 }) {
                state.directories[path]?.operations.removeAll { $0.inode == inode }
                state.collect(inode)
            }
        }
    }

    /// Creates a plain file at a path where a realm directory may be expected.
    package func placePlainFile(at path: String) {
        let path = Self.normalized(path)
        state.withLock { _ = $0.plainFiles.insert(path) }
    }

    /// Sets both slots of the control page of a realm. No effect without `LOCK`.
    package func setControlSlots(
        _ first: ControlWords, _ second: ControlWords, in directory: String
    ) {
        let path = Self.normalized(directory)
        state.withLock { state in
            guard let inode = state.directories[path]?.entries["LOCK"] else { return }
            state.inodes[inode]?.control.slots = [first, second]
        }
    }
}
