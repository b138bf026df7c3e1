/// A change set without objects and values, for clients that read these elsewhere, or that only
/// move and remove rows.
///
///     let text = try JSONEncoder().encode(delta.compact)
///     // {"deletions":[2],"insertions":[0],"modifications":[],"newModifications":[],
///     //  "version":7,"cursor":"…-7","origins":["importer"]}
///
/// `Place` is the position in a collection, or the key in a map.
public struct CompactChanges<Place: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    /// The positions or keys of the removed elements in the old collection, in ascending order.
    public let deletions: [Place]
    /// The positions or keys of the inserted elements in the new collection, in ascending order.
    public let insertions: [Place]
    /// The positions or keys of the modified elements in the old collection, in ascending order.
    public let modifications: [Place]
    /// The positions of the modified elements in the new collection, parallel to ``modifications``.
    /// `nil` for maps, whose keys stay the same.
    public let newModifications: [Place]?
    /// The version of the new collection.
    public let version: UInt64
    /// The cursor for resuming after these changes; its text can be a `Last-Event-ID`.
    public let cursor: ChangeCursor
    /// The labels of the merged commits. See ``ChangeSet/origins``.
    public let origins: [String]
}

extension ChangeSet {
    /// The changes without the objects.
    public var compact: CompactChanges<Int> {
        CompactChanges(
            deletions: deletions, insertions: insertions, modifications: modifications,
            newModifications: newModifications, version: version, cursor: cursor, origins: origins)
    }
}

extension ValueChangeSet {
    /// The changes without the values.
    public var compact: CompactChanges<Int> {
        CompactChanges(
            deletions: deletions, insertions: insertions, modifications: modifications,
            newModifications: newModifications, version: version, cursor: cursor, origins: origins)
    }
}

extension MapChangeSet {
    /// The changes without the values, with the keys as strings.
    public var compact: CompactChanges<String> {
        CompactChanges(
            deletions: deletions.map(\._text), insertions: insertions.map(\._text),
            modifications: modifications.map(\._text), newModifications: nil, version: version,
            cursor: cursor, origins: origins)
    }
}
