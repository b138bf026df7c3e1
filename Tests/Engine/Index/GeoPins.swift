import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Rows with random coordinates in the tests of geospatial indexes, and what these should be.
struct GeoPins {
    struct Pin {
        var type: String
        var coordinates: [Double]
    }

    static let table = TableKey(rawValue: 0)
    static let elements = TableKey(rawValue: 1)
    static let list = ListKey(rawValue: 0)
    static let layout = GeoLayout(
        type: ColumnReference(name: "type", type: .string, missing: .string("")),
        coordinates: .list("coordinates", of: "Pin.coordinates"),
        element: ColumnReference(name: "value", type: .double, missing: .double(0)))

    var root = DatabaseRoot.makeEmpty()
    private(set) var pins: [UInt64: Pin] = [:]
    private var random: SeededRandom

    init(_ random: SeededRandom, isIndexed: Bool = true) throws {
        self.random = random
        let transaction = EngineTransaction(base: root)
        try GeoPins.addTables(transaction, isIndexed: isIndexed)
        root = try transaction.commit(timestampMicroseconds: 0).root
    }

    static func addTables(_ transaction: EngineTransaction, isIndexed: Bool) throws {
        _ = try transaction.addTable(
            name: "Pin", columns: [ColumnDefinition(name: "type", type: .string)])
        _ = try transaction.addTable(
            name: "Pin.coordinates", kind: .elements,
            columns: [ColumnDefinition(name: "value", type: .double)])
        _ = try transaction.addList(table, name: "coordinates", target: elements)
        if isIndexed { try transaction.addGeoIndex(table, list) }
    }

    static func insert(_ transaction: EngineTransaction, _ pin: Pin) throws -> UInt64 {
        let row = try transaction.insert(table, [.string(pin.type)])
        if !pin.coordinates.isEmpty {
            try transaction.insertIntoList(
                table, row, list, at: 0, newRows: pin.coordinates.map { .double($0) })
        }
        return row.rawValue
    }

    // MARK: Random content

    /// A longitude or latitude: mostly a valid one, often on a border or near few other places.
    private mutating func angle(_ maximum: Double) -> Double {
        switch random.below(12) {
        case 0: random.oneOf([-maximum, maximum, 0, -0.0])
        case 1: random.oneOf([.nan, .infinity, -.infinity, maximum.nextUp, -maximum * 2])
        case 2...5: 10 + Double.random(in: -0.01...0.01, using: &random)
        default: .random(in: -maximum...maximum, using: &random)
        }
    }

    private mutating func newPin() -> Pin {
        let types = ["Point", "Point", "Point", "Point", "POINT", "Line", ""]
        let count = random.oneOf([0, 1, 2, 2, 2, 2, 2, 3, 3, 4])
        let coordinates = (0..<count).map { $0 == 0 ? angle(180) : angle(90) }
        return Pin(type: random.oneOf(types), coordinates: coordinates)
    }

    /// A circle or polygon of any size; at a pole, on the antimeridian, around a pin or anywhere.
    private mutating func area() throws -> GeoArea {
        var center = (latitude: 10.0, longitude: 10.0)
        switch random.below(5) {
        case 0: center.latitude = random.oneOf([-90, 90, 89.95, -89.95])
        case 1: center.longitude = random.oneOf([-180, 180, 179.999, -179.999])
        case 2:
            center.latitude = .random(in: -90...90, using: &random)
            center.longitude = .random(in: -180...180, using: &random)
        default: break
        }
        let size = random.oneOf([0, 1e-9, 1e-5, 0.001, 0.02, 0.3, 1, 2, 4])
        let radius = size * Double.random(in: 0.5...1, using: &random)
        let (latitude, longitude) = center
        if random.oneIn(2) || radius < 1e-6 || radius > 1 {
            return GeoArea(
                center: GeoVector(latitude: latitude, longitude: longitude), radius: radius,
                text: "circle \(latitude), \(longitude), \(radius)")
        }
        let degrees = radius * 180 / .pi
        func corner(_ north: Double, _ east: Double) -> GeoVector {
            var far = longitude + east * degrees
            if abs(far) > 180 { far = far.remainder(dividingBy: 360) }
            return GeoVector(
                latitude: max(-89, min(89, latitude + north * degrees)), longitude: far)
        }
        let isNearPole = abs(latitude) + degrees > 85
        if isNearPole {
            let edge = latitude < 0 ? -85.0 : 85.0
            let ring = [0.0, 90, 180, -90].map { GeoVector(latitude: edge, longitude: $0) }
            return try GeoArea(rings: [ring], text: "pole \(edge)")
        }
        var rings = [[corner(-1, -1), corner(-1, 1), corner(1, 1), corner(1, -1)]]
        if random.oneIn(2) {
            rings.append(
                [corner(-0.3, -0.3), corner(-0.3, 0.3), corner(0.3, 0.3), corner(0.3, -0.3)])
        }
        return try GeoArea(
            rings: rings, text: "polygon \(latitude), \(longitude), \(degrees), \(rings.count)")
    }

