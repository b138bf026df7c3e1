/// A live handle to one property of the objects in a collection: `current` has its current values,
/// and `changes` is a stream of their changes.
///
///     let names = realm.object(Person.self, forPrimaryKey: 7).friends.projectTo.firstName
///     for try await change in names.changes { … }
///
/// The handle is cheap and holds no data.
public struct LiveProjectedCollection<Model: ObjectBase, Value: Sendable>: Sendable {
    /// The objects whose property is projected.
    public let objects: LiveResults<Model>
    let member: ProjectedMember<Model, Value>

    /// The values in the newest published version; see ``LiveResults/current``.
    public var current: FrozenProjectedCollection<Model, Value> {
        FrozenProjectedCollection(objects: objects.current, member: member)
    }

    /// The changes of the values, starting with their state when the iteration begins.
    public var changes: Changes<ProjectedChange<Model, Value>> { changes() }

    /// Returns the changes of the values. Positions refer to the objects. An object counts as
    /// modified only if the property, or one from which it is computed, changed.
    ///
    /// - Parameters:
    ///   - policy: The handling of commits that arrive while the consumer is busy.
    ///   - cursor: The position to resume from; `nil` starts with the current values.
    ///   - origins: The labels of the commits to skip; see
    ///     ``LiveResults/changes(depth:policy:since:excludingOrigins:)``.
    /// - Precondition: The property is stored, or computed from stored ones.
    public func changes(
        policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) -> Changes<ProjectedChange<Model, Value>> {
        let changes = objects.changes(projecting: member.keyPath, policy, cursor, origins)
        return Changes(request: changes.request) {
            [conversion = changes.conversion, member] element
                throws(Realm.Error) in
            switch try conversion(element).0 {
            case .initial(let objects):
                (.initial(FrozenProjectedCollection(objects: objects, member: member)), nil)
            case .update(let objects, let delta):
                (
                    .update(
                        FrozenProjectedCollection(objects: objects, member: member),
                        ProjectedChangeSet(objects: delta, member: member)), nil
                )
            }
        }
    }
}

/// The property of a projected collection.
struct ProjectedMember<Model: ObjectBase, Value: Sendable>: Sendable {
    /// Guard: made by dynamic member lookup, so it is immutable and has no captured values.
    nonisolated(unsafe) let keyPath: KeyPath<Model, Value>

    func value(_ object: Frozen<Model>) -> Value { object[dynamicMember: keyPath] }
}

extension LiveResults {
    /// A mapping to a property of the objects: `live.friends.projectTo.firstName`.
    public var projectTo: LiveMapping<Model> { LiveMapping(objects: self) }
}

/// The result of `projectTo`, whose members are the properties of the objects.
@dynamicMemberLookup
public struct LiveMapping<Model: ObjectBase>: Sendable {
    let objects: LiveResults<Model>

    /// A live handle to one property of each object.
    public subscript<Value: Sendable>(
        dynamicMember keyPath: KeyPath<Model, Value>
    ) -> LiveProjectedCollection<Model, Value> {
        LiveProjectedCollection(objects: objects, member: ProjectedMember(keyPath: keyPath))
    }
}

/// One property of the objects in a collection, as they were in one snapshot.
public struct FrozenProjectedCollection<Model: ObjectBase, Value: Sendable>: Sendable,
    RandomAccessCollection
{
    /// The objects whose property is projected.
    public let objects: FrozenResults<Model>
    let member: ProjectedMember<Model, Value>

    public var startIndex: Int { objects.startIndex }
    public var endIndex: Int { objects.endIndex }

    /// The property of the object at a position.
    ///
    /// - Complexity: O(log n).
    public subscript(position: Int) -> Value { member.value(objects[position]) }
}

/// An element of a projected collection's change stream.
public enum ProjectedChange<Model: ObjectBase, Value: Sendable>: Sendable {
    /// The values when the iteration started. Delivered exactly once, as the first element, except
    /// by streams that resume from a cursor.
    case initial(FrozenProjectedCollection<Model, Value>)
    /// The current values and their changes since the previous element. Never empty.
    case update(FrozenProjectedCollection<Model, Value>, ProjectedChangeSet<Model, Value>)
}

/// The changes of a projected collection since the last element of its stream.
public struct ProjectedChangeSet<Model: ObjectBase, Value: Sendable>: Sendable {
    /// The changes of the objects, with the same positions.
    public let objects: ChangeSet<Model>
    let member: ProjectedMember<Model, Value>

    /// Positions of the removed objects in the old collection, in ascending order.
    public var deletions: [Int] { objects.deletions }
    /// Positions of the inserted objects in the new collection, in ascending order.
    public var insertions: [Int] { objects.insertions }
    /// Positions in the **old** collection of the objects whose property changed.
    public var modifications: [Int] { objects.modifications }
    /// Positions of the same objects in the **new** collection.
    public var newModifications: [Int] { objects.newModifications }

    /// The values at ``deletions``, from the old collection.
    public var deleted: [Value] { objects.deleted.map(member.value) }
    /// The values at ``insertions``.
    public var inserted: [Value] { objects.inserted.map(member.value) }
    /// The values at ``modifications``, before and after.
    public var modified: [(old: Value, new: Value)] {
        objects.modified.map { (old: member.value($0.old), new: member.value($0.new)) }
    }
}
