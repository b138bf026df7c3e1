import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// A stream under test and what it delivered last.
private struct Observer {
    let query: SampleQuery
    var stream: CollectionChanges<Sample>.AsyncIterator
    /// The collection as maintained from the change sets alone.
    var mirror: [Int]
    /// The samples at the last delivered version.
    var samples: [Int: PlainSample]
    /// The properties set since then, by number.
    var properties: [Int: Set<String>] = [:]
    var origins: [String] = []
}

private func plain(_ frozen: Frozen<Sample>) -> PlainSample {
    PlainSample(
        number: frozen.number, group: frozen.group, value: frozen.value, note: frozen.note)
}

/// A change of one sample by a random transaction.
private enum Edit: Sendable {
    case add(PlainSample)
    case delete(Int)
    case setGroup(Int, Int)
    case setValue(Int, Int?)
    case setNote(Int, String)
}

@Suite struct ChangeOracleTests {
    // Covers 4.6, 4.22, 4.23, 4.24, O14
    @Test(arguments: [true, false])
    func randomHistoriesAgreeWithTheDefinition(keepsSummaries: Bool) async throws {
        let seed = SeededRandom.seed()
        var random = SeededRandom(seed)
        for history in 0..<Effort.count(gate: 40, soak: 400) {
            let realm =
                try await keepsSummaries
                ? Realm.temporary([Sample.self])
                : LaterProgram.withoutSummaries([Sample.self])
            try await run(
                realm, keepsSummaries: keepsSummaries, &random, "seed \(seed), history \(history)")
        }
    }

    private func run(
        _ realm: Realm, keepsSummaries: Bool, _ random: inout SeededRandom, _ name: String
    ) async throws {
        var samples: [Int: PlainSample] = [:]
        var nextNumber = 0
        var observers: [Observer] = []
        for query in SampleQuery.all {
            var stream = query.live(realm).changes.makeAsyncIterator()
            let initial = try await nextInitial(&stream)
            #expect(initial.isEmpty)
            observers.append(
                Observer(query: query, stream: stream, mirror: [], samples: [:]))
        }
        for step in 0..<25 {
            let edits = randomEdits(samples, &nextNumber, &random)
            let origin = Bool.random(using: &random) ? "origin \(step % 3)" : nil
            try await realm.write(origin: origin) { tx in try perform(edits, tx) }
            let before = samples
            let touched = apply(edits, to: &samples)
            // A row that was added and deleted again is in neither.
            let changed = Set(before.keys).symmetricDifference(samples.keys).union(touched.keys)
                .flatMap { [before[$0], samples[$0]].compactMap { $0 } }
            for index in observers.indices {
                observers[index].properties.merge(touched) { $0.union($1) }
                let isConcerned = changed.contains { observers[index].query.concerns($0) }
                if let origin, isConcerned, !observers[index].origins.contains(origin) {
                    observers[index].origins.append(origin)
                }
                if Int.random(in: 0..<3, using: &random) == 0 || step == 24 {
                    try await check(
                        &observers[index], samples, keepsSummaries: keepsSummaries,
                        "\(name), step \(step), \(observers[index].query.name)")
                }
            }
        }
    }

