import Regnum
import RegnumTestSupport
import Testing

/// An enum whose raw values aren't in order of declaration.
private enum BoundSize: Int, PersistableEnum {
    case medium = 5
    case small = 1
    case large = 9
}

/// An enum with its own order: the reverse of the raw values.
private enum BoundRank: Int, PersistableEnum, Comparable {
    case first = 1
    case second = 2
    static func < (left: BoundRank, right: BoundRank) -> Bool { left.rawValue > right.rawValue }
}

private enum BoundColor: String, PersistableEnum { case red, darkRed, blue }

private final class BoundBox: Object {
    @Persisted var size: BoundSize
    @Persisted var color: BoundColor
    @Persisted var colors: Map<String, BoundColor>
    @Persisted var next: BoundSize?
    @Persisted var rank: BoundRank
    @Persisted var inner: BoundBox?
    @Persisted var boxes: List<BoundBox>
    @Persisted var sizes: List<BoundSize>
    @Persisted var optional: List<BoundSize?>
    @Persisted var set: MutableSet<BoundSize>
    @Persisted var map: Map<String, BoundSize?>
    @Persisted var ranks: List<BoundRank>

    convenience init(_ size: BoundSize, next: BoundSize? = nil) {
        self.init()
        (self.size, self.next) = (size, next)
    }
}

/// The minimum and maximum of enums whose raw values have them.
@Suite struct EnumBoundTests {
    private func bounds<C: RealmCollection>(_ boxes: C) -> [BoundSize?]
    where C.Element == BoundBox {
        [
            boxes.min(of: \.size), boxes.max(of: \.size), boxes.min(of: \.next),
            boxes.max(of: \.next),
        ]
    }

    // Covers 2.21
    @Test func enumPropertiesHaveBounds() async throws {
        let realm = try await Realm.temporary([BoundBox.self])
        try await realm.write { tx in
            let outer = BoundBox(.large)
            outer.inner = BoundBox(.medium, next: .small)
            outer.boxes.append(objectsIn: [BoundBox(.large, next: .large), BoundBox(.medium)])
            expectEqual(bounds(outer.boxes), [.medium, .large, .large, .large])
            try tx.add(outer)
            expectEqual(bounds(outer.boxes), [.medium, .large, .large, .large])
            expectEqual(bounds(AnyRealmCollection(outer.boxes)), bounds(outer.boxes))
            let all = tx.objects(BoundBox.self)
            expectEqual(bounds(all), [.medium, .large, .small, .large])
            expectTrue(all.min(of: \.size) == .medium && all.max(of: \.next) == .large)
            expectTrue(
                all.min(of: \.inner?.size) == .medium && all.max(of: \.inner?.next) == .small)
            expectNil(all.where { $0.size == .small }.max(of: \.size))
        }
        let frozen = realm.snapshot().objects(BoundBox.self)
        expectTrue(frozen.min(of: \.size) == .medium && frozen.min(of: \.next) == .small)
        expectEqual(realm.objects(BoundBox.self).max(of: \.size), .large)
    }

    private func check(_ box: BoundBox) {
        expectTrue(box.sizes.min() == .small && box.sizes.max() == .medium)
        expectTrue(box.optional.min() == .medium && box.optional.max() == .large)
        expectTrue(box.set.min() == .small && box.set.max() == .large)
        expectTrue(box.map.min() == .small && box.map.max() == .large)
        expectEqual(AnyRealmCollection(box.optional).max(), .large)
        // If the enum is Comparable, the program's order is used.
        expectTrue(box.ranks.min() == .second && box.ranks.max() == .first)
    }

