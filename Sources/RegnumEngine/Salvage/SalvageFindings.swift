package import RegnumStore

/// The objects that a salvage saved and lost.
package struct SalvageFindings: Sendable {
    /// Consecutive versions whose commits can't be read.
    package struct Gap: Sendable, Hashable {
        package let first: UInt64
        /// `nil` if it isn't known how many commits there were.
        package let last: UInt64?
    }

    /// The counts of one class. Elements of collections of values aren't counted as lost: their
    /// owners are.
    package struct ClassCounts: Sendable, Hashable {
        package var name: String
        package var kind: TableKind
        /// Whether a migration dropped the class.
        package var isDropped: Bool
        package var savedCount = 0
        package var lostCount = 0
        /// The saved rows that may have been changed or deleted by commits that can't be read, or
        /// were inserted after one that may have been a migration.
        package var uncertainCount = 0
        package var cutCount = 0
    }

    /// An object that isn't in the new realm, and that no other object owned.
    package struct Lost: Sendable, Hashable {
        package let className: String
        /// The primary key as text, or the number of the row in a class without one; `nil` if it
        /// can't be read.
        package let key: String?
        /// The property that can't be read; `nil` if another object has the same primary key.
        package let property: String?
    }

    /// A property that isn't what it was in a row of the new realm.
    package struct Cut: Sendable, Hashable {
        package enum Reason: String, Sendable {
            /// A link became null, or a collection has fewer elements.
            case missing
            /// A list has its elements, but perhaps in another order.
            case unordered
            /// A collection lacks changes, because positions in it aren't known: commits, or a part
            /// of it, can't be read.
            case outdated
        }

        package let className: String
        package let key: String?
        package let property: String
        package let reason: Reason
    }

    /// The newest version of which something was read.
    package internal(set) var version: UInt64 = 0
    /// The version of the newest checkpoint that was read; `nil` if there is none.
    package internal(set) var checkpointVersion: UInt64?
    /// The commits that can't be read, ascending.
    package internal(set) var gaps: [Gap] = []
    /// The damage of the files, with paths and offsets.
    package internal(set) var damages: [StoreError] = []
    package internal(set) var classes: [ClassCounts] = []
    package internal(set) var lost: [Lost] = []
    package internal(set) var cuts: [Cut] = []

    /// The maximum number of rows and properties to list.
    static let maximumListedCount = 100_000

    /// Whether nothing was lost.
    package var isComplete: Bool {
        gaps.isEmpty && classes.allSatisfy { $0.lostCount == 0 && $0.cutCount == 0 }
    }

    mutating func addLost(_ table: TableSchema, _ key: String?, _ property: String?) {
        if table.kind == .elements { return }  // their owners are
        classes[table.key.index].lostCount += 1
        guard !table.kind.isOwned, lost.count < Self.maximumListedCount else { return }
        lost.append(Lost(className: table.name, key: key, property: property))
    }

    mutating func addCut(
        _ table: TableSchema, _ key: String?, _ property: String, _ reason: Cut.Reason
    ) {
        classes[table.key.index].cutCount += 1
        guard cuts.count < Self.maximumListedCount else { return }
        cuts.append(Cut(className: table.name, key: key, property: property, reason: reason))
    }
}
