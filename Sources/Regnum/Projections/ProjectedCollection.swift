internal import RegnumEngine

/// A collection of one property of the objects in a list or set.
///
///     @Projected(\Person.friends.projectTo.firstName) var names: ProjectedCollection<String>
///
/// The collection is a view of the list: every access reads the current state of the transaction or
/// of the unmanaged object. Setting an element sets the property of the object at that position. To
/// filter or sort, use the list itself. Confined to the transaction body, like the list; the
/// property of a frozen projection is an array.
public struct ProjectedCollection<Value> {
    private let source: any ProjectionSource<Value>

    init(_ source: any ProjectionSource<Value>) {
        self.source = source
    }

    /// Whether the list's owner was deleted or its transaction has ended.
    public var isInvalidated: Bool { source.isInvalidated }

    /// Whether the list belongs to a managed object.
    public var isManaged: Bool { source.isManaged }

    /// Returns the current values as a `Sendable` array.
    public func freeze() -> [Value] where Value: Sendable { Array(self) }
}

@available(*, unavailable, message: "a projected collection is not Sendable: send an array")
extension ProjectedCollection: Sendable {}

extension ProjectedCollection: _ConfinedCollection {
    public typealias Element = Value
    public typealias Iterator = ConfinedIterator<Value>

    public var endIndex: Int { source.count }

    /// The property of the object at a position.
    ///
    /// - Precondition: `0 <= position < count`. The setter also requires a writable key path and,
    ///   if the list is managed, a write transaction.
    /// - Complexity: O(log n).
    public subscript(position: Int) -> Value {
        get { source.value(at: position) }
        nonmutating set { source.set(newValue, at: position) }
    }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Value> {
        source.values(at: positions)
    }

    /// Returns the position of the first object whose property has the given value, or `nil` if
    /// there is none.
    ///
    /// - Complexity: O(n).
    public func index(of value: Value) -> Int? where Value: Equatable { firstIndex(of: value) }
}

extension ProjectedCollection: Equatable where Value: Equatable {
    /// Returns whether both collections have equal values in the same order.
    public static func == (left: ProjectedCollection, right: ProjectedCollection) -> Bool {
        left.elementsEqual(right)
    }
}

/// A collection of objects that supports `projectTo`: ``List`` and ``MutableSet``.
///
/// Implemented by the collections of the library; do not conform your own types.
public protocol ProjectableCollection: _ConfinedCollection where Element: ObjectBase {
    /// Whether the collection's owner was deleted or its transaction has ended.
    var isInvalidated: Bool { get }
    /// Whether the collection belongs to a managed object.
    var isManaged: Bool { get }
}

extension List: ProjectableCollection where Element: ObjectBase {}
extension MutableSet: ProjectableCollection where Element: ObjectBase {}

extension ProjectableCollection {
    /// A mapping to a property of the objects: `person.friends.projectTo.firstName`.
    public var projectTo: CollectionMapping<Self> { CollectionMapping(objects: self) }
}

/// The result of `projectTo`, whose members are the properties of the collection's objects.
@dynamicMemberLookup
public struct CollectionMapping<Objects: ProjectableCollection> {
    let objects: Objects

    /// A collection of one property of each object.
    public subscript<Value>(
        dynamicMember keyPath: KeyPath<Objects.Element, Value>
    ) -> ProjectedCollection<Value> {
        ProjectedCollection(MappedObjects(objects: objects, keyPath: keyPath))
    }
}

/// The source of a projected collection, independent of the type of the objects.
protocol ProjectionSource<Value> {
    associatedtype Value
    var count: Int { get }
    var isInvalidated: Bool { get }
    var isManaged: Bool { get }
    /// The list or set; `nil` if it is unmanaged.
    var list: _ManagedList? { get }
    /// The stored properties that the projected property depends on, starting at an element.
    var elementPaths: [PropertyPath] { get }
    func value(at position: Int) -> Value
    /// The values at positions, of the objects that are there now.
    func values(at positions: Range<Int>) -> _TakenElements<Value>
    func set(_ value: Value, at position: Int)
}

/// A property of the objects in a collection.
private struct MappedObjects<Objects: ProjectableCollection, Value>: ProjectionSource {
    let objects: Objects
    let keyPath: KeyPath<Objects.Element, Value>

    var count: Int { objects.count }
    var isInvalidated: Bool { objects.isInvalidated }
    var isManaged: Bool { objects.isManaged }
    var list: _ManagedList? { (objects as? any UnmanagedList)?.managed }

    var elementPaths: [PropertyPath] {
        ClassSchema.of(Objects.Element.self).projectedPaths(keyPath)
    }

    func value(at position: Int) -> Value { objects[position][keyPath: keyPath] }

    func values(at positions: Range<Int>) -> _TakenElements<Value> {
        let taken = objects._elements(at: positions)
        return _TakenElements(count: taken.count) { [keyPath] position in
            taken.element(position).map { $0[keyPath: keyPath] }
        }
    }

    func set(_ value: Value, at position: Int) {
        typealias Writable = ReferenceWritableKeyPath<Objects.Element, Value>
        guard let writable = keyPath as? Writable else {
            let names = elementPaths.map { $0.properties.map(\.name).joined(separator: ".") }
            fatalError(
                "An element of a ProjectedCollection<\(Value.self)> cannot be assigned to: it "
                    + "shows \(names.joined(separator: ", ")) of \(Objects.Element.self) through a "
                    + "read-only key path (with `?` or a computed property).")
        }
        objects[position][keyPath: writable] = value
    }
}

/// A type-erased projected collection.
protocol AnyProjectedCollection {
    /// The list or set of the objects; `nil` if it is unmanaged.
    var list: _ManagedList? { get }
    /// The stored properties that its property depends on, starting at an element.
    var elementPaths: [PropertyPath] { get }
    /// The values.
    var anyValues: [Any] { get }
}

extension ProjectedCollection: AnyProjectedCollection {
    var list: _ManagedList? { source.list }
    var elementPaths: [PropertyPath] { source.elementPaths }
    var anyValues: [Any] { map { $0 as Any } }
}
