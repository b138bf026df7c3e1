import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Values and objects of snapshots as arguments of predicate strings.
@Suite struct PredicateFrozenTests {
    private func check(
        _ gadgets: FrozenResults<Gadget>, _ text: String, _ value: Any?, _ ids: [Int],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try gadgets.filter(text, value).map(\.id)
        expectEqual(found, ids, "\(text)", sourceLocation: sourceLocation)
    }

    // Covers 3.88
    @Test func frozenValuesOfAnyTypeAreUsedAsWhatTheyAre() async throws {
        let gadgets = try await Gadgets.realm().snapshot().objects(Gadget.self)
        let bob = FrozenAnyValue.string("BOB")
        try check(gadgets, "any == %@", FrozenAnyValue.string("bob"), [3])
        try check(gadgets, "any ==[c] %@", bob, [3])
        try check(gadgets, "any !=[c] %@", bob, [0, 1, 2, 4, 5])
        try check(gadgets, "any IN[c] %@", [bob, .int(1)], [1, 3])
        try check(gadgets, "any BEGINSWITH[c] %@", bob, [3])
        try check(gadgets, "text ==[c] %@", bob, [2])
        try check(gadgets, "number == %@", FrozenAnyValue.int(7), [4])
        try check(gadgets, "maybeNumber == %@", FrozenAnyValue.none, [0, 3])
        try check(gadgets, "any == %@", FrozenAnyValue.none, [0])
        try check(gadgets, "any == %@", FrozenAnyValue.list([.int(8)]), [4])
        try check(gadgets, "any == %@", FrozenAnyValue.dictionary([:]), [5])
        let content: FrozenAnyValue = gadgets[2].any
        try check(gadgets, "any == %@", content, [2])
    }

    // Covers 3.88, .invalidQuery
    @Test func frozenObjectsAreComparedWithValuesOfAnyType() async throws {
        let realm = try await Gadgets.realm()
        let other = try await Gadgets.realm()
        try await realm.write { tx in
            let gadget = try requireValue(tx.object(Gadget.self, forPrimaryKey: 0))
            gadget.any = .object(try requireValue(tx.object(Gadget.self, forPrimaryKey: 2)))
        }
        let snapshot = realm.snapshot()
        let gadgets = snapshot.objects(Gadget.self)
        let dynamic = try snapshot.dynamicObjects("Gadget")[2]
        let content: FrozenAnyValue = gadgets[0].any
        let operands: [Any] = [content, gadgets[2], dynamic]
        for operand in operands {
            try check(gadgets, "any == %@", operand, [0])
            try check(gadgets, "any != %@", operand, [1, 2, 3, 4, 5])
            try check(gadgets, "any IN %@", [operand], [0])
            try check(gadgets, "friend == %@", operand, [5])
            // it is of another realm, where the row is that of another object
            for text in ["any == %@", "any != %@", "friend == %@"] {
                let error = await realmError {
                    try other.snapshot().objects(Gadget.self).filter(text, operand)
                }
                expectEqual(error?.code, .invalidQuery, "\(text)")
                expectEqual(error?.className, "Gadget", "\(text)")
            }
        }
        try check(gadgets, "any == %@", gadgets[1], [])
        let part = try requireValue(gadgets[1].part)
        let embedded = await realmError { try gadgets.filter("any == %@", part) }
        expectEqual(embedded?.code, .invalidQuery)
    }
}
