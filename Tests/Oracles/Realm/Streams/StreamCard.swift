import Regnum
import RegnumSimulation

/// A view model of a person: its streams only report the properties that it names.
final class StreamCard: Projection<StreamPerson> {
    @Projected(\StreamPerson.serial) var serial
    @Projected(\StreamPerson.name) var title
    @Projected(\StreamPerson.age) var years
    @Projected(\StreamPerson.boss?.age) var bossAge
    @Projected(\StreamPerson.dog?.toy?.price) var price
    @Projected(\StreamPerson.dogs.projectTo.name) var dogNames: ProjectedCollection<String>
    @Projected(\StreamPerson.tags) var tags
    @Projected(\StreamPerson.marks) var marks
    @Projected(\StreamPerson.box?.size) var size
    @Projected(\StreamPerson.boss?.box?.label) var bossLabel
}

extension StreamCard: StreamModel {
    static var mirrorClass: MirrorClass { .person }

    /// The properties that it names, in order of declaration.
    static let paths: [MirrorPath] = [
        ("serial", "serial"), ("title", "name"), ("years", "age"), ("bossAge", "boss.age"),
        ("price", "dog.toy.price"), ("dogNames", "dogs.name"), ("tags", "tags"),
        ("marks", "marks"), ("size", "box.size"), ("bossLabel", "boss.box.label"),
    ].map { name, path in
        MirrorPath(name: name, components: MirrorPath(path, of: .person).components)
    }

    static func serial(_ object: Frozen<StreamCard>) -> Int { object.serial }

    static func content(_ object: Frozen<StreamCard>) -> [[MirrorValue]] {
        [
            [.int(object.serial)], [.text(object.title)], [.of(object.years)],
            [.of(object.bossAge)], [.of(object.price)], object.dogNames.map { .text($0) },
            object.tags.map { .text($0) },
            object.marks.flatMap { [.text($0.key), .of($0.value)] },
            [.of(object.size)], [object.bossLabel.map { .text($0) } ?? .null],
        ]
    }

    static func content(_ world: MirrorWorld, _ serial: Int) -> [[MirrorValue]] {
        guard let row = world[serial] else { return [] }
        let boss = row.value(9).int.flatMap { world[$0] }
        let dog = row.value(10).int.flatMap { world[$0] }
        let toy = dog?.value(4).int.flatMap { world[$0] }
        let box = row.value(14).int.flatMap { world[$0] }
        let bossBox = boss?.value(14).int.flatMap { world[$0] }
        return [
            [row.value(0)], [row.value(4)], [row.value(3)], [boss?.value(3) ?? .null],
            [toy?.value(1) ?? .null],
            row.targets(11).compactMap { world[$0]?.value(1) }, row.slots(13).map(\.value),
            row.slots(17).flatMap { [.text($0.key), $0.value] },
            [box?.value(1) ?? .null], [bossBox?.value(2) ?? .null],
        ]
    }
}

extension StreamFollowed where Row == StreamCard {
    /// Creates a query of persons as cards.
    init(_ drawn: StreamQuery<StreamPerson>) {
        var query = drawn
        query.distinct = nil
        let asked = query
        let source = StreamSource<StreamPerson>.all
        self.init(
            source, asked, .projected(StreamCard.paths), name: "cards: \(asked.name)",
            open: { realm, policy, cursor in
                var results = realm.objects(StreamCard.self)
                for term in asked.terms {
                    results = results.where { query in
                        let condition = term.condition.live(query, term.number)
                        return term.isNegated ? !condition : condition
                    }
                }
                if !asked.sorts.isEmpty {
                    results = results.sorted(
                        by: asked.sorts.map {
                            $0.isAscending ? $0.sort.order : $0.sort.order.reversed()
                        })
                }
                return results.changes(policy: policy, since: cursor)
            })
    }
}
