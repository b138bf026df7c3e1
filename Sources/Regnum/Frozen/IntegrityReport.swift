internal import RegnumEngine
internal import RegnumStore

/// The result of checking a realm: the amounts of data read, and the damage found.
public struct IntegrityReport: Sendable, Hashable, Encodable {
    /// Damage at one place.
    public struct Damage: Sendable, Hashable, Encodable {
        /// A description of the problem, as a sentence.
        public let message: String
        /// The class of the damaged content, if it is known.
        public let className: String?
        /// The damaged property, by its Swift name, if it is known.
        public let property: String?
        /// The primary key of the damaged object, as text, or the first one in a damaged part of a
        /// file; for a class without a primary key, the `key` that the object has in an export.
        /// `nil` if it isn't known.
        public let key: String?
        /// The damaged file; `nil` if intact parts of files contradict each other.
        public let path: String?
        /// The offset in the file at which the damaged bytes begin.
        public let offset: UInt64?

        init(_ error: Realm.Error) {
            message = error.message
            className = error.className
            property = error.property
            key = error.key
            path = error.path
            offset = error.position
        }
    }

    /// The version whose content was checked; `nil` if the realm can't be opened.
    public let version: UInt64?
    /// The damage, in the order in which it was found. Objects that merely refer to damaged bytes
    /// aren't listed.
    public let damages: [Damage]
    /// Whether everything was read. If not, the check stopped at its limit, and there may be more
    /// damage.
    public let isComplete: Bool
    /// The number of log segments that were read; 0 for the report of a snapshot.
    public let segmentCount: Int
    /// The number of records in these segments.
    public let recordCount: Int
    /// The number of checkpoint directories that were read; 0 for the report of a snapshot.
    public let directoryCount: Int
    /// The number of leaves that were read: the parts of nodes files that store values, indexes and
    /// links.
    public let leafCount: Int
    /// The number of bytes that were read from the files.
    public let byteCount: UInt64
    /// The number of objects that were checked, including embedded objects, and elements and
    /// entries of collections of values.
    public let objectCount: Int
    /// The number of index entries that were compared with the objects.
    public let indexEntryCount: Int
    /// The number of collection elements that were compared with their inverses.
    public let elementCount: Int

    /// Whether there is no damage.
    public var isSound: Bool { damages.isEmpty }

    init(_ findings: IntegrityFindings) {
        version = findings.version
        damages = findings.damages.map { Damage(Realm.Error($0)) }
        isComplete = findings.isComplete
        segmentCount = findings.segmentCount
        recordCount = findings.recordCount
        directoryCount = findings.directoryCount
        leafCount = findings.leafCount
        byteCount = findings.byteCount
        objectCount = findings.rowCount
        indexEntryCount = findings.entryCount
        elementCount = findings.elementCount
    }

    /// Runs a check on one of the library's threads, which ends early if the task is cancelled.
    static func run(
        _ check:
            @escaping @Sendable (_ isCancelled: @escaping () -> Bool) throws(StoreError) ->
            IntegrityFindings
    ) async throws -> IntegrityFindings {
        let isCancelled = CancellationFlag()
        return try await withTaskCancellationHandler {
            let findings = try await blocking { () throws(StoreError) in
                try check { isCancelled.isSet }
            }
            try Task.checkCancellation()
            return findings
        } onCancel: {
            isCancelled.set()
        }
    }
}

extension IntegrityReport: CustomStringConvertible {
    /// One line for each damaged place, or a single word if no damage was found.
    public var description: String {
        if isSound { return isComplete ? "sound" : "incomplete" }
        let more = isComplete ? "" : "\n(more may follow)"
        return damages.map(\.description).joined(separator: "\n") + more
    }
}

extension IntegrityReport.Damage: CustomStringConvertible {
    /// The message and the location of the damage, in one line.
    public var description: String {
        let places: [(String, String?)] = [
            ("class", className), ("property", property), ("key", key), ("file", path),
            ("offset", offset.map { String($0) }),
        ]
        let known = places.compactMap { name, value in value.map { "\(name): \($0)" } }
        let text = known.isEmpty ? message : "\(message) (\(known.joined(separator: ", ")))"
        return text.inOneLine
    }
}

extension String {
    /// The text with an escape for each line break, which names and keys may contain.
    package var inOneLine: String {
        unicodeScalars.map { $0 == "\n" ? #"\u{A}"# : String($0) }.joined()
    }
}

extension Snapshot {
    /// Reads and checks everything in the snapshot, and reports all damage: the checksums of the
    /// nodes file, that the indexes of each class contain exactly its objects under their current
    /// values, that primary keys are unique, that links and collections refer to existing objects,
    /// that inverses agree with them, that sets and maps are in order without duplicates, and that
    /// each embedded object belongs to one other object.
    ///
    /// The check doesn't need the Swift classes, and runs on one of the library's threads.
    /// References to damaged bytes aren't checked. The log and older checkpoints aren't part of a
    /// snapshot: `regnum verify` checks these too.
    ///
    /// - Parameter limit: The number of damaged places after which the check stops, at least 1.
    /// - Throws: `.ioFailed` if a file can't be read for a reason that may be temporary;
    ///   `CancellationError`. Damage is reported, not thrown.
    /// - Complexity: O(n log n) for the whole content, which is read from disk.
    public func integrityReport(limit: Int = 1_000) async throws -> IntegrityReport {
        IntegrityReport(try await findings(limit: max(limit, 1)))
    }

    /// Checks everything in the snapshot as ``integrityReport(limit:)`` does, and throws an error
    /// for the first damage found.
    ///
    /// - Throws: `.invalidDatabase` for damage, with `className`, `property` and `key` if they are
    ///   known, and with `path` and `position` for damage to the file; `.ioFailed` if the file
    ///   can't be read; `CancellationError`.
    /// - Complexity: O(n log n) for the whole content, which is read from disk.
    public func checkIntegrity() async throws {
        if let first = try await findings(limit: 1).damages.first { throw Realm.Error(first) }
    }

    private func findings(limit: Int) async throws -> IntegrityFindings {
        try await IntegrityReport.run { [root = core.root] isCancelled throws(StoreError) in
            try root.integrity(limit: limit, isCancelled: isCancelled)
        }
    }
}
