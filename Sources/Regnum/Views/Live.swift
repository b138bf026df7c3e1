internal import RegnumEngine

/// A handle on the object with a primary key: `current` is its value now, `changes` its stream.
///
///     let general = realm.object(Room.self, forPrimaryKey: "general")
///     print(general.current?.topic ?? "no such room")
///     for try await change in general.changes { … }
///
/// It follows the key, not the row: when the object is deleted and another one with the same key
/// is added, the handle stands for the new one.
public struct Live<Model: Object>: Sendable {
    let realm: RealmCore
    let entry: ClassEntry
    let key: Value

    init(_ realm: RealmCore, _ entry: ClassEntry, key: Value) {
        self.realm = realm
        self.entry = entry
        self.key = key
    }

    /// The object in the newest published version, nil if there is none. After `close()` the last
    /// version answers.
    ///
    /// - Complexity: O(log n).
    public var current: Frozen<Model>? {
        let place = CallPlace(file: #fileID, line: #line)
        let table = FrozenTable(realm.snapshot(place), entry)
        return table.find(key).map { Frozen(table, row: $0) }
    }

    /// What happens to the object, from its state when the iteration starts.
    public var changes: ObjectChanges<Model> { ObjectChanges(self) }
}
