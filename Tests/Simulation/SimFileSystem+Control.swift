package import RegnumStore
import RegnumTestSupport

// What a test sets, asks and breaks.
extension SimFileSystem {
    /// Is told the kind and the number (from 0) of every effect just before it happens, outside of
    /// the lock: the state is the one without it. The state after the last effect is the test's
    /// own to look at. A closure that holds this file system is to be set to nil in the end, or
    /// both leak.
    package var onEffect: (@Sendable (EffectKind, Int) -> Void)? {
        get { state.withLock { $0.onEffect } }
        set { state.withLock { $0.onEffect = newValue } }
    }

    /// How many effects there were.
    package var effectCount: Int { state.withLock { $0.effectCount } }

    /// How many calls of the kind there were, the failed ones included.
    package func count(_ kind: EffectKind) -> Int { state.withLock { $0.counts[kind] ?? 0 } }

    /// How many wakes reached the watchers.
    package var wakeCount: Int { state.withLock { $0.wakeCount } }

    /// Plans a failure; several may be planned, the first planned one that applies is thrown.
    package func inject(_ failure: SimFailure) { state.withLock { $0.failures.append(failure) } }

    /// Forgets all planned failures.
    package func clearFailures() { state.withLock { $0.failures = [] } }

    /// How many calls failed by plan: 0 means that a workload ended before the nth call.
    package var firedFailureCount: Int { state.withLock { $0.firedFailureCount } }

    /// The bytes that all files together may have; nil: no limit. A write beyond it writes what
    /// fits and throws `diskFull`.
    package var capacityByteCount: UInt64? {
        get { state.withLock { $0.capacityByteCount } }
        set { state.withLock { $0.capacityByteCount = newValue } }
    }

    /// The bytes of all files that have a name or are open.
    package var usedByteCount: UInt64 { state.withLock { $0.usedByteCount() } }

    /// How many files are open (`LOCK` included): a test for leaks.
    package var openHandleCount: Int {
        state.withLock { $0.inodes.values.reduce(0) { $0 + $1.handleCount } }
    }

    /// Whether every opening for writing, creation, renaming, removal and write is refused with
    /// `filePermissionDenied`, as on a disk that is mounted read-only.
    package var isReadOnly: Bool {
        get { state.withLock { $0.isReadOnly } }
        set { state.withLock { $0.isReadOnly = newValue } }
    }

    /// Sets what `bootID()` returns.
    package func setBootID(_ identity: Identity128?) { state.withLock { $0.bootID = identity } }

    /// Sets the clock that never goes back, and how far each look at it moves it on.
    package func setMonotonic(nanoseconds: UInt64, tickNanoseconds: UInt64 = 1000) {
        state.withLock { state in
            state.monotonicNanoseconds = nanoseconds
            state.tickNanoseconds = tickNanoseconds
        }
    }

    /// Lets simulated time pass, on both clocks.
    package func advanceTime(nanoseconds: UInt64) {
        state.withLock { state in
            state.monotonicNanoseconds += nanoseconds
            state.wallClockMicroseconds += Int64(nanoseconds / 1000)
        }
    }

    /// Sets the wall clock, which stands still otherwise.
    package func setWallClock(microseconds: Int64) {
        state.withLock { $0.wallClockMicroseconds = microseconds }
    }

    /// Reads show what the disk has, where a failed sync marked pages clean (`losesDirtyData`).
    package func dropCaches() { state.withLock { $0.dropCaches() } }

    /// Whether anything is not surely on disk (the control page aside).
    package var hasUnsyncedChanges: Bool {
        state.withLock { state in
            state.inodes.values.contains { !$0.dirty.isEmpty }
                || state.directories.values.contains { !$0.operations.isEmpty || !$0.isDurable }
        }
    }
}

// Damage: changes that no program makes. They are on disk at once and count as no effect.
extension SimFileSystem {
    /// The names of the files of a directory, sorted; empty if there is none.
    package func fileNames(in directory: String) -> [String] {
        let path = Self.normalized(directory)
        return state.withLock { $0.directories[path]?.entries.keys.sorted() ?? [] }
    }

    /// What a read of the whole file sees; nil if there is none.
    package func contents(of name: String, in directory: String) -> [UInt8]? {
        let path = Self.normalized(directory)
        return state.withLock { state in
            guard let inode = state.directories[path]?.entries[name] else { return nil }
            return state.inodes[inode]?.content
        }
    }

    /// What is surely on disk of the file.
    package func durableContents(of name: String, in directory: String) -> [UInt8]? {
        let path = Self.normalized(directory)
        return state.withLock { state in
            guard let inode = state.directories[path]?.durable[name] else { return nil }
            return state.inodes[inode]?.durable
        }
    }

    /// Replaces the whole file, or makes it; directory and file are made durable.
    package func setContents(_ bytes: [UInt8], of name: String, in directory: String) {
        let path = Self.normalized(directory)
        state.withLock { state in
            var target = state.directories[path] ?? SimDirectoryState(isDurable: true)
            let inode = target.entries[name] ?? state.newNumber()
            target.entries[name] = inode
            target.durable[name] = inode
            state.directories[path] = target
            var file = state.inodes[inode] ?? SimInode()
            file.content = bytes
            file.durable = bytes
            file.dirty = []
            state.inodes[inode] = file
        }
    }

    /// Changes the file where it is. Traps if there is none.
    package func damage(
        _ name: String, in directory: String, _ change: (inout [UInt8]) -> Void
    ) {
        guard var bytes = contents(of: name, in: directory) else {
            preconditionFailure("there is no file \(name) to damage")
        }
        change(&bytes)
        setContents(bytes, of: name, in: directory)
    }

    /// Flips one bit (0 is the lowest of byte 0). Traps if there is no such file or bit.
    package func flipBit(_ bit: Int, of name: String, in directory: String) {
        damage(name, in: directory) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
    }

    /// Removes the file, durably. No effect if there is none. Open files stay open.
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

    /// Puts a plain file at a path, where a realm directory may be looked for.
    package func placePlainFile(at path: String) {
        let path = Self.normalized(path)
        state.withLock { _ = $0.plainFiles.insert(path) }
    }

    /// Sets both slots of the control page of a realm; no effect without `LOCK`.
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
