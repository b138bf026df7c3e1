import RegnumSimulation

/// One call in a transaction, or a savepoint with several.
enum AtlasEdit: Hashable, Sendable {
    /// Adds an object with all its states; an existing one with that number is updated.
    case add(Int, number: Int, [AtlasState], AtlasRoute)
    /// Updates some states of an existing object.
    case update(Int, number: Int, [Int: AtlasState], isAll: Bool)
    case change(Int, number: Int, slot: Int, AtlasSlotEdit)
    case delete(Int, number: Int)
    case deleteClass(Int)
    case deleteAll
    /// Adds an object whose number is taken, which throws and changes nothing.
    case addTaken(Int, number: Int)
    case savepoint([AtlasEdit], AtlasEnd)
}

/// A way to store an object.
enum AtlasRoute: Hashable, Sendable {
    case add, addModified, addAll, create, createModified, createAll

    var isAll: Bool { self == .addAll || self == .createAll }
}

/// The end of a transaction or a savepoint.
enum AtlasEnd: Hashable, Sendable {
    case kept
    /// By an error thrown by the body itself.
    case thrown
    /// By something that the library refuses.
    case violated(AtlasViolation)

    var isKept: Bool { self == .kept }
}

/// A change of an existing object that fails the transaction.
enum AtlasViolation: Hashable, Sendable {
    /// Assigns another primary key.
    case number(Int, number: Int)
    /// Uses a map key that contains a dot.
    case key(Int, number: Int, slot: Int)
    /// Assigns a date that is NaN.
    case date(Int, number: Int, slot: Int)
    /// Assigns an embedded object that already has an owner.
    case owned(number: Int)
    /// Inserts a list into a set of values of any type.
    case listInSet(Int, number: Int, slot: Int)
}

/// The edits and the end of one transaction.
struct AtlasTransaction: Hashable, Sendable {
    var edits: [AtlasEdit]
    var end: AtlasEnd
    /// The side that executes it.
    var side: Int
    var isRelaxed: Bool
}
