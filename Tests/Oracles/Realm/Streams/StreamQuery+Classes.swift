import Regnum
import RegnumSimulation
import RegnumTestSupport

private let personName = MirrorClass.person.name
private let dogName = MirrorClass.dog.name
private let toyName = MirrorClass.toy.name
private let boxName = MirrorClass.box.name

extension MirrorWorld {
    fileprivate func follow(_ row: MirrorRow, _ property: Int) -> MirrorRow? {
        row.value(property).int.flatMap { self[$0] }
    }

    fileprivate func elements(_ row: MirrorRow, _ property: Int) -> [MirrorRow] {
        row.targets(property).compactMap { self[$0] }
    }

    fileprivate func linking(
        _ row: MirrorRow, _ origin: MirrorClass, _ property: Int
    ) -> [MirrorRow] {
        origins(row.serial, MirrorInverse(origin: origin, property: property))
            .compactMap { self[$0] }
    }
}

private func isAbove(_ value: MirrorValue?, _ number: Int) -> Bool {
    switch value {
    case .int(let int): int > number
    case .double(let bits): Double(bitPattern: bits) > Double(number)
    default: false
    }
}

extension StreamPerson: StreamQueried {
    static let conditions: [StreamCondition<StreamPerson>] = [
        StreamCondition("group ==", { $0.group == $1 }, { $1.value(2) == .int($2) })
            .routed(2) { .int($0) },
        StreamCondition("age >", { $0.age > $1 }, { isAbove($1.value(3), $2) }),
        StreamCondition(
            "age == nil", { query, _ in query.age == nil },
            { _, row, _ in
                row.value(3) == .null
            }),
        StreamCondition("score >", { $0.score > Double($1) }, { isAbove($1.value(5), $2) }),
        StreamCondition(
            "score == 0", { query, _ in query.score == 0 },
            { _, row, _ in
                row.value(5).double == 0
            }
        ).routed(5, hasFewValues: true) { _ in .double(0) },
        StreamCondition(
            "isOn", { query, _ in query.isOn == true },
            { _, row, _ in
                row.value(6) == .bool(true)
            }
        ).routed(6, hasFewValues: true) { _ in .bool(true) },
        StreamCondition(
            "mood busy", { query, _ in query.mood == .busy },
            { _, row, _ in
                row.value(8) == .text("busy")
            }
        ).routed(8) { _ in .text("busy") },
        StreamCondition(
            "boss == nil", { query, _ in query.boss == nil },
            { _, row, _ in
                row.value(9) == .null
            }),
        StreamCondition(
            "boss.age >", of: [personName], { $0.boss.age > $1 },
            { world, row, number in
                isAbove(world.follow(row, 9)?.value(3), number)
            }),
        StreamCondition(
            "dog.age >", of: [dogName], { $0.dog.age > $1 },
            { world, row, number in
                isAbove(world.follow(row, 10)?.value(2), number)
            }),
        StreamCondition(
            "dog.toy.price >", of: [dogName, toyName], { $0.dog.toy.price > $1 },
            {
                world, row, number in
                let toy = world.follow(row, 10).flatMap { world.follow($0, 4) }
                return isAbove(toy?.value(1), number)
            }),
        StreamCondition(
            "any dogs.age >", of: [dogName], { $0.dogs.age > $1 },
            { world, row, number in
                world.elements(row, 11).contains { isAbove($0.value(2), number) }
            }),
        StreamCondition(
            "all dogs.age >", of: [dogName],
            { query, number in
                query.dogs.all { $0.age > number }
            },
            { world, row, number in
                world.elements(row, 11).allSatisfy { isAbove($0.value(2), number) }
            }),
        StreamCondition(
            "dogs.count >", of: [dogName], { $0.dogs.count > $1 },
            { _, row, number in
                row.slots(11).count > number
            }),
        StreamCondition(
            "dogs of age > 1 count >", of: [dogName], { ($0.dogs.age > 1).count > $1 },
            {
                world, row, number in
                world.elements(row, 11).filter { isAbove($0.value(2), 1) }.count > number
            }),
        StreamCondition(
            "friends.group ==", of: [personName], { $0.friends.group == $1 },
            { world, row, number in
                world.elements(row, 12).contains { $0.value(2) == .int(number) }
            }),
        StreamCondition(
            "tags a", of: ["\(personName).tags"], { query, _ in query.tags.contains("a") },
            {
                _, row, _ in row.slots(13).contains { $0.value == .text("a") }
            }),
        StreamCondition(
            "staff.age >", of: [personName], { $0.staff.age > $1 },
            { world, row, number in
                world.linking(row, .person, 9).contains { isAbove($0.value(3), number) }
            }),
        StreamCondition(
            "staff.count >", of: [personName], { $0.staff.count > $1 },
            { world, row, number in
                world.linking(row, .person, 9).count > number
            }),
        StreamCondition(
            "box.size >", of: [boxName], { $0.box.size > $1 },
            { world, row, number in
                isAbove(world.follow(row, 14)?.value(1), number)
            }),
        StreamCondition(
            "boxes.size >", of: [boxName], { $0.boxes.size > $1 },
            { world, row, number in
                world.elements(row, 15).contains { isAbove($0.value(1), number) }
            }),
        StreamCondition(
            "pets.age >", of: [dogName, "\(personName).pets"], { $0.pets.objects().age > $1 },
            { world, row, number in
                world.elements(row, 16).contains { isAbove($0.value(2), number) }
            }),
        StreamCondition(
            "crates.size >", of: [boxName, "\(personName).crates"],
            { $0.crates.objects().size > $1 },
            { world, row, number in
                world.elements(row, 18).contains { isAbove($0.value(1), number) }
            }),
    ]

