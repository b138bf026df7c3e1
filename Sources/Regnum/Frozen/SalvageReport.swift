internal import RegnumEngine
internal import RegnumStore

/// A report of what ``Realm/salvage(_:to:)`` saved and lost.
public struct SalvageReport: Sendable, Hashable, Encodable {
    /// Consecutive commits that can't be read.
    public struct MissingCommits: Sendable, Hashable, Encodable {
        /// The version of the first one.
        public let first: UInt64
        /// The version of the last one; `nil` if it isn't known how many there were, or whether
        /// there were any.
        public let last: UInt64?
    }

    /// The objects of one class.
    public struct ClassCounts: Sendable, Hashable, Encodable {
        /// The class.
        public let className: String
        /// The number of objects in the new realm.
        public let savedCount: Int
        /// The number of objects that aren't in the new realm, because a property can't be read, or
        /// because they belonged to such an object.
        public let lostCount: Int
        /// The number of saved objects that may have been changed or deleted by missing commits, or
        /// that were inserted after a commit that isn't stored in the log, such as a migration.
        public let uncertainCount: Int
        /// The number of properties of saved objects that differ from the original.
        public let changedCount: Int
    }

    /// An object that isn't in the new realm.
    public struct LostObject: Sendable, Hashable, Encodable {
        /// The class of the object.
        public let className: String
        /// The primary key, as text; for a class without a primary key, the `key` that the object
        /// has in an export. `nil` if it can't be read.
        public let key: String?
        /// The property that can't be read; `nil` if another object has the same primary key.
        public let property: String?
    }

    /// A property of a saved object that differs from the original.
    public struct ChangedProperty: Sendable, Hashable, Encodable {
        /// The way in which a property differs.
        public enum Change: String, Sendable, Hashable, Encodable {
            /// A link to a lost object is `nil`, or lost or unreadable elements of a collection are
            /// missing. If the order of others isn't known, they are in order of creation, at the
            /// end.
            case missing
            /// A list has all its elements, but some of them may be in a different order.
            case unordered
            /// A collection is as it was before changes that can't be applied, since they depend on
            /// missing commits or unreadable elements. It may have elements that were removed, and
            /// lack others.
            case outdated
        }

        /// The class of the object.
        public let className: String
        /// The key of the object, as for ``LostObject``.
        public let key: String?
        /// The property, by its Swift name.
        public let property: String
        /// The way in which it differs.
        public let change: Change
    }

    /// The newest version of which something was read.
    public let version: UInt64
    /// The version of the newest checkpoint that was read; `nil` if there was only the log.
    public let checkpointVersion: UInt64?
    /// Whether nothing was lost.
    public let isComplete: Bool
    /// The commits that can't be read, in order. Objects that were inserted after them are
    /// complete. Other objects have the last values and elements that are known, which may never
    /// have existed in this combination: see ``ClassCounts/uncertainCount``. If one of the commits
    /// was a migration, the new realm has the classes and the schema version from before it, and
    /// opening it migrates all objects, including those that were inserted since.
    public let missingCommits: [MissingCommits]
    /// All classes.
    public let classes: [ClassCounts]
    /// The lost objects, except embedded objects, which belong to others: at most 100,000.
    public let lostObjects: [LostObject]
    /// The properties of saved objects that differ from the original: at most 100,000.
    public let changedProperties: [ChangedProperty]
    /// The damage found in the log, and in the checkpoints that were used.
    public let damages: [IntegrityReport.Damage]

    init(_ findings: SalvageFindings) {
        version = findings.version
        checkpointVersion = findings.checkpointVersion
        missingCommits = findings.gaps.map { MissingCommits(first: $0.first, last: $0.last) }
        classes = findings.classes.filter { $0.kind != .elements && !$0.isDropped }.map {
            ClassCounts(
                className: $0.name, savedCount: $0.savedCount, lostCount: $0.lostCount,
                uncertainCount: $0.uncertainCount, changedCount: $0.cutCount)
        }
        lostObjects = findings.lost.map {
            LostObject(
                className: $0.className, key: $0.key,
                property: $0.property.map { [className = $0.className] in
                    Self.declared($0, className)
                })
        }
        changedProperties = findings.cuts.map {
            ChangedProperty(
                className: $0.className, key: $0.key,
                property: Self.declared($0.property, $0.className), change: .init($0.reason))
        }
        damages = findings.damages.map { IntegrityReport.Damage(Realm.Error($0)) }
        isComplete = findings.isComplete
    }

