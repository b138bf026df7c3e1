internal import RegnumStore

/// The open realms of this process. One coordinator serves all users of a realm, however its path
/// is spelled.
final class CoordinatorRegistry: Sendable {
    static let shared = CoordinatorRegistry()

    private struct WeakCoordinator {
        weak var coordinator: Coordinator?

        /// The coordinator, unless it was released, closed or ended.
        var open: Coordinator? {
            guard let coordinator, !coordinator.isClosed, !coordinator.hasEnded else { return nil }
            return coordinator
        }
    }

    /// A file system (tests have several) and a path, an in-memory name, or a file's identity.
    private enum Key: Hashable {
        case path(ObjectIdentifier, String)
        case memory(String)
        case file(ObjectIdentifier, FileIdentity)
    }

    /// The key of an open in progress, which is shared by all callers with an equal key.
    struct Opening: Hashable {
        private let fileSystem: ObjectIdentifier
        private let path: String
        private let isReadOnly: Bool
        private let seedPath: String?
        private let key: EncryptionKey?

        init(_ path: String, _ options: CoordinatorOptions) {
            fileSystem = ObjectIdentifier(options.fileSystem)
            self.path = path
            isReadOnly = options.isReadOnly
            seedPath = options.seedPath
            key = options.store.key
        }
    }

    /// Receives `nil` if its task was cancelled.
    typealias Opener = UnsafeContinuation<Result<Coordinator, StoreError>?, Never>

    private let coordinators = Guarded<[Key: WeakCoordinator]>([:])
    private let openings = Guarded<[Opening: [UInt64: Opener]]>([:])

    /// Adds a caller that waits for an open. Returns true if none is in progress: the caller must
    /// perform it.
    func join(_ opening: Opening, _ id: UInt64, _ opener: Opener) -> Bool {
        openings.withLock { openings in
            let isFirst = openings[opening] == nil
            openings[opening, default: [:]][id] = opener
            return isFirst
        }
    }

    /// Ends the wait of a cancelled caller. Does nothing if it isn't waiting.
    func cancelWait(_ opening: Opening, _ id: UInt64) {
        let opener = openings.withLock { $0[opening]?.removeValue(forKey: id) }
        opener?.resume(returning: nil)
    }

    /// Returns whether any caller is still waiting for an open. If not, the open is forgotten: the
    /// next caller performs another one, and this one must not be ended.
    func isWanted(_ opening: Opening) -> Bool {
        openings.withLock { openings in
            guard openings[opening]?.isEmpty == true else { return true }
            openings[opening] = nil
            return false
        }
    }

    /// Ends an open and returns the waiting callers.
    func end(_ opening: Opening) -> [Opener] {
        openings.withLock { Array(($0.removeValue(forKey: opening) ?? [:]).values) }
    }

    /// Returns the number of callers waiting for an open.
    func openerCount(_ opening: Opening) -> Int { openings.withLock { $0[opening]?.count ?? 0 } }

    /// Returns the coordinator opened at the path, if its realm is still there.
    func find(_ path: String, _ fileSystem: any FileSystem) -> Coordinator? {
        let open = coordinators.withLock { $0[.path(ObjectIdentifier(fileSystem), path)]?.open }
        guard let open, open.isAt(path) else { return nil }
        return open
    }

    /// Passes through the lock. This orders a coordinator that was created on another thread and
    /// handed over by a continuation for the thread sanitizer too (Docs/Decisions/002-locks.md).
    func synchronize() { coordinators.withLock { _ in } }

    func find(memory identifier: String) -> Coordinator? {
        coordinators.withLock { $0[.memory(identifier)]?.open }
    }

    /// Returns whether a realm is open at a path or owns one of these files.
    func isOpen(_ path: String, _ fileSystem: any FileSystem, _ identities: [FileIdentity]) -> Bool
    {
        find(path, fileSystem) != nil || !inPlace(fileSystem, identities).isEmpty
    }

    /// Returns the coordinators registered for one of the files whose realms are still where they
    /// were opened. The others end here.
    private func inPlace(_ fileSystem: any FileSystem, _ identities: [FileIdentity])
        -> [Coordinator]
    {
        let system = ObjectIdentifier(fileSystem)
        let known = coordinators.withLock { coordinators in
            identities.compactMap { coordinators[.file(system, $0)]?.open }
        }
        return known.filter { $0.isInPlace() }
    }

    func memory(_ identifier: String, _ make: () -> Coordinator) -> Coordinator {
        coordinators.withLock { coordinators in
            if let open = coordinators[.memory(identifier)]?.open { return open }
            let made = make()
            coordinators[.memory(identifier)] = WeakCoordinator(coordinator: made)
            return made
        }
    }

    /// Returns the coordinator registered for one of the files, or registers the result of `make`.
    func register(
        _ path: String, _ fileSystem: any FileSystem, _ identities: [FileIdentity],
        _ make: () -> Coordinator
    ) -> Coordinator {
        let system = ObjectIdentifier(fileSystem)
        let keys = identities.map { Key.file(system, $0) }
        _ = inPlace(fileSystem, identities)
        return coordinators.withLock { coordinators in
            coordinators = coordinators.filter { $0.value.coordinator != nil }
            let coordinator = keys.compactMap { coordinators[$0]?.open }.first ?? make()
            let entry = WeakCoordinator(coordinator: coordinator)
            for key in keys { coordinators[key] = entry }
            coordinators[.path(system, path)] = entry
            return coordinator
        }
    }

    func remove(_ coordinator: Coordinator) {
        coordinators.withLock { coordinators in
            coordinators = coordinators.filter { entry in
                entry.value.coordinator != nil && entry.value.coordinator !== coordinator
            }
        }
    }
}
