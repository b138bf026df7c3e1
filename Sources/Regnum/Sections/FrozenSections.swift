internal import RegnumEngine
internal import RegnumStore

/// The objects that match a query in one snapshot, divided into sections by key: an immutable,
/// `Sendable` collection of sections.
///
///     let rooms = snapshot.objects(Message.self).sectioned(by: \.room)
///     for room in rooms {
///         print(room.key, room.count)
///         for message in room { print(message.text) }
///     }
///
/// Sections are in the order in which their keys appear in the sorted results, and the objects in a
/// section keep the order of the results. Objects with the same key are in one section even if they
/// aren't adjacent in the results. The sections are determined once, on first use, in O(n) on the
/// calling thread.
///
/// Sections are equal if they have equal keys and equal objects in the same order.
public struct FrozenSections<Key: SectionKey, Model: ObjectBase>: Sendable {
    /// The sorted objects.
    public let results: FrozenResults<Model>
    private let known: KnownSections<Key, Model>

    init(_ results: FrozenResults<Model>, _ source: FrozenSectionSource<Key, Model>) {
        self.results = results
        known = KnownSections(source)
    }

    init(_ results: FrozenResults<Model>, _ sectioning: Sectioning<Key>) {
        self.results = results
        known = KnownSections(sectioning)
    }

    /// The version of the snapshot.
    public var version: UInt64 { results.version }

    /// The position of the snapshot in the history of the realm.
    public var cursor: ChangeCursor { results.cursor }

    /// The sections. An error fails the read.
    var sectioning: Sectioning<Key> { known.sectioning(of: results) }

    /// The keys of the sections, in order.
    public var allKeys: [Key] { sectioning.keys }

    /// Returns the section with a key, or `nil` if no object has the key.
    ///
    /// - Complexity: O(1) once the sections are known.
    public func section(forKey key: Key) -> FrozenSection<Key, Model>? {
        sectioning.number(of: key).map { FrozenSection(sections: self, number: $0) }
    }

    /// The object at a path.
    ///
    /// - Precondition: There is an object at the path.
    /// - Complexity: O(log n) once the sections are known.
    public subscript(path: SectionPath) -> Frozen<Model> {
        guard let position = sectioning.layout.position(at: path) else {
            if ReadScope.hasFailed { return Frozen(results.table, row: .nowhere) }
            fatalError(
                "\(name) have no object at \(path): the section count is \(count)."
                    + results.table.snapshot.callSiteMessage)
        }
        return results[position]
    }

    /// Returns the path of the first occurrence of an object, or `nil` if there is none. Objects
    /// are identified by row, as in ``FrozenResults/index(of:)``.
    public func path(of object: Frozen<Model>) -> SectionPath? {
        let layout = sectioning.layout
        guard let position = results.index(of: object), position < layout.sections.count else {
            return nil
        }
        return layout.path(of: position)
    }

    var name: String { "FrozenSections<\(Key.self), \(results.table.schema.name)>" }
}

extension FrozenSections: RandomAccessCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int { count }

    /// The number of sections.
    public var count: Int { sectioning.keys.count }

    /// The section at a position.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(1) once the sections are known.
    public subscript(position: Int) -> FrozenSection<Key, Model> {
        guard (0..<count).contains(position) || ReadScope.hasFailed else {
            fatalError(
                "Index \(position) of \(name) is out of range: the count is \(count)."
                    + results.table.snapshot.callSiteMessage)
        }
        return FrozenSection(sections: self, number: position)
    }
}

extension FrozenSections: Equatable {
    /// Returns whether both have equal keys and equal objects in the same order.
    ///
    /// - Complexity: O(n), determining the sections of both.
    public static func == (left: FrozenSections, right: FrozenSections) -> Bool {
        if left.known === right.known { return true }
        return left.sectioning.isSame(as: right.sectioning) && left.results == right.results
    }
}

/// The objects with one key in a snapshot, in the order of the results: an immutable, `Sendable`
/// collection.
public struct FrozenSection<Key: SectionKey, Model: ObjectBase>: Sendable {
    let sections: FrozenSections<Key, Model>
    /// The position of the section.
    let number: Int

    /// The key of the objects.
    public var key: Key {
        let sectioning = sections.sectioning
        return sectioning.hasSection(number) ? sectioning.keys[number] : Key.placeholder()
    }
}

extension FrozenSection: Identifiable {
    /// The key.
    public var id: Key { key }
}

extension FrozenSection: RandomAccessCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int { count }

    /// The number of objects, at least 1.
    public var count: Int {
        let sectioning = sections.sectioning
        return sectioning.hasSection(number) ? sectioning.layout.rowCount(in: number) : 0
    }

    /// The object at a position in the section.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n).
    public subscript(position: Int) -> Frozen<Model> {
        sections[SectionPath(section: number, row: position)]
    }
}

extension FrozenSection: Equatable {
    /// Returns whether both have equal keys and equal objects in the same order.
    public static func == (left: FrozenSection, right: FrozenSection) -> Bool {
        let (a, b) = (left.sections.sectioning, right.sections.sectioning)
        guard a.hasSection(left.number), b.hasSection(right.number) else { return false }
        return a.storedKeys[left.number] == b.storedKeys[right.number]
            && left.count == right.count && left.elementsEqual(right)
    }
}

/// The source of the section keys of frozen objects.
enum FrozenSectionSource<Key: SectionKey, Model: ObjectBase>: Sendable {
    case column(ColumnReference)
    case closure(@Sendable (Frozen<Model>) -> Key)
    /// The keys couldn't be determined when the sections were frozen.
    case failure(Realm.Error)

    /// Returns the sections of results.
    ///
    /// Throws the errors of the query and those of `SectioningBuilder.append`.
    /// - Complexity: O(n log n).
    func sectioning(of results: FrozenResults<Model>) throws(Realm.Error) -> Sectioning<Key> {
        let query = results.query
        let schema = query.table.schema
        switch self {
        case .column(let column):
            let tree = query.tree
            let values = try query.run { state throws(StoreError) in
                try query.plan.values(of: column, for: tree, state)
            }
            return try .of(values, in: column, schema)
        case .closure(let key):
            // reports problems of the query, which reading the objects doesn't
            _ = try query.run { _ in }
            return try .of(results.map(key), schema)
        case .failure(let error): throw error
        }
    }
}

/// The sections of a snapshot, determined when they are first used.
private final class KnownSections<Key: SectionKey, Model: ObjectBase>: Sendable {
    private let source: FrozenSectionSource<Key, Model>?
    private let known: Guarded<Sectioning<Key>?>

    init(_ source: FrozenSectionSource<Key, Model>) {
        self.source = source
        known = Guarded(nil)
    }

    init(_ sectioning: Sectioning<Key>) {
        source = nil
        known = Guarded(sectioning)
    }

    /// Returns the sections; none after an error, which isn't the content and isn't kept.
    func sectioning(of results: FrozenResults<Model>) -> Sectioning<Key> {
        if let sectioning = known.withLock({ $0 }) { return sectioning }
        guard let source, !ReadScope.innermostHasFailed else { return Sectioning() }
        let snapshot = results.table.snapshot
        let sectioning = snapshot.answer(Sectioning<Key>()) { () throws(Realm.Error) in
            try source.sectioning(of: results)
        }
        if ReadScope.innermostHasFailed { return Sectioning() }
        known.withLock { $0 = sectioning }
        return sectioning
    }
}
