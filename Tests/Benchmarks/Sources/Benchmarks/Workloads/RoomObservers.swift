import BenchmarkKit
import Foundation
import Regnum

/// A note in a room; each observer of row 10b follows one room.
final class RoomNote: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var room: Int
    @Persisted var text: String

    convenience init(_ id: Int, room: Int) {
        self.init()
        self.id = id
        self.room = room
        text = "a note of a few words"
    }
}

/// A commit of one note and its delivery, with 10,000 observers of one room each, compared with a
/// single observer.
struct RoomObservers: Workload {
    private static let roomCount = 10_000
    private static let notesOfRoom = 10
    private static let commitCount = 4_000
    /// The number of commits to one realm, followed by as many to the other.
    private static let turn = 100

    let name = "10b"
    var notes: [String] {
        [
            "the p50 from the call of `write` (one note more, without a sync) to the change set in",
            "the hand of the room's observer: of a random one of \(Self.roomCount) observed rooms",
            "(10b-many) to the only observed one (10b-one), both of \(Self.roomCount) rooms.",
        ]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        guard setting.engines.contains(.regnum) else { return [] }
        let one = try await ObservedRooms(setting, "one")
        let many = try await ObservedRooms(setting, "many")
        return [Contender(.regnum) { try await measure(one, many) }]
    }

    @concurrent
    private func measure(_ one: ObservedRooms, _ many: ObservedRooms) async throws -> [Sample] {
        try await one.begin(0..<1)
        try await many.begin(0..<Self.roomCount)
        var generator = SeededGenerator(seed: People.seed)
        var timesOfOne: [Double] = []
        var timesOfMany: [Double] = []
        while timesOfOne.count < Self.commitCount {
            for _ in 0..<Self.turn { timesOfOne.append(try await one.microseconds(room: 0)) }
            for _ in 0..<Self.turn {
                let room = Int.random(in: 0..<Self.roomCount, using: &generator)
                timesOfMany.append(try await many.microseconds(room: room))
            }
        }
        await one.end()
        await many.end()
        let ofOne = Statistics.percentile(timesOfOne, 0.5)
        let ofMany = Statistics.percentile(timesOfMany, 0.5)
        return [
            Sample(name, ofMany / ofOne, .ratio),
            Sample("\(name)-one", ofOne, .microseconds),
            Sample("\(name)-many", ofMany, .microseconds),
            Sample("\(name)-many-p99", Statistics.percentile(timesOfMany, 0.99), .microseconds),
        ]
    }

    /// A realm with notes in all rooms, some of which are observed.
    ///
    /// An actor, because of the tasks; a round is one caller.
    private actor ObservedRooms {
        private let realm: Realm
        private let board = DeliveryBoard()
        private var observers: [Task<Void, Never>] = []
        private var nextID = RoomObservers.roomCount * RoomObservers.notesOfRoom

        init(_ setting: Setting, _ name: String) async throws {
            let place = setting.directory.appending(path: "\(name).realm")
            realm = try await RegnumStore.open(
                place, .relaxed(within: .seconds(1)), RoomNote.self)
            let count = nextID
            try await realm.write { tx in
                for id in 0..<count {
                    try tx.add(RoomNote(id, room: id % RoomObservers.roomCount))
                }
            }
        }

        func begin(_ rooms: Range<Int>) async throws {
            board.expect(rooms.count)
            observers = rooms.map { room in
                Task { [realm, board] in
                    do {
                        try await Self.observe(realm, room, board)
                    } catch {
                        board.fail(error)
                    }
                }
            }
            _ = try await board.reports()
        }

        @concurrent
        private static func observe(
            _ realm: Realm, _ room: Int, _ board: DeliveryBoard
        ) async throws {
            for try await change in realm.objects(RoomNote.self).where({ $0.room == room }).changes
            {
                let time = monotonicNanoseconds()
                var delivery = AgeDelivery(deletions: 0, insertions: 0, modifications: 0)
                if case .update(_, let delta) = change {
                    delivery.deletions = delta.deletions.count
                    delivery.insertions = delta.insertions.count
                    delivery.modifications = delta.modifications.count
                }
                board.report(room, delivery, at: time)
            }
        }

        /// Returns the time from the call of `write` to the receipt of the change set by the
        /// observer.
        func microseconds(room: Int) async throws -> Double {
            let id = nextID
            nextID += 1
            board.expect(1)
            let called = monotonicNanoseconds()
            try await realm.write { tx in try tx.add(RoomNote(id, room: room)) }
            guard let report = try await board.reports()[room], report.delivery.insertions == 1,
                report.delivery.deletions == 0, report.delivery.modifications == 0
            else { throw Failure("10b: the observer of room \(room) did not receive its note.") }
            opaqueCall()
            return Double(report.nanoseconds - called) / 1_000
        }

        func end() async {
            for observer in observers { observer.cancel() }
            for observer in observers { await observer.value }
            observers = []
        }
    }
}