    // MARK: Changes

    /// Makes random changes, some of which are rolled back to a savepoint.
    mutating func change(_ transaction: EngineTransaction, count: Int = 40) throws {
        // A commit without changes isn't one.
        let first = Pin(type: "Point", coordinates: [10, 10])
        pins[try GeoPins.insert(transaction, first)] = first
        for _ in 0..<random.below(count) {
            guard random.oneIn(6) else {
                try changeRow(transaction)
                continue
            }
            let savepoint = transaction.savepoint()
            let before = pins
            for _ in 0..<random.below(6) { try changeRow(transaction) }
            if random.oneIn(2) {
                transaction.rollback(to: savepoint)
                pins = before
            }
            let area = try area()
            try expectEqual(
                plan(area).evaluate(transaction).map(\.rawValue), rows(area), "\(area.text)")
        }
    }

    private mutating func changeRow(_ transaction: EngineTransaction) throws {
        let pin = newPin()
        guard !pins.isEmpty, !random.oneIn(4) else {
            pins[try GeoPins.insert(transaction, pin)] = pin
            return
        }
        let row = pins.keys.sorted()[random.below(pins.count)]
        let key = ObjectKey(rawValue: row)
        guard var old = pins[row] else { return }
        let count = old.coordinates.count
        let position = random.below(count)
        switch random.below(8) {
        case 0:
            transaction.delete(GeoPins.table, key)
            pins[row] = nil
            return
        case 1:
            old.type = pin.type
            try transaction.set(
                GeoPins.table, key, ColumnKey(rawValue: 0), .string(pin.type))
        case 2 where count > 0, 3 where count > 0:
            let element = try element(transaction, key, position)
            old.coordinates[position] = angle(90)
            try transaction.set(
                GeoPins.elements, element, ColumnKey(rawValue: 0),
                .double(old.coordinates[position]))
        case 4 where count > 0:
            let end = position + 1 + random.below(count - position)
            transaction.removeFromList(GeoPins.table, key, GeoPins.list, position..<end)
            old.coordinates.removeSubrange(position..<end)
        case 5 where count > 0:
            let destination = random.below(count)
            transaction.moveInList(
                GeoPins.table, key, GeoPins.list, from: position, to: destination)
            let moved = old.coordinates.remove(at: position)
            old.coordinates.insert(moved, at: destination)
        case 6 where count > 0:
            // takes the element out of the list
            transaction.delete(GeoPins.elements, try element(transaction, key, position))
            old.coordinates.remove(at: position)
        default:
            guard !pin.coordinates.isEmpty else { break }
            let place = random.below(count + 1)
            try transaction.insertIntoList(
                GeoPins.table, key, GeoPins.list, at: place,
                newRows: pin.coordinates.map { .double($0) })
            old.coordinates.insert(contentsOf: pin.coordinates, at: place)
        }
        pins[row] = old
    }

    private func element(
        _ transaction: EngineTransaction, _ row: ObjectKey, _ position: Int
    ) throws -> ObjectKey {
        try requireValue(
            transaction.listElement(GeoPins.table, row, GeoPins.list, at: position))
    }

    /// Commits as one record, which another tree applies, or in bulk.
    mutating func commit(_ transaction: EngineTransaction) throws -> DatabaseRoot {
        if random.oneIn(5) {
            return try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0).root
        }
        return try commitAndReplay(transaction).root
    }

    // MARK: Checks

    func plan(_ area: GeoArea) -> QueryPlan {
        QueryPlan(tableName: "Pin", predicate: .within(GeoPins.layout, area))
    }

    /// Compares the integrity and searches at the committed root.
    mutating func check() throws {
        try root.checkIntegrity { false }
        for _ in 0..<4 {
            let area = try area()
            let rows = rows(area)
            try expectEqual(plan(area).evaluate(root).map(\.rawValue), rows, "\(area.text)")
            try expectEqual(plan(area).count(root), rows.count, "\(area.text)")
        }
    }

    private func rows(_ area: GeoArea) -> [UInt64] {
        pins.filter { _, pin in
            pin.type.lowercased() == "point" && pin.coordinates.count >= 2
                && area.contains(latitude: pin.coordinates[1], longitude: pin.coordinates[0])
        }.map(\.key).sorted()
    }
}