    /// Pulls the next change set, if one is due, and compares it with the definition.
    private func check(
        _ observer: inout Observer, _ samples: [Int: PlainSample], keepsSummaries: Bool,
        _ place: Comment
    ) async throws {
        let old = observer.query.plain(observer.samples.values.sorted { $0.number < $1.number })
        let new = observer.query.plain(samples.values.sorted { $0.number < $1.number })
        #expect(observer.mirror == old, place)
        var touched = Set(observer.properties.keys)
        // A row created since the last pull doesn't count as touched; it is an insertion.
        touched = touched.filter { observer.samples[$0] != nil && samples[$0] != nil }
        let expected = ExpectedChange(from: old, to: new, touched: touched)
        // Nothing to deliver: the next pull covers these commits, too.
        guard !expected.isEmpty else { return }
        let (results, delta) = try await nextUpdate(&observer.stream)
        #expect(results.map(\.number) == new, place)
        #expect(results.map(plain) == new.compactMap { samples[$0] }, place)
        #expect(delta.deletions == expected.deletions, place)
        #expect(delta.insertions == expected.insertions, place)
        #expect(delta.modifications == expected.modifications, place)
        #expect(delta.newModifications == expected.newModifications, place)
        #expect(
            delta.deleted.map(plain) == expected.deletions.compactMap { observer.samples[old[$0]] },
            place)
        #expect(delta.inserted.map(\.number) == expected.insertions.map { new[$0] }, place)
        let modified = expected.modifications.map { old[$0] }
        let before = modified.map { observer.samples[$0] }
        #expect(delta.modified.map { plain($0.old) } == before, place)
        #expect(delta.modified.map { plain($0.new) } == modified.map { samples[$0] }, place)
        if keepsSummaries {
            #expect(
                delta.modified.map { Set($0.properties) }
                    == modified.map { observer.properties[$0] ?? [] }, place)
            #expect(delta.origins == observer.origins, place)
        }
        let reached = observer.mirror.applying(delta.difference.mapped(\.number))
        observer.mirror = reached ?? []
        #expect(observer.mirror == new, place)
        observer.samples = samples
        observer.properties = [:]
        observer.origins = []
    }

    private func randomEdits(
        _ samples: [Int: PlainSample], _ nextNumber: inout Int, _ random: inout SeededRandom
    ) -> [Edit] {
        var numbers = samples.keys.sorted()
        var edits: [Edit] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let choice = Int.random(in: 0..<10, using: &random)
            guard choice > 2, let number = numbers.randomElement(using: &random) else {
                let value = Int.random(in: 0..<5, using: &random)
                edits.append(
                    .add(
                        PlainSample(
                            number: nextNumber, group: Int.random(in: 0..<3, using: &random),
                            value: value == 0 ? nil : value, note: "new")))
                numbers.append(nextNumber)
                nextNumber += 1
                continue
            }
            switch choice {
            case 3, 4:
                edits.append(.delete(number))
                numbers.removeAll { $0 == number }
            case 5, 6: edits.append(.setGroup(number, Int.random(in: 0..<3, using: &random)))
            case 7, 8:
                let value = Int.random(in: 0..<5, using: &random)
                edits.append(.setValue(number, value == 0 ? nil : value))
            default: edits.append(.setNote(number, "note"))
            }
        }
        return edits
    }

    /// Applies the edits to the model of the test; returns what was set, by number.
    private func apply(
        _ edits: [Edit], to samples: inout [Int: PlainSample]
    ) -> [Int: Set<String>] {
        var touched: [Int: Set<String>] = [:]
        for edit in edits {
            switch edit {
            case .add(let sample): samples[sample.number] = sample
            case .delete(let number): samples[number] = nil
            case .setGroup(let number, let group):
                samples[number]?.group = group
                touched[number, default: []].insert("group")
            case .setValue(let number, let value):
                samples[number]?.value = value
                touched[number, default: []].insert("value")
            case .setNote(let number, let note):
                samples[number]?.note = note
                touched[number, default: []].insert("note")
            }
        }
        return touched
    }
}

private func perform(_ edits: [Edit], _ tx: Transaction) throws {
    func sample(_ number: Int) throws -> Sample {
        try #require(tx.object(Sample.self, forPrimaryKey: number))
    }
    for edit in edits {
        switch edit {
        case .add(let plain):
            let sample = Sample()
            sample.number = plain.number
            sample.group = plain.group
            sample.value = plain.value
            sample.note = plain.note
            try tx.add(sample)
        case .delete(let number): tx.delete(try sample(number))
        case .setGroup(let number, let group): try sample(number).group = group
        case .setValue(let number, let value): try sample(number).value = value
        case .setNote(let number, let note): try sample(number).note = note
        }
    }
}

extension CollectionDifference {
    /// Returns the difference of transformed elements, for tests with plain arrays.
    fileprivate func mapped<T>(_ transform: (ChangeElement) -> T) -> CollectionDifference<T> {
        let changes = map { change -> CollectionDifference<T>.Change in
            switch change {
            case .insert(let offset, let element, let other):
                .insert(offset: offset, element: transform(element), associatedWith: other)
            case .remove(let offset, let element, let other):
                .remove(offset: offset, element: transform(element), associatedWith: other)
            }
        }
        return CollectionDifference<T>(changes)!
    }
}
