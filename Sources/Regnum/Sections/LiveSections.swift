internal import RegnumEngine

/// A live handle to the results of a query, divided into sections by key: `current` is their
/// current value, and `changes` is a stream of their changes.
///
///     let rooms = realm.objects(Message.self).sectioned(by: \.room)
///     print(rooms.current.allKeys)
///     for try await change in rooms.changes { … }
///
/// The handle is cheap and holds no data.
public struct LiveSections<Key: SectionKey, Model: ObjectBase>: Sendable {
    /// The sorted objects.
    public let results: LiveResults<Model>
    let source: FrozenSectionSource<Key, Model>

    /// The sections in the newest published version. After `close()`, those in the last version.
    ///
    /// Accessing it inside the body of a write to this realm fails the transaction with
    /// `.invalidInput`; use `tx.objects` there.
    ///
    /// - Complexity: O(1). The sections are determined when they are first used.
    public var current: FrozenSections<Key, Model> { FrozenSections(results.current, source) }

    /// The current keys. Determines the sections on each access; use ``current`` to read several
    /// properties of one version.
    public var allKeys: [Key] { current.allKeys }

    /// The current number of sections. Determines the sections on each access; use ``current`` to
    /// read several properties of one version.
    public var count: Int { current.count }

    /// Returns a live handle to the objects with a key, whether or not there are any.
    public func section(forKey key: Key) -> LiveSection<Key, Model> {
        LiveSection(sections: self, key: key)
    }
}

/// A live handle to the objects with one key.
///
///     let general = realm.objects(Message.self).sectioned(by: \.room).section(forKey: "general")
///     for try await change in general.changes { … }
public struct LiveSection<Key: SectionKey, Model: ObjectBase>: Sendable {
    let sections: LiveSections<Key, Model>
    /// The key of the objects.
    public let key: Key

    /// The section in the newest published version, or `nil` if no object has the key. Otherwise
    /// behaves like ``LiveSections/current``.
    public var current: FrozenSection<Key, Model>? { sections.current.section(forKey: key) }
}

extension LiveSection: Identifiable {
    /// The key.
    public var id: Key { key }
}