    static let sorts: [StreamSort<StreamPerson>] = [
        StreamSort("age", .ascending(\.age)) { $1.value(3) },
        StreamSort("name", .ascending(\.name)) { $1.value(4) },
        StreamSort("score", .ascending(\.score)) { $1.value(5) },
        StreamSort("isOn", .ascending(\.isOn)) { $1.value(6) },
        StreamSort("born", .ascending(\.born)) { $1.value(7) },
        StreamSort("boss?.age", of: [personName], .ascending(\.boss?.age)) { world, row in
            world.follow(row, 9)?.value(3) ?? .null
        },
        StreamSort("dog?.age", of: [dogName], .ascending(\.dog?.age)) { world, row in
            world.follow(row, 10)?.value(2) ?? .null
        },
        StreamSort("dog?.toy?.price", of: [dogName, toyName], .ascending(\.dog?.toy?.price)) {
            world, row in
            world.follow(row, 10).flatMap { world.follow($0, 4) }?.value(1) ?? .null
        },
    ]

    static let distincts: [StreamDistinct<StreamPerson>] = [
        StreamDistinct("group", { $0.distinct(by: \.group) }, { $1.value(2) }),
        StreamDistinct("age", { $0.distinct(by: \.age) }, { $1.value(3) }),
        StreamDistinct(
            "dog?.age", of: [dogName], { $0.distinct(by: \.dog?.age) },
            { world, row in world.follow(row, 10)?.value(2) }),
    ]
}

extension StreamDog: StreamQueried {
    static let conditions: [StreamCondition<StreamDog>] = [
        StreamCondition("age >", { $0.age > $1 }, { isAbove($1.value(2), $2) }),
        StreamCondition("weight >", { $0.weight > Double($1) }, { isAbove($1.value(3), $2) }),
        StreamCondition(
            "toy.price >", of: [toyName], { $0.toy.price > $1 },
            { world, row, number in
                isAbove(world.follow(row, 4)?.value(1), number)
            }),
        StreamCondition(
            "none toys.price >", of: [toyName],
            { query, number in
                query.toys.none { $0.price > number }
            },
            { world, row, number in
                !world.elements(row, 5).contains { isAbove($0.value(1), number) }
            }),
        StreamCondition(
            "numbers ==", of: ["\(dogName).numbers"], { $0.numbers.contains($1) },
            {
                _, row, number in row.slots(6).contains { $0.value == .int(number) }
            }),
        StreamCondition(
            "owners.group ==", of: [personName], { $0.owners.group == $1 },
            {
                world, row, number in
                world.linking(row, .person, 11).contains { $0.value(2) == .int(number) }
            }),
        StreamCondition(
            "keepers.age >", of: [personName], { $0.keepers.age > $1 },
            {
                world, row, number in
                world.linking(row, .person, 10).contains { isAbove($0.value(3), number) }
            }),
        StreamCondition(
            "keepers.count >", of: [personName], { $0.keepers.count > $1 },
            {
                world, row, number in world.linking(row, .person, 10).count > number
            }),
    ]

    static let sorts: [StreamSort<StreamDog>] = [
        StreamSort("name", .ascending(\.name)) { $1.value(1) },
        StreamSort("age", .ascending(\.age)) { $1.value(2) },
        StreamSort("weight", .ascending(\.weight)) { $1.value(3) },
        StreamSort("toy?.price", of: [toyName], .ascending(\.toy?.price)) { world, row in
            world.follow(row, 4)?.value(1) ?? .null
        },
    ]

    static let distincts: [StreamDistinct<StreamDog>] = [
        StreamDistinct("age", { $0.distinct(by: \.age) }, { $1.value(2) })
    ]
}

extension StreamToy: StreamQueried {
    static let conditions: [StreamCondition<StreamToy>] = [
        StreamCondition("price >", { $0.price > $1 }, { isAbove($1.value(1), $2) }),
        StreamCondition(
            "label a", { query, _ in query.label == "a" },
            { _, row, _ in
                row.value(2) == .text("a")
            }
        ).routed(2) { _ in .text("a") },
        StreamCondition(
            "dog.age >", of: [dogName], { $0.dog.age > $1 },
            { world, row, number in
                isAbove(world.follow(row, 3)?.value(2), number)
            }),
        StreamCondition(
            "dogs.count >", of: [dogName], { $0.dogs.count > $1 },
            { world, row, number in
                world.linking(row, .dog, 5).count > number
            }),
    ]

    static let sorts: [StreamSort<StreamToy>] = [
        StreamSort("price", .ascending(\.price)) { $1.value(1) },
        StreamSort("label", .ascending(\.label)) { $1.value(2) },
        StreamSort("dog?.age", of: [dogName], .ascending(\.dog?.age)) { world, row in
            world.follow(row, 3)?.value(2) ?? .null
        },
    ]

    static let distincts: [StreamDistinct<StreamToy>] = [
        StreamDistinct("price", { $0.distinct(by: \.price) }, { $1.value(1) })
    ]
}

extension StreamBox: StreamQueried {
    static let conditions: [StreamCondition<StreamBox>] = [
        StreamCondition("size >", { $0.size > $1 }, { isAbove($1.value(1), $2) }),
        StreamCondition(
            "toy.price >", of: [toyName], { $0.toy.price > $1 },
            {
                world, row, number in isAbove(world.follow(row, 3)?.value(1), number)
            }),
    ]

    static let sorts: [StreamSort<StreamBox>] = [
        StreamSort("size", .ascending(\.size)) { $1.value(1) }
    ]

    static let distincts: [StreamDistinct<StreamBox>] = [
        StreamDistinct("size", { $0.distinct(by: \.size) }, { $1.value(1) })
    ]
}
