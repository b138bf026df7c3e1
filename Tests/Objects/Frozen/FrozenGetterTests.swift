import RegnumTestSupport
import Synchronization
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// A class whose computed properties trap on values and links that its objects don't have.
private final class Tiger: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var friend: Tiger?
    @Persisted var cubs: List<Tiger>
    @Persisted var toys: List<String>
    @Persisted var ranks: MutableSet<Int>
    @Persisted var scores: Map<String, Int>
    @Persisted var content: AnyRealmValue
    @Persisted var contents: List<AnyRealmValue>
    @Persisted(originProperty: "friend") var admirers: LinkingObjects<Tiger>

    convenience init(_ id: Int, _ name: String) {
        self.init()
        self.id = id
        self.name = name
    }

    var capitalized: String { name.prefix(1).uppercased() + String(name.dropFirst().first!) }
    var title: String {
        get { name.first! == "-" ? "none" : name }
        set { name = newValue }
    }
    var goodFriend: Tiger? {
        get { friend!.name.first! == "-" ? nil : friend }
        set { friend = newValue }
    }
    var goodCubs: List<Tiger> { cubs.first!.name.first! == "-" ? friend!.cubs : cubs }
    var goodToys: List<String> { toys.first! == "-" ? friend!.toys : toys }
    var goodRanks: MutableSet<Int> { ranks.first! < 0 ? friend!.ranks : ranks }
    var goodScores: Map<String, Int> { scores["a"]! < 0 ? friend!.scores : scores }
    var goodContent: AnyRealmValue { content.intValue! < 0 ? .none : content }
    var goodContents: List<AnyRealmValue> {
        contents.first!.intValue! < 0 ? friend!.contents : contents
    }
    var goodAdmirers: LinkingObjects<Tiger> {
        admirers.first!.name.first! == "-" ? friend!.admirers : admirers
    }
}

private final class Shelf: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var text: String
    var ignored = 0

    /// The last object that a getter ran on.
    static let kept = Mutex<Kept?>(nil)

    struct Kept: @unchecked Sendable {  // Guard: `kept`, and only one task uses it.
        let shelf: Shelf
    }

    var keptText: String {
        let kept = Kept(shelf: self)
        Shelf.kept.withLock { $0 = kept }
        return text
    }

    /// The number of reads of this property on this instance.
    var askedCount: Int {
        ignored += 1
        return ignored
    }
}

/// The values seen by getters of frozen objects: those of the row, whatever was read before.
@Suite struct FrozenGetterTests {
    /// Makes two tigers, each the other's friend. All values of the second are "-" or negative.
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary([Tiger.self])
        try await realm.write { tx in
            let (rex, no) = (Tiger(1, "Rex"), Tiger(2, "-no"))
            for (tiger, sign, toy) in [(rex, 1, "ball"), (no, -1, "-")] {
                tiger.toys.append(toy)
                tiger.ranks.insert(sign)
                tiger.scores["a"] = sign
                tiger.content = .int(sign)
                tiger.contents.append(.int(sign))
            }
            (rex.friend, no.friend) = (no, rex)
            rex.cubs.append(rex)
            no.cubs.append(no)
            try tx.add([rex, no])
            let fan = Tiger(3, "Fan")
            fan.friend = rex
            try tx.add(fan)
        }
        return realm
    }

    @Test func getterIsAskedOfEachRow() async throws {
        let realm = try await realm()
        let snapshot = realm.snapshot()
        let rex = try requireValue(snapshot.object(Tiger.self, forPrimaryKey: 1))
        let no = try requireValue(snapshot.object(Tiger.self, forPrimaryKey: 2))
        for _ in 0..<2 {
            expectTrue(rex.title == "Rex" && no.title == "none" && rex.name == "Rex")
            expectTrue(rex.capitalized == "Re" && no.capitalized == "-n")
            expectTrue(rex.goodFriend == nil && no.goodFriend?.name == "Rex")
            expectTrue(rex.goodCubs.map(\.id) == [1] && no.goodCubs.map(\.id) == [1])
            expectTrue(rex.goodToys.array == ["ball"] && no.goodToys.array == ["ball"])
            expectTrue(rex.goodRanks.array == [1] && no.goodRanks.array == [1])
            expectEqual(rex.goodScores.dictionary, ["a": 1])
            expectEqual(no.goodScores.dictionary, ["a": 1])
            expectTrue(rex.goodContent == .int(1) && no.goodContent == FrozenAnyValue.none)
            expectTrue(rex.goodContents.array == [.int(1)] && no.goodContents.array == [.int(1)])
            expectEqual(no.goodAdmirers.map(\.id), [1])
            expectEqual(rex.goodAdmirers.map(\.id), [1])  // the first one is "-no"
        }
        // the stored properties themselves
        expectTrue(no.name == "-no" && no.friend?.id == 1 && no.cubs.map(\.id) == [2])
        expectTrue(no.toys.array == ["-"] && no.ranks.array == [-1] && no.scores["a"] == -1)
        expectTrue(no.content == .int(-1) && no.contents.array == [.int(-1)])
        expectTrue(no.admirers.map(\.id) == [1] && rex.admirers.map(\.id) == [2, 3])
    }

    @Test func whatAQueryFoundOutDoesNotMatter() async throws {
        let realm = try await realm()
        let tigers = realm.snapshot().objects(Tiger.self)
        expectEqual(tigers.where { $0.name == "Rex" }.map(\.name), ["Rex"])
        expectEqual(tigers.sorted(by: \.name).map(\.title), ["none", "Fan", "Rex"])
    }

    @Test func manyTasksReadOneSnapshot() async throws {
        let realm = try await Realm.temporary([Shelf.self])
        try await realm.write { tx in
            for number in 0..<500 {
                try tx.create(Shelf.self, value: ["number": number, "text": "t\(number)"])
            }
        }
        let shelves = realm.snapshot().objects(Shelf.self)
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<1_000).allSatisfy { step in
                        let shelf = shelves[(step * 7 + task) % 500]
                        return shelf.text == "t\(shelf.number)"
                    }
                }
            }
            for await isRight in group { expectTrue(isRight) }
        }
    }

    /// Ignored properties belong to the instance.
    @Test func eachReadHasAnObjectOfItsOwn() async throws {
        let realm = try await Realm.temporary([Shelf.self])
        try await realm.write { try $0.add(Shelf()) }
        let shelf = realm.snapshot().objects(Shelf.self)[0]
        for _ in 0..<3 { expectEqual(shelf.askedCount, 1) }
    }

    @Test func objectThatAGetterKeptIsOver() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Realm.temporary([Shelf.self])
            try await realm.write { try $0.add(Shelf()) }
            let shelf = realm.snapshot().objects(Shelf.self)[0]
            _ = shelf.keptText
            guard let kept = Shelf.kept.withLock({ $0 }), kept.shelf.isInvalidated else { return }
            _ = shelf.text
            _ = kept.shelf.text
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expectTrue(text.contains("Shelf.text was used after the body"), "\(text)")
    }
}
