internal import RegnumEngine

/// One property of the objects of a list or set, as a collection.
///
///     @Projected(\Person.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
///
/// It follows the list: every use shows the state of the transaction, or of the unmanaged object.
/// Setting an element sets the property of the object at that position. To filter and sort, use the list
/// itself. Confined to the transaction body like its list; frozen it is an array.
public struct ProjectedCollection<Value> {
    private let source: ProjectionSource<Value>

    init(_ source: ProjectionSource<Value>) {
        self.source = source
    }

    /// Whether the object that the list belongs to was deleted, or its transaction is over.
    public var isInvalidated: Bool { source.isInvalidated }

    /// Whether the list is that of an object in a transaction.
    public var isManaged: Bool { source.isManaged }

    /// The values as they are now: a value that can be sent and kept.
    public func freeze() -> [Value] where Value: Sendable { Array(self) }
}

@available(*, unavailable, message: "a projected collection stays with its list: use a snapshot")
extension ProjectedCollection: Sendable {}

extension ProjectedCollection: _ConfinedCollection {
    public typealias Element = Value
    public typealias SubSequence = ConfinedSlice<ProjectedCollection>
    public typealias Iterator = ConfinedIterator<Value>

    public var startIndex: Int { 0 }

    public var endIndex: Int { source.count }

    /// The property of the object at a position.
    ///
    /// - Precondition: `0 <= position < count`; for setting, that the property can be set, in a write if
    ///   the list is managed.
    /// - Complexity: O(log n).
    public subscript(position: Int) -> Value {
        get { source.value(at: position) }
        nonmutating set { source.set(newValue, at: position) }
    }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Value> {
        source.values(at: positions)
    }

    /// The position of the first object whose property has a value, nil if there is none.
    ///
    /// - Complexity: O(n).
    public func index(of value: Value) -> Int? where Value: Equatable { firstIndex(of: value) }
}

extension ProjectedCollection: Equatable where Value: Equatable {
    /// Whether both have equal values in the same order.
    public static func == (left: ProjectedCollection, right: ProjectedCollection) -> Bool {
        left.elementsEqual(right)
    }
}

extension ProjectedCollection: CustomStringConvertible {
    /// The values with their positions, line by line; at most 100.
    public var description: String {
        var printer = ObjectPrinter()
        printer.print(self, "ProjectedCollection<\(Value.self)>")
        return printer.text
    }
}

/// A collection of objects of which one property can be projected: ``List`` and ``MutableSet``.
///
/// The library conforms its collections; do not conform types of your own.
public protocol ProjectableCollection: _ConfinedCollection where Element: ObjectBase {
    /// Whether the object that the collection belongs to was deleted, or its transaction is over.
    var isInvalidated: Bool { get }
    /// Whether the collection is that of an object in a transaction.
    var isManaged: Bool { get }
}

extension List: ProjectableCollection where Element: ObjectBase {}
extension MutableSet: ProjectableCollection where Element: ObjectBase {}

extension ProjectableCollection {
    /// One property of the objects: `person.friends.projectTo.firstName`.
    public var projectTo: CollectionMapping<Self> { CollectionMapping(objects: self) }
}

/// What `projectTo` gives: its members are the properties of the collection's objects.
@dynamicMemberLookup
public struct CollectionMapping<Objects: ProjectableCollection> {
    let objects: Objects

    /// A property of each object, as a collection.
    public subscript<Value>(
        dynamicMember keyPath: KeyPath<Objects.Element, Value>
    ) -> ProjectedCollection<Value> {
        ProjectedCollection(MappedObjects(objects, keyPath))
    }
}

/// What a projected collection is made of, without the type of the objects.
class ProjectionSource<Value> {
    var count: Int { 0 }
    var isInvalidated: Bool { false }
    var isManaged: Bool { false }
    /// The stored properties that the property shows, from an element on.
    var elementPaths: [PropertyPath] { [] }

    func value(at position: Int) -> Value {
        preconditionFailure("A projected collection has no objects.")
    }

    /// The values at positions, of the objects that are there now.
    func values(at positions: Range<Int>) -> _TakenElements<Value> {
        _TakenElements(count: 0) { _ in nil }
    }

    func set(_ value: Value, at position: Int) {}
}

/// A property of the objects of a collection.
private final class MappedObjects<Objects: ProjectableCollection, Value>: ProjectionSource<Value> {
    private let objects: Objects
    private let keyPath: KeyPath<Objects.Element, Value>

    init(_ objects: Objects, _ keyPath: KeyPath<Objects.Element, Value>) {
        self.objects = objects
        self.keyPath = keyPath
    }

    override var count: Int { objects.count }
    override var isInvalidated: Bool { objects.isInvalidated }
    override var isManaged: Bool { objects.isManaged }

    override var elementPaths: [PropertyPath] {
        ClassSchema.of(Objects.Element.self).projectedPaths(keyPath)
    }

    override func value(at position: Int) -> Value { objects[position][keyPath: keyPath] }

    override func values(at positions: Range<Int>) -> _TakenElements<Value> {
        let taken = objects._elements(at: positions)
        return _TakenElements(count: taken.count) { [keyPath] position in
            taken.element(position).map { $0[keyPath: keyPath] }
        }
    }

    override func set(_ value: Value, at position: Int) {
        typealias Writable = ReferenceWritableKeyPath<Objects.Element, Value>
        guard let writable = keyPath as? Writable else {
            let names = elementPaths.map { $0.properties.map(\.name).joined(separator: ".") }
            fatalError(
                "An element of a ProjectedCollection<\(Value.self)> was assigned to, but shows "
                    + "\(names.joined(separator: ", ")) of \(Objects.Element.self), which can only "
                    + "be read: its key path leads through `?`, or to something that is computed.")
        }
        objects[position][keyPath: writable] = value
    }
}

/// A projected collection without its type.
protocol AnyProjectedCollection {
    /// The stored properties that its property shows, from an element on.
    var elementPaths: [PropertyPath] { get }
    /// Its values.
    var anyValues: [Any] { get }
}

extension ProjectedCollection: AnyProjectedCollection {
    var elementPaths: [PropertyPath] { source.elementPaths }
    var anyValues: [Any] { map { $0 as Any } }
}
