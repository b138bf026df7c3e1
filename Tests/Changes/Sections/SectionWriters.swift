import Foundation
import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// The objects that were written since the last element of a stream.
struct RandomWrites: Sendable {
    /// Those that count as modified.
    var modified: Set<Int> = []
    /// Those that may count as modified.
    var maybeModified: Set<Int> = []
    /// Those that may have moved.
    var touched: Set<Int> = []

    mutating func forget(_ id: Int) {
        modified.remove(id)
        maybeModified.remove(id)
        touched.remove(id)
    }
}

/// A source of random changes to the objects of a stream.
protocol RandomWriter: Sendable {
    var random: SeededRandom { get set }
    var writes: RandomWrites { get set }
    /// Makes a random change.
    mutating func change(_ tx: Transaction) throws
    /// Adds an object with the default values, so that there is an element whatever changed before.
    mutating func end(_ tx: Transaction) throws
}

/// Changes objects with properties of many types.
struct KindsWriter: RandomWriter {
    var random: SeededRandom
    var writes = RandomWrites()
    private var ids: [Int] = []
    private var nextID = 1

    init(random: SeededRandom) { self.random = random }

    mutating func change(_ tx: Transaction) throws {
        guard !ids.isEmpty, !random.oneIn(4) else {
            let kinds = make()
            for _ in 0..<random.below(4) { set(kinds) }
            try tx.add(kinds)
            return
        }
        let id = random.oneOf(ids)
        guard let kinds = tx.object(Log.Kinds.self, forPrimaryKey: id) else {
            throw RunFailure("object \(id) is missing")
        }
        if random.oneIn(6) {
            tx.delete(kinds)
            ids.removeAll { $0 == id }
            writes.forget(id)
            return
        }
        set(kinds)
        writes.modified.insert(id)
        writes.touched.insert(id)
    }

    mutating func end(_ tx: Transaction) throws { try tx.add(make()) }

    private mutating func make() -> Log.Kinds {
        let kinds = Log.Kinds()
        kinds.id = nextID
        ids.append(nextID)
        nextID += 1
        return kinds
    }

    /// Sets a random property, often to a value that sorts like others.
    private mutating func set(_ kinds: Log.Kinds) {
        let texts = ["", "a", "\u{e9}", "e\u{301}", "z"]
        switch random.below(7) {
        case 0:
            let values: [Double?] = [nil, .nan, 0, -0.0, 1.5, -1]
            kinds.maybeDouble = random.oneOf(values)
        case 1:
            let values: [String?] = [nil] + texts
            kinds.maybeText = random.oneOf(values)
        case 2:
            let values: [Decimal128] = ["1", "1.0", "1.00", "-1", "NaN", "0", "-0"]
            kinds.decimal = random.oneOf(values)
        case 3:
            let values: [AnyRealmValue] = [
                .none, .int(1), .double(1), .decimal128("1.00"), .double(.nan), .bool(true),
                .string("\u{e9}"), .string("e\u{301}"), .data(Data([1])), .int(-2),
            ]
            kinds.any = random.oneOf(values)
        case 4:
            let values: [Log.Mood?] = [nil, .calm, .glad]
            kinds.maybeMood = random.oneOf(values)
        case 5: kinds.text = random.oneOf(texts)
        default: kinds.number = random.below(4)
        }
    }
}

/// Changes lines and their authors.
struct LineWriter: RandomWriter {
    var random: SeededRandom
    var writes = RandomWrites()
    /// Whether a line counts as modified if its author is.
    var followsAuthors = false
    /// Whether a line counts as modified only if its text was set.
    var followsOnlyTexts = false
    private var lines: [(id: Int, author: Int?)] = []
    private var authors: [Int] = []
    private var nextID = 1

    init(random: SeededRandom) { self.random = random }

    mutating func change(_ tx: Transaction) throws {
        let kind = random.below(12)
        switch (kind, lines.isEmpty, authors.isEmpty) {
        case (0...2, false, _): try setProperty(tx)
        case (3, false, _), (4, false, _): try setText(tx)
        case (5, false, _): try deleteLine(tx)
        case (6, _, false), (7, _, false): try rename(tx)
        case (8, _, false): try deleteAuthor(tx)
        case (9, _, _):
            try tx.add(Log.Author(nextID, name()))
            authors.append(nextID)
            nextID += 1
        default: try end(tx)
        }
    }

    mutating func end(_ tx: Transaction) throws {
        try tx.add(Log.Line(nextID, "room"))
        lines.append((nextID, nil))
        nextID += 1
    }

    private mutating func name() -> String { random.oneOf(["Ann", "Bo", "\u{c9}", "E\u{301}"]) }

    private func author(_ id: Int, _ tx: Transaction) throws -> Log.Author {
        guard let author = tx.object(Log.Author.self, forPrimaryKey: id) else {
            throw RunFailure("author \(id) is missing")
        }
        return author
    }

    /// Sets the author or the level of a line.
    private mutating func setProperty(_ tx: Transaction) throws {
        let index = random.below(lines.count)
        let line = try tx.line(lines[index].id)
        if random.oneIn(3) {
            line.level = random.oneIn(2) ? nil : random.below(3)
        } else {
            let id = authors.isEmpty || random.oneIn(5) ? nil : random.oneOf(authors)
            line.author = try id.map { try author($0, tx) }
            lines[index].author = id
        }
        writes.touched.insert(line.id)
        if !followsOnlyTexts { writes.modified.insert(line.id) }
    }

    private mutating func setText(_ tx: Transaction) throws {
        let line = try tx.line(lines[random.below(lines.count)].id)
        line.text = random.oneOf(["a", "b"])
        writes.touched.insert(line.id)
        writes.modified.insert(line.id)
    }

    private mutating func deleteLine(_ tx: Transaction) throws {
        let id = lines.remove(at: random.below(lines.count)).id
        tx.delete(try tx.line(id))
        writes.forget(id)
    }

    private mutating func rename(_ tx: Transaction) throws {
        let id = random.oneOf(authors)
        try author(id, tx).name = name()
        for line in lines where line.author == id {
            writes.touched.insert(line.id)
            if followsAuthors { writes.modified.insert(line.id) }
        }
    }

    /// Deletes an author, to whom no line links then.
    private mutating func deleteAuthor(_ tx: Transaction) throws {
        let id = authors.remove(at: random.below(authors.count))
        tx.delete(try author(id, tx))
        for index in lines.indices where lines[index].author == id {
            lines[index].author = nil
            writes.touched.insert(lines[index].id)
            writes.maybeModified.insert(lines[index].id)
        }
    }
}
