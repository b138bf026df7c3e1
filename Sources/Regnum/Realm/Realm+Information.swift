internal import RegnumEngine
package import RegnumStore

extension Realm {
    /// Information from the files of a realm about its versions and the processes that use it.
    package struct Information: Sendable, Encodable {
        package struct Checkpoint: Sendable, Encodable {
            package let version: UInt64
            /// The nodes file that contains it.
            package let file: String
        }

        package struct Process: Sendable, Encodable {
            package let id: UInt32
            /// The id and the name of the program.
            package let description: String
            /// The snapshots that it holds; `nil` if it doesn't say.
            package let heldSnapshots: [Snapshot]?
            /// Whether these are all of them.
            package let isComplete: Bool?

            init(
                _ id: UInt32, _ held: (found: [HeldVersions.HeldVersion], isComplete: Bool)? = nil
            ) {
                self.id = id
                description = processDescription(id)
                heldSnapshots = held?.found.map(Snapshot.init)
                isComplete = held?.isComplete
            }
        }

        /// A snapshot that a process holds.
        package struct Snapshot: Sendable, Encodable {
            package let version: UInt64
            /// The time since it was taken, in seconds.
            package let age: Double
            /// The call site at which it was taken: module, file and line.
            package let place: String

            init(_ held: HeldVersions.HeldVersion) {
                version = held.version
                age = Double(held.milliseconds) / 1_000
                place = held.place
            }
        }

        package let format: String
        /// The identifier of the realm, which its copies share: 32 hexadecimal digits.
        package let realmID: String
        package let version: UInt64
        /// The oldest version that cursors can resume from; `nil` if it isn't known.
        package let oldestVersion: UInt64?
        /// The newest checkpoints, newest first.
        package let checkpoints: [Checkpoint]
        /// The retention that is stored with the realm, or the standard one.
        package let retention: String
        /// Whether another process has the realm open.
        package let isOpenElsewhere: Bool
        /// Those that can be identified: of this user, or of all users for root.
        package let processes: [Process]
        /// Whether another process holds the writer lock.
        package let isBeingWritten: Bool
        /// The process that last acquired the writer lock, which may have exited.
        package let lastWriter: Process?
        /// The number of files that may not be encrypted with the newest key.
        package let formerKeyFileCount: Int
    }

    /// The timelines of the published versions.
    package nonisolated var timelines: Timelines { core.coordinator.timelines }

    /// Returns what the files say about the realm; `nil` for an in-memory realm.
    ///
    /// - Throws: `.closed`, `.filePermissionDenied`, `.ioFailed`.
    package nonisolated func information() async throws(Realm.Error) -> Information? {
        do throws(StoreError) {
            let coordinator = core.coordinator
            guard let found = try await coordinator.information() else { return nil }
            let retention = try await coordinator.retention().map { HistoryRetention($0) }
            let processes = await processes(found.processes, coordinator.lockIdentity)
            return Information(
                format: "\(found.format.major).\(found.format.minor)",
                realmID: found.realmID.high.hexadecimal + found.realmID.low.hexadecimal,
                version: coordinator.published.version,
                oldestVersion: found.oldestVersion,
                checkpoints: found.checkpoints.map {
                    Information.Checkpoint(version: $0.version, file: "nodes-\($0.file)")
                },
                retention: "\(retention ?? .nothing)", isOpenElsewhere: found.isOpenElsewhere,
                processes: processes,
                isBeingWritten: found.isBeingWritten,
                lastWriter: found.lastWriter.map { Information.Process($0) },
                formerKeyFileCount: found.formerKeyFileCount)
        } catch {
            throw Realm.Error(error)
        }
    }

    /// Asks the processes for the snapshots of the realm that they hold.
    private nonisolated func processes(
        _ ids: [UInt32], _ identity: FileIdentity?
    ) async -> [Information.Process] {
        guard let identity else { return ids.map { Information.Process($0) } }
        let held = await HeldVersions.snapshots(heldBy: ids, of: identity)
        return zip(ids, held).map { Information.Process($0, $1) }
    }
}