    private static func declared(_ property: String, _ className: String) -> String {
        ClassCatalog.shared.propertyName(className, property) ?? property
    }
}

extension SalvageReport.ChangedProperty.Change {
    fileprivate init(_ reason: SalvageFindings.Cut.Reason) {
        self =
            switch reason {
            case .missing: .missing
            case .unordered: .unordered
            case .outdated: .outdated
            }
    }
}

extension SalvageReport: CustomStringConvertible {
    /// The report as lines of text.
    public var description: String {
        var lines = damages.map { "damage: \($0)" }
        lines += missingCommits.map { "missing: \($0)" }
        lines += lostObjects.map { "lost: \($0)" }
        lines += changedProperties.map { "changed: \($0)" }
        lines += classes.map(\.description)
        let losses = isComplete ? "nothing was lost" : losses.joined(separator: ", ")
        lines.append("version \(version); \(losses)")
        return lines.joined(separator: "\n")
    }

    /// The missing commits, and the numbers of objects and properties that aren't as they were.
    private var losses: [String] {
        let objects: [(count: Int, what: String)] = [
            (classes.reduce(0) { $0 + $1.lostCount }, "lost"),
            (classes.reduce(0) { $0 + $1.uncertainCount }, "uncertain"),
        ]
        let changedCount = classes.reduce(0) { $0 + $1.changedCount }
        var texts = missingTexts
        for (count, what) in objects where count > 0 {
            texts.append("\(count.of("object")) \(what)")
        }
        if changedCount > 0 {
            texts.append("\(changedCount.of("property", "properties")) changed")
        }
        return texts
    }

    /// The number of missing commits with their versions, of which at most the first runs are
    /// named; and from which version on there may have been more.
    private var missingTexts: [String] {
        var texts: [String] = []
        let known = missingCommits.filter { $0.last != nil }
        if !known.isEmpty {
            let count: UInt64 = known.reduce(0) { $0 + $1.count }
            var runs = known.prefix(Self.maximumRunCount).map(\.versions)
            if known.count > runs.count { runs.append("…") }
            let noun = count == 1 ? "version" : "versions"
            texts.append(
                "\(count.of("commit")) missing (\(noun) \(runs.joined(separator: ", ")))")
        }
        if let open = missingCommits.last, open.last == nil {
            texts.append("\(open) missing")
        }
        return texts
    }

    private static let maximumRunCount = 8
}

extension SalvageReport.MissingCommits: CustomStringConvertible {
    /// The versions of the commits.
    public var description: String {
        guard let last else { return "perhaps commits from version \(first) on" }
        return "the \(first == last ? "commit of version" : "commits of versions") \(versions)"
    }

    /// The versions, if it is known which is the last.
    fileprivate var versions: String {
        last.map { $0 == first ? "\(first)" : "\(first) to \($0)" } ?? ""
    }

    fileprivate var count: UInt64 { last.map { $0 - first + 1 } ?? 0 }
}

extension SalvageReport.ClassCounts: CustomStringConvertible {
    /// The counts, on one line.
    public var description: String {
        var text = "\(className): \(savedCount) saved, \(lostCount) lost"
        if changedCount > 0 { text += ", \(changedCount.of("property", "properties")) changed" }
        if uncertainCount > 0 { text += ", \(uncertainCount) uncertain" }
        return text.inOneLine
    }
}

extension SalvageReport.LostObject: CustomStringConvertible {
    /// The object, and the property that can't be read, on one line.
    public var description: String {
        let reason = property.map { "\($0) can't be read" } ?? "its key exists twice"
        return "\(className) \(key ?? "with an unknown key") (\(reason))".inOneLine
    }
}

extension SalvageReport.ChangedProperty: CustomStringConvertible {
    /// The object, the property, and the way in which it differs, on one line.
    public var description: String {
        let what =
            switch change {
            case .missing: "lost objects or elements are missing"
            case .unordered: "the order may differ"
            case .outdated: "later changes are missing"
            }
        return "\(className) \(key ?? "with an unknown key"), \(property): \(what)".inOneLine
    }
}
