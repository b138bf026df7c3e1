import Foundation
import RegnumJSON
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// How deep JSON lines may be nested, and how many of them a batch may have.
@Suite struct JSONLevelTests {
    private static let schema =
        #"{"regnum":1,"classes":[{"name":"Box","properties":["#
        + #"{"name":"id","type":"int","key":true},{"name":"next","class":"Node"}]},"#
        + #"{"name":"Node","embedded":true,"properties":[{"name":"next","class":"Node"},"#
        + #"{"name":"list","list":true,"class":"Node"},"#
        + #"{"name":"map","map":true,"class":"Node"},"#
        + #"{"name":"any","list":true,"type":"any"}]}]}"# + "\n"

    /// Returns a line with a box and nested nodes, each in `property` of the one around it.
    private func line(_ levels: Int, _ property: String, _ innermost: String = "{}") -> String {
        let (start, end) =
            switch property {
            case "list": ("[", "]")
            case "map": (#"{"key":"#, "}")
            default: ("", "")
            }
        var value = innermost
        for _ in 2..<levels { value = #"{"\#(property)":\#(start)\#(value)\#(end)}"# }
        return #"{"class":"Box","values":{"id":1,"next":\#(value)}}"#
    }

    // Covers .invalidInput
    @Test func levelsOfALine() async throws {
        let realm = try await Realm.json()
        for levels in [351, 352, 353] {
            for (start, end) in [("[", "]"), (#"{"a":"#, "}")] {
                let line =
                    String(repeating: start, count: levels) + (start == "[" ? "" : "1")
                    + String(repeating: end, count: levels)
                // Each is no line of a realm, but only the deepest can't be read.
                let error = await realmError { try await realm.importJSON(text: line) }
                expectTrue(error?.code == .invalidInput && error?.line == 1)
                let isTooDeep = error?.message.contains("deeper than 352 levels")
                expectEqual(isTooDeep, levels > 352, "\(error?.message.prefix(300) ?? "none")")
            }
        }
    }

    // Covers .invalidInput
    @Test func sizesOfBatches() async throws {
        let text = Self.schema + line(2, "next") + "\n"
        for size in [1, 2, Int.max] {
            let realm = try await Realm.json()
            try await realm.importJSON(text: text, batchSize: size)
            expectEqual(realm.snapshot().storedClasses.first?.objectCount, 1)
        }
        for size in [0, -1, Int.min] {
            let realm = try await Realm.json()
            let error = await realmError { try await realm.importJSON(text: text, batchSize: size) }
            expectTrue(error?.code == .invalidInput && realm.snapshot().version == 0)
            expectEqual(error?.message.contains("\(size)"), true)
            let file = await realmError {
                try await realm.importJSON(from: URL(filePath: "/dev/null"), batchSize: size)
            }
            expectTrue(file?.code == .invalidInput && realm.isEmpty)
        }
    }

    @Test func whatIsNestedMostDeeplyIsExportedAndImported() async throws {
        let (lists, levels) = (Limits.maximumAnyLevel, Limits.maximumValueLevel)
        for (start, end) in [(#"{"list":["#, "]}"), (#"{"dictionary":{"k":"#, "}}")] {
            let link = #"{"object":{"class":"Box","key":1}}"#
            let any =
                String(repeating: start, count: lists) + link + String(repeating: end, count: lists)
            let realm = try await Realm.json()
            try await realm.importJSON(
                text: Self.schema + line(levels, "list", #"{"any":[\#(any)]}"#))
            let text = try await realm.snapshot().json()
            expectTrue(text.contains(any))
            let other = try await Realm.json()
            try await other.importJSON(text: text)
            try await expectEqual(other.snapshot().json(), text)
        }
    }

    /// Sets the property of the innermost node.
    private func extend(_ realm: Realm, _ property: String, by levels: Int) async throws {
        try await realm.write { tx in
            let box = try requireValue(try tx.dynamicObject(ofType: "Box", forPrimaryKey: 1))
            var node = box
            while let next = Self.next(of: node) { node = next }
            for _ in 0..<levels {
                let value: [String: Any] = [:]
                switch property {
                case "list": try node.set([value], of: property)
                case "map": try node.set(["key": value], of: property)
                default: try node.set(value, of: property)
                }
                node = try requireValue(Self.next(of: node))
            }
        }
    }

    private static func next(of node: DynamicObject) -> DynamicObject? {
        if let next = node["next"] as? DynamicObject { return next }
        guard node.className == "Node" else { return nil }
        if let list = node["list"] as? DynamicList, let first = list.first {
            return first as? DynamicObject
        }
        return (node["map"] as? DynamicMap)?["key"] as? DynamicObject
    }

    // Covers .invalidValue
    @Test(arguments: ["next", "list", "map"])
    func embeddedObjectsInTooManyLevelsAreRefused(_ property: String) async throws {
        let realm = try await Realm.json()
        let maximumLevel = Limits.maximumValueLevel
        let tooDeep = await realmError {
            try await realm.importJSON(text: Self.schema + line(maximumLevel + 1, property))
        }
        expectTrue(tooDeep?.code == .invalidValue && tooDeep?.line == 2)
        expectTrue(tooDeep?.className == "Node" && tooDeep?.property == property)
        expectEqual(tooDeep?.message.contains("more than \(maximumLevel) levels"), true)
        expectEqual(realm.snapshot().version, 0)
        try await realm.importJSON(text: Self.schema + line(maximumLevel, property))
        let text = try await realm.snapshot().json()
        let other = try await Realm.json()
        try await other.importJSON(text: text)
        try await expectEqual(
            other.snapshot().json().split(separator: "\n").last,
            text.split(separator: "\n").last)
        for levels in [1, 20_000] {
            try await extend(realm, property, by: levels)
            let error = await realmError { try await realm.snapshot().json() }
            expectEqual(error?.code, .invalidValue)
            expectTrue(error?.className == "Node" && error?.property == property)
            expectEqual(error?.message.contains("more than \(maximumLevel) levels"), true)
        }
        try await realm.write { tx in
            tx.delete(try requireValue(try tx.dynamicObject(ofType: "Box", forPrimaryKey: 1)))
        }
    }
}
