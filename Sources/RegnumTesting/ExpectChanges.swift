public import Regnum

/// Checks that writes change a collection as expected. Returns the change sets, for closer
/// inspection.
///
///     try await expectChanges(in: realm.objects(Order.self), inserted: 1) {
///         try await shop.order("tea")
///     }
///
/// Everything that was committed by the time `writes` returns is one change set: an object that is
/// inserted and then modified counts as inserted. (A stream with a policy, a cursor or excluded
/// origins may have several, whose numbers are added.) If it isn't what is expected, the function
/// waits for later commits, for example of tasks that `writes` has started, and adds their changes.
/// If all three numbers are zero, it checks without waiting that nothing has changed.
///
/// - Parameters:
///   - depth: As for `changes(depth:)` of the collection.
///   - duration: The time to wait after `writes`.
/// - Throws: ``UnexpectedChanges``; otherwise the errors of `writes` and of the stream.
@discardableResult
public func expectChanges<Model: ObjectBase>(
    in results: LiveResults<Model>, inserted: Int = 0, deleted: Int = 0, modified: Int = 0,
    depth: Int = 3, within duration: Duration = .seconds(5), _ writes: () async throws -> Void
) async throws -> [ChangeSet<Model>] {
    try await expectChanges(
        in: results.changes(depth: depth), inserted: inserted, deleted: deleted,
        modified: modified, within: duration, writes)
}

/// Checks that writes change a collection as expected, like
/// ``expectChanges(in:inserted:deleted:modified:depth:within:_:)``, for a stream of its changes.
@discardableResult
public func expectChanges<Model: ObjectBase>(
    in stream: CollectionChanges<Model>, inserted: Int = 0, deleted: Int = 0, modified: Int = 0,
    within duration: Duration = .seconds(5), _ writes: () async throws -> Void
) async throws -> [ChangeSet<Model>] {
    let expected = ChangeCounts(inserted: inserted, deleted: deleted, modified: modified)
    var iterator = stream.makeAsyncIterator()
    // streams that resume from a cursor have no initial element
    if iterator.cursor == nil { _ = try await iterator.next() }
    try await writes()
    let committed = stream.publishedVersion
    let deadline = ContinuousClock.now + duration
    var actual = ChangeCounts()
    var sets: [ChangeSet<Model>] = []
    while true {
        let rest = actual == expected ? .zero : max(.zero, deadline - .now)
        switch try await iterator.next(within: rest) {
        case .element(.initial): continue
        case .element(.update(_, let set)):
            // what was expected has happened, and everything that `writes` has committed was seen
            if actual == expected, !sets.isEmpty, set.version > committed { return sets }
            sets.append(set)
            actual.inserted += set.insertions.count
            actual.deleted += set.deletions.count
            actual.modified += set.modifications.count
            if actual == expected, set.version >= committed { return sets }
            if !actual.canBecome(expected) {
                throw UnexpectedChanges(expected, actual, sets, "")
            }
        case .timedOut:
            if actual == expected { return sets }
            throw UnexpectedChanges(expected, actual, sets, " within \(duration)")
        case .end:
            try Task.checkCancellation()
            throw UnexpectedChanges(expected, actual, sets, " before the realm was closed")
        }
    }
}

/// The numbers of changes of a collection.
struct ChangeCounts: Equatable, CustomStringConvertible {
    var inserted = 0
    var deleted = 0
    var modified = 0

    /// Whether further changes can lead to the other numbers.
    func canBecome(_ other: ChangeCounts) -> Bool {
        inserted <= other.inserted && deleted <= other.deleted && modified <= other.modified
    }

    var description: String { "\(inserted) inserted, \(deleted) deleted, \(modified) modified" }
}

/// The error of `expectChanges`: a collection didn't change as expected. Its description compares
/// the numbers and lists the changed objects.
public struct UnexpectedChanges: Error, CustomStringConvertible {
    public let description: String

    init<Model: ObjectBase>(
        _ expected: ChangeCounts, _ actual: ChangeCounts, _ sets: [ChangeSet<Model>],
        _ time: String
    ) {
        var lines = [
            "The objects of \(Model.self) didn't change as expected\(time).",
            "expected: \(expected)", "actual:   \(actual)",
        ]
        for set in sets {
            lines += set.inserted.map { "inserted \($0)" }
            lines += set.deleted.map { "deleted \($0)" }
            lines += set.modified.map {
                "modified \($0.properties.joined(separator: ", ")): \($0.new)"
            }
        }
        let (limit, count) = (30, lines.count)
        if count > limit { lines[limit...] = ["and \(count - limit) more changes"] }
        description = lines.joined(separator: "\n")
    }
}
