import Foundation
import Regnum
import RegnumTestSupport
import Testing

/// A rack whose crate has values of all kinds.
enum Racks {
    final class Crate: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var labels: MutableSet<String>
        @Persisted var others: MutableSet<Crate>
        @Persisted var counts: Map<String, Int>
        @Persisted var content: AnyRealmValue
        @Persisted(originProperty: "crate") var racks: LinkingObjects<Rack>
    }

    final class Rack: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var crate: Crate?

        var inner: List<AnyRealmValue>? { crate?.content.listValue?[1].listValue }
        var words: List<String> { List(["a", crate == nil ? "none" : "b"]) }
        var sizes: Map<String, Int> {
            let sizes = Map<String, Int>()
            sizes["crate"] = crate?.id ?? 0
            return sizes
        }
    }

    final class View: Projection<Rack> {
        @Projected(\Rack.crate?.labels) var labels
        @Projected(\Rack.crate?.others) var others
        @Projected(\Rack.crate?.counts) var counts
        @Projected(\Rack.crate?.content) var content
        @Projected(\Rack.crate?.racks) var racks
        @Projected(\Rack.inner) var inner
        @Projected(\Rack.words) var words
        @Projected(\Rack.sizes) var sizes
    }
}

/// A box whose computed properties return objects.
private final class Bolt: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var size: Int
}

private final class Box: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var bolt: Bolt?
    @Persisted var bolts: List<Bolt>
    @Persisted var notes: List<String>

    var few: List<Bolt> { List(bolts.prefix(2)) }
    var brief: List<String> { List(notes.prefix(1)) }
    var spare: Bolt { bolt ?? Bolt() }
    var large: [Bolt] { bolts.filter { $0.size > 10 } }
}

/// The encoding of projected values that aren't properties of the projected object itself.
@Suite struct ProjectionEncodingTests {
    // Covers 8.23, 11.5
    @Test func collectionsAndValuesBehindALinkAreEncodedLikeProperties() async throws {
        let realm = try await Realm.temporary([Racks.Rack.self, Racks.Crate.self])
        try await realm.write { tx in
            let crate = try tx.create(
                Racks.Crate.self,
                value: [
                    "id": 7, "labels": ["l", "k"], "counts": ["n": 1],
                    "content": [2, ["x", 3.5]] as [Any],
                ])
            crate.others.insert(crate)
            try tx.create(Racks.Rack.self, value: ["id": 1, "crate": crate])
            try tx.create(Racks.Rack.self, value: ["id": 2])
        }
        let views = realm.snapshot().objects(Racks.View.self)
        try expectEqual(
            json(views[0]),
            """
            {"content":[2,["x",3.5]],"counts":{"n":1},"inner":["x",3.5],"labels":["k","l"],\
            "others":[7],"sizes":{"crate":7},"words":["a","b"]}
            """)
        try expectEqual(
            json(views[1]),
            """
            {"content":null,"counts":null,"inner":null,"labels":null,"others":null,\
            "racks":null,"sizes":{"crate":0},"words":["a","none"]}
            """)
    }

    private final class Spares: Projection<Box> {
        @Projected(\Box.spare) var spare
        @Projected(\Box.large) var large
    }

    private final class Brief: Projection<Box> {
        @Projected(\Box.few) var few
        @Projected(\Box.brief) var brief
        @Projected(\Box.notes) var notes
    }

    // Covers 8.23
    @Test func aCopyOfACollectionIsNotEncodedAsTheCollection() async throws {
        let realm = try await Realm.temporary([Box.self, Bolt.self])
        try await realm.write { tx in
            let bolts = [1, 2, 3].map { ["id": $0] }
            try tx.create(Box.self, value: ["id": 1, "bolts": bolts, "notes": ["a", "b"]])
        }
        let brief = try requireValue(realm.snapshot().object(Brief.self, forPrimaryKey: 1))
        try expectEqual(json(brief), #"{"brief":["a"],"few":[1,2],"notes":["a","b"]}"#)
    }

    /// An object that isn't stored has no row to be encoded.
    // Covers 8.23
    @Test func objectsThatComputedPropertiesReturnAreEncodedAsLinks() async throws {
        let realm = try await Realm.temporary([Box.self, Bolt.self])
        try await realm.write { tx in
            let bolts = try [5, 20, 30].map {
                try tx.create(Bolt.self, value: ["id": $0, "size": $0])
            }
            try tx.create(Box.self, value: ["id": 1, "bolt": bolts[1], "bolts": bolts])
            try tx.create(Box.self, value: ["id": 2])
        }
        let boxes = realm.snapshot().objects(Spares.self)
        try expectEqual(json(boxes[0]), #"{"large":[20,30],"spare":20}"#)
        let error = #expect(throws: Realm.Error.self) { try json(boxes[1]) }
        expectTrue(error?.code == .invalidInput && error?.className == "Box")
    }

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
