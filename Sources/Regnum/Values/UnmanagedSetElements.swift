internal import RegnumEngine

/// The elements of an unmanaged set, in insertion order.
struct UnmanagedSetElements<Element: RealmCollectionValue> {
    private(set) var array: [Element] = []
    /// The keys of the elements. Objects that were stored after they were inserted have two.
    private var members = Numbering<SetMember>()
    /// The objects that weren't stored when they were last checked.
    private var unstored: [ObjectBase] = []
    /// The transaction in which they were last checked, and its edit count at that time.
    private weak var checkedTransaction: AnyObject?
    private var editCount: UInt64 = 0
    /// The number of times that one of them was checked.
    private(set) var checkCount = 0

    init() {}

    init(_ elements: [Element]) {
        for element in elements { insert(element) }
    }

    /// - Complexity: O(1). The first lookup of a stored object after an edit of its transaction is
    ///   linear in the number of the set's objects that weren't stored before.
    mutating func contains(_ element: Element) -> Bool {
        guard let (member, object) = member(element) else { return false }
        return contains(member, object)
    }

    mutating func insert(_ element: Element) {
        guard let (member, object) = member(element), !contains(member, object) else { return }
        members.append(member)
        array.append(element)
        if case .instance = member, let object { unstored.append(object) }
    }

    mutating func remove(_ elements: [Element]) {
        var removed = UnmanagedSetElements(elements.filter { contains($0) })
        if removed.array.isEmpty { return }
        self = UnmanagedSetElements(array.filter { !removed.contains($0) })
    }

    private mutating func contains(_ member: SetMember, _ object: ObjectBase?) -> Bool {
        if members[member] != nil { return true }
        guard case .row = member, let object, !unstored.isEmpty else { return false }
        if members[.instance(ObjectIdentifier(object))] != nil { return true }
        noteRows(inTransactionOf: object)
        return members[member] != nil
    }

    /// Adds the rows of objects that have been stored since they were inserted. Two accessors may
    /// refer to the same row.
    private mutating func noteRows(inTransactionOf object: ObjectBase) {
        guard let core = object._storedObject._binding?.core else { return }
        if checkedTransaction === core, editCount == core.editCount { return }
        (checkedTransaction, editCount) = (core, core.editCount)
        checkCount += unstored.count
        unstored.removeAll { object in
            guard let row = SetMember(rowOf: object) else { return false }
            if members[row] == nil { members.append(row) }
            return true
        }
    }

    private func member(_ element: Element) -> (SetMember, ObjectBase?)? {
        switch element._elementContent().content {
        case .value(let value): (.value(value.canonical), nil)
        case .link(let object?): (SetMember(object), object)
        case .any(.object(let object)): (SetMember(object), object)
        case .any(.list(let list)): (.instance(ObjectIdentifier(list)), nil)
        case .any(.dictionary(let map)): (.instance(ObjectIdentifier(map)), nil)
        default: nil
        }
    }
}

/// The identity of an unmanaged set's element: a value, the row of a stored object, or an instance.
private enum SetMember: Hashable {
    case value(Value)
    case row(realm: ObjectIdentifier, type: ObjectIdentifier, UInt64)
    case instance(ObjectIdentifier)

    init(_ object: ObjectBase) {
        self = SetMember(rowOf: object) ?? .instance(ObjectIdentifier(object))
    }

    /// `nil` for an unmanaged object.
    init?(rowOf object: ObjectBase) {
        let object = object._storedObject
        guard let binding = object._binding, let core = binding.core else { return nil }
        self = .row(
            realm: ObjectIdentifier(core.realm), type: ObjectIdentifier(binding.schema.type),
            object._row)
    }
}
