internal import RegnumStore

/// How a sector is torn that was being written when the power went.
package enum SimTear: Sendable, CaseIterable {
    /// The first half is new, the second old.
    case firstHalf
    /// The second half is new, the first old.
    case secondHalf
    /// Each word of 8 bytes is old or new at random.
    case words
    /// Bytes that are the same in both versions are kept, the others are random.
    case garbage
}

/// What is in the sectors of a file that grew, where the data did not reach the disk.
package enum SimFill: Sendable, CaseIterable {
    case zero
    /// Bytes of another file.
    case stale
    case random
}

/// How many images of a power cut are made, and of which kinds.
package struct SimCrashOptions: Sendable {
    /// Up to so many unsynced units (versions of sectors, directory operations): every subset.
    package var limitUnits = 8
    /// Above: so many random subsets, beside all prefixes, single omissions and singletons.
    package var samples = 64
    /// Above so many units only some, evenly spaced, serve as prefix, omission and singleton.
    package var unitCountMax = 128
    /// Up to so many combinations of subset and older control page: all of them.
    package var combinationCountMax = 512
    package var tears = SimTear.allCases
    package var fills = SimFill.allCases

    package init(limitUnits: Int = 8, samples: Int = 64) {
        precondition(limitUnits <= 20, "the subsets of that many units are too many")
        self.limitUnits = limitUnits
        self.samples = samples
    }
}

/// One disk that a crash may have left behind.
package struct SimImage: Sendable {
    /// An independent machine; everything on its disk is durable.
    package let fileSystem: SimFileSystem
    /// Position in the sequence: with the seed it finds the image again.
    package let index: Int
    /// What was kept and lost, to be printed when a test fails.
    package let summary: String
}

extension SimFileSystem {
    /// The disks that a power cut at this moment may leave behind.
    ///
    /// Of the unsynced units (each version of each dirty sector, each directory operation, each new
    /// directory) any subset may have reached the disk: all subsets up to `limitUnits`, else all
    /// prefixes, single omissions, singletons and random ones. A size may be old, new or between;
    /// sectors that a file grew by hold zeros, stale or random bytes where the data are missing;
    /// each written sector may be torn; the control page has any of its last 16 states or zeros.
    /// Synced bytes and entries are in every image. Each image is an independent file system with
    /// a new boot id, clocks that started again, no locks and no planned failures.
    ///
    /// The state is the one of this moment, also if the sequence is used later. The same state,
    /// options and seed give the same images.
    ///
    /// - Complexity: O(number of units) for the sequence; O(bytes of the changed files) an image.
    package func crashImages(
        _ options: SimCrashOptions = SimCrashOptions(), seed: UInt64 = 0
    ) -> SimCrashImages {
        SimCrashImages(state: state.withLock { $0 }, options: options, seed: seed)
    }

    /// What the death of all processes leaves behind: everything that was written, synced or not,
    /// the control page and the boot id; locks and open files are gone. What was unsynced still
    /// is: a power cut of the image can lose it.
    package func killImage() -> SimFileSystem {
        var copy = state.withLock { $0 }
        copy.clearProcesses()
        return SimFileSystem(copy)
    }
}

extension SimState {
    /// Ends everything that lives in a process, and the test's plans.
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
