import RegnumSimulation

/// One call, or a savepoint with several, in a transaction.
enum AtlasEdit: Hashable, Sendable {
    /// An object with all its states; where there is one of that number, it is updated.
    case add(Int, number: Int, [AtlasState], AtlasRoute)
    /// An object of which some states are given, which exists.
    case update(Int, number: Int, [Int: AtlasState], isAll: Bool)
    case change(Int, number: Int, slot: Int, AtlasSlotEdit)
    case delete(Int, number: Int)
    case deleteClass(Int)
    case deleteAll
    /// Adds an object whose number is taken, which throws and changes nothing.
    case addTaken(Int, number: Int)
    case savepoint([AtlasEdit], AtlasEnd)
}

/// How an object is stored.
enum AtlasRoute: Hashable, Sendable {
    case add, addModified, addAll, create, createModified, createAll

    var isAll: Bool { self == .addAll || self == .createAll }
}

/// How a transaction or a savepoint ends.
enum AtlasEnd: Hashable, Sendable {
    case kept
    /// By an error of the body's own.
    case thrown
    /// By what the library refuses.
    case violated(AtlasViolation)

    var isKept: Bool { self == .kept }
}

/// A change that fails the transaction, of an object that is there.
enum AtlasViolation: Hashable, Sendable {
    /// Another primary key.
    case number(Int, number: Int)
    /// A key of a map that has a dot in it.
    case key(Int, number: Int, slot: Int)
    /// A date that is no number.
    case date(Int, number: Int, slot: Int)
    /// An embedded object that has an owner.
    case owned(number: Int)
    /// A list in a set of values of any type.
    case listInSet(Int, number: Int, slot: Int)
}

/// What happens in one transaction.
struct AtlasTransaction: Hashable, Sendable {
    var edits: [AtlasEdit]
    var end: AtlasEnd
    /// The side that makes it.
    var side: Int
    var isRelaxed: Bool
}
