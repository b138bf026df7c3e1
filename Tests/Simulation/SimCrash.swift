internal import RegnumStore

/// A way to tear a sector that was being written when the power failed.
package enum SimTear: Sendable, CaseIterable {
    /// The first half is new, the second old.
    case firstHalf
    /// The second half is new, the first old.
    case secondHalf
    /// Each 8-byte word is old or new at random.
    case words
    /// Bytes that are equal in both versions are kept; the others are random.
    case garbage
}

/// The content of the sectors by which a file grew where the data didn't reach the disk.
package enum SimFill: Sendable, CaseIterable {
    case zero
    /// Bytes of another file.
    case stale
    case random
}

/// The number and kinds of images that are made of a power failure.
package struct SimCrashOptions: Sendable {
    /// Up to this many unsynced units (versions of sectors, directory operations), all subsets are
    /// made.
    package var limitUnits = 8
    /// The number of random subsets above `limitUnits`, in addition to all prefixes, single
    /// omissions and singletons.
    package var samples = 64
    /// Above this many units, only evenly spaced ones serve as prefix, omission and singleton.
    package var maximumUnitCount = 128
    /// Up to this many combinations of a subset and an older control page, all of them are made.
    package var maximumCombinationCount = 512
    package var tears = SimTear.allCases
    package var fills = SimFill.allCases

    package init(limitUnits: Int = 8, samples: Int = 64) {
        precondition(limitUnits <= 20, "that many units have too many subsets")
        self.limitUnits = limitUnits
        self.samples = samples
    }
}

/// A disk that a crash may leave behind.
package struct SimImage: Sendable {
    /// An independent machine; everything on its disk is durable.
    package let fileSystem: SimFileSystem
    /// The position in the sequence; together with the seed it reproduces the image.
    package let index: Int
    let seed: UInt64
    let choice: SimCrashChoice

    /// A description of what was kept and lost, to be printed when a test fails. Made on access:
    /// few of the many images need it.
    package var summary: String { "image \(index) of seed \(seed): \(choice)" }
}

extension SimFileSystem {
    /// Returns the disks that a power failure at this moment may leave behind.
    ///
    /// Any subset of the unsynced units (each version of each dirty sector, each directory
    /// operation, each new directory) may have reached the disk: all subsets up to `limitUnits`
    /// units, otherwise all prefixes, single omissions, singletons and random ones. A size may be
    /// the old one, the new one or in between; sectors by which a file grew contain zeros, stale or
    /// random bytes where data are missing; each written sector may be torn; the control page has
    /// any of its last 16 states or zeros. Synced bytes and entries are in every image. Each image
    /// is an independent file system with a new boot id, restarted clocks, no locks and no planned
    /// failures.
    ///
    /// The sequence captures the state at the time of the call, even if it is used later. The same
    /// state, options and seed give the same images.
    ///
    /// - Complexity: O(number of units) for the sequence; O(bytes of the changed files) per image.
    package func crashImages(
        _ options: SimCrashOptions = SimCrashOptions(), seed: UInt64 = 0
    ) -> SimCrashImages {
        SimCrashImages(state: state.withLock { $0 }, options: options, seed: seed)
    }

    /// Returns what the death of all processes leaves behind: everything that was written, synced
    /// or not, the control page and the boot id; locks and open files are gone. Unsynced data
    /// remain unsynced: a power failure of the image can lose them.
    package func killImage() -> SimFileSystem {
        var copy = state.withLock { $0 }
        copy.clearProcesses()
        return SimFileSystem(copy)
    }
}

extension SimState {
    /// Removes everything that belongs to processes, and the failures planned by the test.
    mutating func clearProcesses() {
        for inode in inodes.keys {
            inodes[inode]!.locks = [:]
            inodes[inode]!.handleCount = 0
        }
        for inode in Array(inodes.keys) { collect(inode) }
        failures = []
        firedFailureCount = 0
        counts = [:]
        effectCount = 0
        wakeCount = 0
        onEffect = nil
    }
}
