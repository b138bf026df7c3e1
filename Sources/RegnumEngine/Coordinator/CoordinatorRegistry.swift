internal import RegnumStore

/// The open realms of this process. One coordinator serves all users of a realm, however they spell
/// its path.
final class CoordinatorRegistry: Sendable {
    static let shared = CoordinatorRegistry()

    private struct WeakCoordinator {
        weak var coordinator: Coordinator?

        /// The coordinator, unless it is gone, closed or ended.
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

    /// What one opening does for all who ask for it while it goes on.
    struct Opening: Hashable {
        private let fileSystem: ObjectIdentifier
        private let path: String
        private let isReadOnly: Bool
        private let seedPath: String?

        init(_ path: String, _ options: CoordinatorOptions) {
            fileSystem = ObjectIdentifier(options.fileSystem)
            self.path = path
            isReadOnly = options.isReadOnly
            seedPath = options.seedPath
        }
    }

    typealias Opener = UnsafeContinuation<Result<Coordinator, StoreError>, Never>

    private let coordinators = Guarded<[Key: WeakCoordinator]>([:])
    private let openings = Guarded<[Opening: [Opener]]>([:])

    /// Adds one who waits for an opening; true if it is the first, who has to do it.
    func join(_ opening: Opening, _ opener: Opener) -> Bool {
        openings.withLock { openings in
            openings[opening, default: []].append(opener)
            return openings[opening]?.count == 1
        }
    }

    /// Ends an opening: those who have waited for it.
    func end(_ opening: Opening) -> [Opener] {
        openings.withLock { $0.removeValue(forKey: opening) ?? [] }
    }

    /// How many wait for an opening.
    func openerCount(_ opening: Opening) -> Int { openings.withLock { $0[opening]?.count ?? 0 } }

    /// The coordinator that was opened at the path, as long as its realm is there.
    func find(_ path: String, _ fileSystem: any FileSystem) -> Coordinator? {
        let open = coordinators.withLock { $0[.path(ObjectIdentifier(fileSystem), path)]?.open }
        guard let open, open.isAt(path) else { return nil }
        return open
    }

    /// Passes the lock: a coordinator that was made on another thread and handed over by a
    /// continuation is then ordered for the thread sanitizer too (Docs/Decisions/002-locks.md).
    func synchronize() { coordinators.withLock { _ in } }

    func find(memory identifier: String) -> Coordinator? {
        coordinators.withLock { $0[.memory(identifier)]?.open }
    }

    /// Whether a realm is open at a path, or one of these files is part of it.
    func isOpen(_ path: String, _ fileSystem: any FileSystem, _ identities: [FileIdentity]) -> Bool
    {
        find(path, fileSystem) != nil || !inPlace(fileSystem, identities).isEmpty
    }

    /// The coordinators that are registered for one of the files, and whose realms are where they
    /// were opened. Those that are not end here.
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

    /// The coordinator that is registered for one of the files; else the one that `make` makes.
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