    // Covers 3.19, 3.20, 3.31
    @Test func queriesAskForBoundsAndRawValues() async throws {
        let realm = try await Realm.temporary([BoundBox.self])
        try await realm.write { tx in
            let box = BoundBox(.medium, next: .large)
            box.sizes.append(objectsIn: [.medium, .small])
            box.optional.append(objectsIn: [nil, .large, .medium])
            box.set.insert(objectsIn: [.large, .small])
            (box.map["a"], box.map["b"], box.map["c"]) = (.small, .some(nil), .large)
            try tx.add(box)
            let empty = BoundBox(.large)
            empty.boxes.append(box)
            try tx.add(empty)
        }
        let boxes = realm.snapshot().objects(BoundBox.self)
        func sizes(_ condition: (Query<BoundBox>) -> Query<Bool>) -> [BoundSize] {
            boxes.where(condition).map(\.size)
        }
        expectEqual(sizes { $0.sizes.min == .small }, [.medium])
        expectEqual(sizes { $0.sizes.max > .small }, [.medium])
        expectEqual(sizes { $0.optional.min == .medium && $0.optional.max == .large }, [.medium])
        expectEqual(sizes { $0.set.max == .large && $0.set.min != .large }, [.medium])
        expectEqual(sizes { $0.map.min == .small && $0.map.max == .large }, [.medium])
        expectEqual(sizes { $0.map.min == nil }, [.large])
        expectEqual(sizes { $0.boxes.size.max == .medium && $0.boxes.next.min == .large }, [.large])
        expectEqual(sizes { $0.optional.rawValue == 9 }, [.medium])
        expectEqual(sizes { $0.optional.rawValue == nil }, [.medium])
        expectEqual(sizes { $0.optional.rawValue.sum == 14 }, [.medium])
        expectEqual(sizes { $0.set.rawValue.contains(1...9) }, [.medium])
        expectEqual(sizes { $0.map.rawValue.values == nil && $0.map.rawValue.sum == 10 }, [.medium])
        expectEqual(sizes { $0.map.rawValue["c"] > 8 }, [.medium])
        expectEqual(sizes { $0.map["c"].rawValue > 8 }, [.medium])
    }

    // Covers 3.31
    @Test func textOperatorsApplyToRawValues() async throws {
        let realm = try await Realm.temporary([BoundBox.self])
        try await realm.write { tx in
            for color in [BoundColor.red, .darkRed, .blue] {
                let box = BoundBox(.small)
                box.color = color
                box.colors["a"] = color
                try tx.add(box)
            }
        }
        let boxes = realm.snapshot().objects(BoundBox.self)
        func colors(_ condition: (Query<BoundBox>) -> Query<Bool>) -> [BoundColor] {
            boxes.where(condition).map(\.color)
        }
        expectEqual(colors { $0.color.ends(with: "Red") }, [.darkRed])
        expectEqual(
            colors { $0.color.rawValue.ends(with: "ED", options: .caseInsensitive) },
            [.red, .darkRed])
        expectEqual(colors { $0.color.rawValue.contains("Re") }, [.darkRed])
        expectEqual(colors { $0.color.like("*l*") }, [.blue])
        expectEqual(colors { $0.colors["a"].rawValue.starts(with: "dark") }, [.darkRed])
        expectEqual(colors { $0.colors["a"].starts(with: "b") }, [.blue])
    }

    // Covers 2.21
    @Test func collectionsOfEnumsHaveBounds() async throws {
        let realm = try await Realm.temporary([BoundBox.self])
        try await realm.write { tx in
            let box = BoundBox(.medium)
            box.sizes.append(objectsIn: [.medium, .small, .medium])
            box.optional.append(objectsIn: [nil, .large, .medium])
            box.set.insert(objectsIn: [.large, .small])
            (box.map["a"], box.map["b"], box.map["c"]) = (.small, .some(nil), .large)
            box.ranks.append(objectsIn: [.first, .second])
            check(box)
            try tx.add(box)
            check(box)
            let empty = BoundBox(.large)
            try tx.add(empty)
            expectTrue(empty.sizes.min() == nil && empty.map.max() == nil && empty.set.max() == nil)
        }
        let box = try requireValue(realm.snapshot().objects(BoundBox.self).first)
        expectTrue(box.sizes.min() == .small && box.sizes.max() == .medium)
        expectTrue(box.optional.min() == .medium && box.set.max() == .large)
    }
}
