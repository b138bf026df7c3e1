import Foundation
import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// How deep values may be nested, for each way to store them; deeper ones never crash the process.
@Suite(.disabled(if: Effort.isReduced)) struct NestingTests {
    private static let maximumLevel = 64

    private func realm() async throws -> Realm {
        try await Realm.temporary([LimitBox.self, LimitKey.self])
    }

    /// Returns nested boxes, the outermost with the id 1.
    private func chain(_ levels: Int, inLists: Bool = false) -> [String: Any] {
        var value: [String: Any] = ["id": levels]
        for id in (1..<levels).reversed() {
            value = inLists ? ["id": id, "boxes": [value]] : ["id": id, "next": value]
        }
        return value
    }

    private func depth(_ box: LimitBox?) -> Int {
        var (box, depth) = (box, 0)
        while let next = box {
            depth += 1
            box = next.next ?? next.boxes.first
        }
        return depth
    }

    private static let ways: [@Sendable (Transaction, [String: Any]) throws -> Void] = [
        { tx, value in try tx.create(LimitBox.self, value: value) },
        { tx, value in try tx.create(LimitBox.self, value: value as Any, update: .modified) },
        { tx, value in
            let box = try tx.create(LimitBox.self, value: ["id": 1])
            for name in ["next", "boxes"] where value[name] != nil { box[name] = value[name] }
        },
        { tx, value in try tx.dynamicCreate("LimitBox", value: value) },
        { tx, value in
            let box = try tx.dynamicCreate("LimitBox", value: ["id": 1])
            for name in ["next", "boxes"] where value[name] != nil { box[name] = value[name] }
        },
    ]

    // Covers .invalidValue
    @Test(arguments: ways.indices, [false, true])
    func objectsInDictionaries(_ way: Int, inLists: Bool) async throws {
        let realm = try await realm()
        let maximumLevel = way < 3 ? Self.maximumLevel : 32
        for levels in [maximumLevel - 1, maximumLevel] {
            try await realm.write { tx in
                try Self.ways[way](tx, chain(levels, inLists: inLists))
                expectEqual(depth(tx.object(LimitBox.self, forPrimaryKey: 1)), levels)
                tx.deleteAll()
            }
        }
        let version = realm.core.coordinator.published.version
        for levels in [maximumLevel + 1, 3_000] {
            let error = await realmError {
                try await realm.write { tx in
                    try Self.ways[way](tx, chain(levels, inLists: inLists))
                }
            }
            expectTrue(error?.code == .invalidValue && error?.className == "LimitBox")
            expectTrue(error?.property == (inLists ? "boxes" : "next"))
            expectEqual(
                error?.message.contains("\(maximumLevel) levels"), true,
                "\(error?.message ?? "none")")
        }
        expectEqual(realm.core.coordinator.published.version, version)
        await realm.close()
    }

    // Covers .invalidValue
    @Test(arguments: [false, true])
    func collectionsAddedToTheInnermostOne(isDynamic: Bool) async throws {
        let realm = try await realm()
        let empty = AnyRealmValue.fromArray([])
        try await realm.write { tx in
            let lists = (1..<99).reduce(empty) { value, _ in .fromArray([value]) }
            try tx.create(LimitBox.self, value: ["id": 1, "any": lists])
        }
        func add() async throws {
            try await realm.write { tx in
                if isDynamic {
                    let box = try tx.dynamicObject(ofType: "LimitBox", forPrimaryKey: 1)
                    var list = try requireValue(box).dynamicList("any")
                    while let next = list.first as? DynamicList { list = next }
                    try list.append(AnyRealmValue.fromArray([]))
                } else {
                    let box = try requireValue(tx.object(LimitBox.self, forPrimaryKey: 1))
                    var list = try requireValue(box.any.listValue)
                    while let next = list.first?.listValue { list = next }
                    list.append(.fromArray([]))
                }
            }
        }
        try await add()
        let error = await realmError { try await add() }
        expectTrue(error?.code == .invalidValue && error?.property == "any")
        expectEqual(error?.message.contains("100 levels"), true, "\(error?.message ?? "none")")
        await realm.close()
    }

    @Test func chainsOfObjectsMayHaveAnyLength() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            var box = LimitBox(value: ["id": 3_000])
            for id in (1..<3_000).reversed() {
                let next = LimitBox(value: ["id": id])
                next.next = box
                box = next
            }
            try tx.create(LimitBox.self, value: box as Any)
            expectEqual(tx.objects(LimitBox.self).count, 3_000)
            // The source is released link by link, because deinitialization would recurse.
            while let next = box.next {
                box.next = nil
                box = next
            }
        }
        await realm.close()
    }

    private func wrong(_ number: Int) -> Any {
        switch number {
        case 0: chain(3_000)
        case 1: [chain(3_000)]
        case 2: Array(repeating: Array(repeating: "text", count: 1_000), count: 1_000)
        default: longText(10_000_000)
        }
    }

    // Covers .invalidValue
    @Test(arguments: 0..<4, [false, true])
    func wrongValuesOfManyLevelsAreRefusedInFewWords(_ number: Int, isDynamic: Bool) async throws {
        let realm = try await realm()
        let error = await realmError {
            try await realm.write { tx in
                if isDynamic {
                    try tx.dynamicCreate("LimitBox", value: ["id": wrong(number)])
                } else {
                    try tx.create(LimitBox.self, value: ["id": wrong(number)])
                }
            }
        }
        expectTrue(error?.code == .invalidValue && error?.property == "id")
        expectTrue((error?.message.utf8.count ?? .max) < 400)
        await realm.close()
    }

    /// Returns a list that contains itself, also within a dictionary.
    private func endless(_ number: Int) -> List<AnyRealmValue> {
        let list = List<AnyRealmValue>()
        let map = Map<String, AnyRealmValue>()
        map["list"] = .list(list)
        list.append(.int(number))
        list.append(.list(list))
        list.append(.dictionary(map))
        return list
    }

    // Covers 2.39
    @Test func collectionsThatContainThemselvesAreComparedAndDescribed() async throws {
        let (first, second, third) = (endless(1), endless(1), endless(2))
        defer { for list in [first, second, third] { list.removeAll() } }
        expectTrue(first == second && first != third)
        expectEqual(AnyRealmValue.list(first), .list(second))
        expectTrue(AnyRealmValue.list(first) != .list(third))
        expectEqual(AnyRealmValue.list(first).hashValue, AnyRealmValue.list(second).hashValue)
        let text = first.description
        expectTrue(text.contains("<maximum depth exceeded>") && text.utf8.count < 100_000)
        expectTrue("\(AnyRealmValue.list(first))".contains("<maximum depth exceeded>"))
        let note = LimitBox(value: ["id": 1])
        note.any = .list(first)
        expectTrue(note.description.contains("<maximum depth exceeded>"))
        let realm = try await realm()
        let error = await realmError {
            try await realm.write { tx in
                let own = endless(1)
                defer { own.removeAll() }
                try tx.create(LimitBox.self, value: ["id": 1, "any": AnyRealmValue.list(own)])
            }
        }
        expectTrue(error?.code == .invalidValue && error?.property == "any")
        await realm.close()
    }

    // Covers 2.39
    @Test func descriptionsOfWideValuesAreShort() {
        var value = AnyRealmValue.int(1)
        for _ in 0..<8 { value = .fromArray(Array(repeating: value, count: 100)) }
        let box = LimitBox(value: ["id": 1])
        box.any = value
        expectTrue(box.description.utf8.count < 1_000_000)
        expectTrue("\(value)".utf8.count < 1_000_000)
    }
}
