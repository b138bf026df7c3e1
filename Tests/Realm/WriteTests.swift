import FoundationEssentials
import Regnum
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct WriteTests {
    @Test func addedObjectsAreFoundInTheNextTransaction() async throws {
        let realm = try await Realm.temporary([Room.self, Message.self])
        let room = Room("general", topic: "everything")
        try await realm.write { tx in
            try tx.add(room)
            expectTrue(room.isManaged)
            expectEqual(room.topic, "everything")
        }
        let topic = try await realm.read { tx in
            tx.object(Room.self, forPrimaryKey: "general")?.topic
        }
        expectEqual(topic, "everything")
    }

    // Covers 5.41
    @Test func changesAreVisibleInTheBodyAtOnceAndOutsideAfterIt() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            try tx.add(Person("Ann", age: 30))
            expectEqual(tx.objects(Person.self).count, 1)
            expectEqual(realm.snapshot().objects(Person.self).count, 0)
            tx.objects(Person.self)[0].age = 31
            expectEqual(tx.objects(Person.self).first?.age, 31)
        }
        expectEqual(realm.snapshot().objects(Person.self).first?.age, 31)
    }

    // Covers 5.36, 12.21
    @Test func bodyThatThrowsCommitsNothingAndItsErrorPassesUnwrapped() async throws {
        struct Refusal: Error, Equatable { let reason: String }
        let realm = try await Realm.temporary()
        let before = realm.snapshot().version
        await #expect(throws: Refusal(reason: "no")) {
            try await realm.write { tx in
                try tx.add(Person("Ann", age: 30))
                throw Refusal(reason: "no")
            }
        }
        expectEqual(realm.snapshot().version, before)
        expectTrue(realm.snapshot().objects(Person.self).isEmpty)
    }

    // Covers 5.41
    @Test func theSnapshotOfAWriteShowsWhatItMadeAndNothingLater() async throws {
        let realm = try await Realm.temporary([Person.self])
        let (first, version) = try await realm.snapshot(afterWriting: { tx in
            try tx.add(Person("Ann", age: 1))
            return tx.version
        })
        try await realm.write { try $0.add(Person("Bob", age: 2)) }
        expectTrue(first.version == version && first.objects(Person.self).map(\.name) == ["Ann"])
        let (same, count) = try await realm.snapshot(afterWriting: { tx in
            tx.objects(Person.self).count
        })
        expectTrue(count == 2 && same.version == realm.snapshot().version)
        expectEqual(same.objects(Person.self).count, 2)
        expectTrue(realm.stats().snapshots.allSatisfy { $0.place.contains("WriteTests.swift") })
        await #expect(throws: CancellationError.self) {
            _ = try await realm.snapshot(afterWriting: { tx in
                try tx.add(Person("Cid", age: 3))
                throw CancellationError()
            })
        }
        expectEqual(realm.snapshot().objects(Person.self).count, 2)
    }

    @Test func theVersionOfATransactionIsTheOneThatIsReached() async throws {
        let realm = try await Realm.temporary([Person.self])
        let before = realm.snapshot().version
        let (early, late) = try await realm.write { tx in
            let early = tx.version
            try tx.add(Person("Ann", age: 1))
            return (early, tx.version)
        }
        expectTrue(early == before && late > before)
        try await expectEqual(realm.snapshot(atLeast: late).version, late)
        // Otherwise it would wait for another commit.
        let unchanged = try await realm.write { $0.version }
        try await expectEqual(realm.snapshot(atLeast: unchanged).version, late)
    }

    // Covers 5.41
    @Test(.disabled(if: Effort.isReduced))
    func aCancelledWriteEndsWhileAnotherBodyRuns() async throws {
        let realm = try await Realm.temporary([Person.self])
        let (begun, goesOn) = (WakeWord(), WakeWord())
        let long = Task(executorPreference: ThreadExecutor()) {
            try await realm.write { tx in
                try tx.add(Person("Ann", age: 1))
                begun.wake()
                if goesOn.observe() == 0 {
                    goesOn.wait(observed: 0, timeoutNanoseconds: 1_200_000_000_000)
                }
                return goesOn.observe()
            }
        }
        while begun.observe() == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let waiting = Task { try await realm.write { try $0.add(Person("Bob", age: 2)) } }
        try await Task.sleep(for: .milliseconds(10))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        goesOn.wake()
        try await expectEqual(long.value, 1, "the body ended after the cancelled write")
        expectEqual(realm.snapshot().objects(Person.self).map(\.name), ["Ann"])
    }

    @Test func bodyThatChangesNothingCommitsNothing() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { try $0.add(Person("Ann", age: 1)) }
        let version = realm.snapshot().version
        try await realm.write { tx in _ = tx.objects(Person.self).count }
        try await realm.write { tx in
            let person = Person("Bob", age: 2)
            try tx.add(person)
            tx.delete(person)
        }
        expectEqual(realm.snapshot().version, version)
    }

    @Test func versionInAWriteIsTheOneItCommitsAs() async throws {
        let realm = try await Realm.temporary()
        for _ in 0..<3 {
            let version = try await realm.write { tx in
                try tx.add(Person("Ann", age: 1))
                return tx.version
            }
            expectEqual(realm.snapshot().version, version)
            try await expectEqual(realm.read { $0.version }, version)
        }
    }

    // Covers 7.1
    @Test func duplicatePrimaryKeyIsThrownAtTheCallAndTheTransactionGoesOn() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add(Room("general", topic: "first")) }
        try await realm.write { tx in
            let error = #expect(throws: Realm.Error.self) { try tx.add(Room("general")) }
            expectEqual(error?.code, .duplicatePrimaryKey)
            expectEqual(error?.className, "Room")
            expectEqual(error?.property, "name")
            expectEqual(error?.key?.contains("general"), true)
            try tx.add(Room("other"))
        }
        let rooms = realm.snapshot().objects(Room.self)
        expectEqual(rooms.map(\.name), ["general", "other"])
        expectEqual(rooms.first?.topic, "first")
    }

    // Covers 12.19
    @Test func errorCodesArePatterns() async throws {
        let realm = try await Realm.temporary([Room.self])
        do {
            try await realm.write { tx in
                try tx.add(Room("a"))
                try tx.add(Room("a"))
            }
            Issue.record("a duplicate was stored")
        } catch Realm.Error.Code.closed {
            Issue.record("the wrong code matched")
        } catch Realm.Error.Code.duplicatePrimaryKey {
        }
        expectTrue(realm.snapshot().objects(Room.self).isEmpty)
    }

    // Covers 7.27
    @Test func addingTwiceIsNoChange() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            let person = Person("Ann", age: 1)
            try tx.add(person)
            try tx.add(person)
            try tx.add(try requireValue(tx.objects(Person.self).first))
            expectEqual(tx.objects(Person.self).count, 1)
        }
    }

    // Covers 1.9, 7.53
    @Test func deletedObjectsAreGone() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            try tx.add((0..<10).map { Person("p\($0)", age: $0) })
        }
        try await realm.write { tx in
            let first = try requireValue(tx.objects(Person.self).first)
            let again = try requireValue(tx.objects(Person.self).first)
            tx.delete(first)
            expectTrue(first.isInvalidated)
            expectTrue(again.isInvalidated)
            tx.delete(tx.objects(Person.self).where { $0.age > 7 })
            expectEqual(tx.objects(Person.self).map(\.age), [1, 2, 3, 4, 5, 6, 7])
            tx.delete([try requireValue(tx.objects(Person.self).last)])
        }
        expectEqual(realm.snapshot().objects(Person.self).map(\.age), [1, 2, 3, 4, 5, 6])
    }

    @Test func valueBeyondItsLimitsFailsTheWholeTransaction() async throws {
        let realm = try await Realm.temporary([Message.self, Person.self])
        try await realm.write { try $0.add(Message("general", "hello")) }
        let version = realm.snapshot().version
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let message = try requireValue(tx.objects(Message.self).first)
                message.text = "changed"
                message.sentAt = Date(timeIntervalSinceReferenceDate: .nan)
                message.text = longText(17 << 20)
                expectEqual(message.text, "changed")
            }
        }
        expectEqual(error?.code, .invalidValue)
        expectEqual(error?.className, "Message")
        expectEqual(error?.property, "sentAt")
        expectEqual(realm.snapshot().version, version)
        expectEqual(realm.snapshot().objects(Message.self).first?.text, "hello")
    }

    @Test func valueBeyondItsLimitsIsThrownByAdd() async throws {
        let realm = try await Realm.temporary([Message.self])
        try await realm.write { tx in
            let message = Message("general", "hello")
            message.editedAt = Date(timeIntervalSinceReferenceDate: .nan)
            let error = #expect(throws: Realm.Error.self) { try tx.add(message) }
            expectEqual(error?.code, .invalidValue)
            expectEqual(error?.property, "editedAt")
            expectTrue(!message.isManaged)
            message.editedAt = nil
            try tx.add(message)
        }
        expectEqual(realm.snapshot().objects(Message.self).count, 1)
    }

    @Test func primaryKeyOfAManagedObjectCannotBeSet() async throws {
        let realm = try await Realm.temporary([Room.self])
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let room = Room("general")
                room.name = "still free"
                try tx.add(room)
                room.name = "still free"
            }
        }
        expectEqual(error?.code, .invalidValue)
        expectEqual(error?.className, "Room")
        expectEqual(error?.property, "name")
        expectTrue(realm.snapshot().objects(Room.self).isEmpty)
    }

    @Test func violationIsThrownEvenIfTheBodyThrowsLater() async throws {
        struct Later: Error {}
        let realm = try await Realm.temporary([Room.self])
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let room = Room("general")
                try tx.add(room)
                room.name = "other"
                throw Later()
            }
        }
        expectEqual(error?.code, .invalidValue)
    }

    // Covers 5.41
    @Test func writersOfManyTasksTakeTurns() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { try $0.add(Person("counter", age: 0)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    for _ in 0..<50 {
                        try await realm.write { tx in
                            tx.objects(Person.self)[0].age += 1
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        expectEqual(realm.snapshot().objects(Person.self).first?.age, 1000)
    }

    // Covers 12.20
    @Test func cancelledTaskDoesNotRunItsBody() async throws {
        let realm = try await Realm.temporary([Person.self])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await realm.write { try $0.add(Person("Ann", age: 1)) }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        expectTrue(realm.snapshot().objects(Person.self).isEmpty)
    }

    @Test func cancellationCountsUntilTheCommitBegins() async throws {
        let realm = try await Realm.temporary([Person.self])
        let changing = Task {
            try await realm.write { tx in
                try tx.add(Person("Ann", age: 1))
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await changing.value }
        expectTrue(realm.snapshot().objects(Person.self).isEmpty)
        try await realm.write { try $0.add(Person("Bob", age: 2)) }
        let reading = Task {
            try await realm.write { tx in
                withUnsafeCurrentTask { $0?.cancel() }
                return tx.objects(Person.self).count
            }
        }
        try await expectEqual(reading.value, 1)
    }

    @Test func allTypesComeBackAsTheyWereStored() async throws {
        let realm = try await Realm.temporary([Everything.self])
        let uuid = UUID()
        let objectId = ObjectId.generate()
        let date = Date(timeIntervalSinceReferenceDate: -0.123456789)
        try await realm.write { tx in
            let full = Everything()
            full.id = .min
            full.flag = true
            full.number = .max
            full.ratio = -.infinity
            full.text = "e\u{301} and é, and \0 too"
            full.data = Data([0, 255, 1])
            full.date = date
            full.uuid = uuid
            full.objectId = objectId
            full.maybeFlag = false
            full.maybeNumber = -1
            full.maybeRatio = .nan
            full.maybeText = ""
            full.maybeData = Data()
            full.maybeDate = date
            full.maybeUuid = uuid
            full.maybeObjectId = objectId
            try tx.add(full)
            let empty = Everything()
            empty.id = 0
            try tx.add(empty)
        }
        try await realm.read { tx in
            let full = try requireValue(tx.object(Everything.self, forPrimaryKey: Int.min))
            expectTrue(full.flag && full.number == .max && full.ratio == -.infinity)
            expectEqual(Array(full.text.utf8), Array("e\u{301} and é, and \0 too".utf8))
            expectTrue(full.data == Data([0, 255, 1]) && full.date == date)
            expectTrue(full.uuid == uuid && full.objectId == objectId)
            expectTrue(full.maybeFlag == false && full.maybeNumber == -1)
            expectTrue(full.maybeRatio?.isNaN == true && full.maybeText == "")
            expectTrue(full.maybeData == Data() && full.maybeDate == date)
            expectTrue(full.maybeUuid == uuid && full.maybeObjectId == objectId)
            let empty = try requireValue(tx.object(Everything.self, forPrimaryKey: 0))
            expectTrue(!empty.flag && empty.number == 0 && empty.ratio == 0 && empty.text == "")
            expectTrue(empty.data == Data() && empty.maybeFlag == nil && empty.maybeNumber == nil)
            expectTrue(empty.maybeRatio == nil && empty.maybeText == nil && empty.maybeData == nil)
            expectTrue(empty.maybeDate == nil && empty.maybeUuid == nil)
            expectNil(empty.maybeObjectId)
            expectTrue(empty.uuid != UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
            expectTrue(empty.objectId != ObjectId())
        }
    }

    // Covers 1.65
    @Test func nilIsAPrimaryKeyLikeAnyOther() async throws {
        final class Slot: Object {
            @Persisted(primaryKey: true) var number: Int?
            @Persisted var text: String
        }
        let realm = try await Realm.temporary([Slot.self])
        try await realm.write { tx in
            let slot = Slot()
            slot.text = "the one without number"
            try tx.add(slot)
            #expect(throws: Realm.Error.self) { try tx.add(Slot()) }
            expectNil(tx.object(Slot.self, forPrimaryKey: 1))
            expectEqual(tx.object(Slot.self, forPrimaryKey: Int?.none)?.text, slot.text)
        }
    }
}
