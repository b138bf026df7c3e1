import Regnum
import RegnumSimulation
import RegnumTestSupport

/// A consumer of a history, with randomly drawn habits.
struct StreamConsumer {
    enum Event {
        case begin, cancel, pull
        /// Another stream continues from the position of this one, perhaps on the other side.
        case resume
    }

    let watch: any StreamWatch
    private(set) var side: Int
    private let start: Int
    /// Pulls every so many steps; if 0, never before the end.
    private let pace: Int
    private let cancellation: Int
    private let resumption: Int
    private let otherSide: Int
    var isRunning = false

    init(
        _ random: inout SeededRandom, stepCount: Int, _ sides: StreamSides, _ theme: StreamTheme?,
        _ record: StreamRecord
    ) {
        side = random.below(sides.count)
        let other = random.below(sides.count)
        otherSide = sides.resumption == .anywhere ? other : side
        let early = random.below(2) - 1
        start = random.oneIn(2) ? early : random.below(stepCount)
        pace = [1, 1, 2, 3, 0][random.below(5)]
        cancellation = random.oneIn(8) ? start + 1 + random.below(6) : -9
        let later = random.oneIn(3) ? start + 1 + random.below(6) : -9
        resumption = sides.resumption == .never ? -9 : later
        let kinds = random.oneIn(2) ? theme?.watches : nil
        // In memory there is no log to read commits from that the hub no longer has.
        let canFollowEach = record.keepsSummaries || sides.isOnDisk
        var kind = kinds.flatMap { random.pick($0) } ?? random.below(StreamConsumer.kindCount)
        if kind == 0, !canFollowEach { kind = 1 }
        let policies: [ChangePolicy] =
            canFollowEach
            ? [.coalesce, .coalesce, .everyCommit, .everyCommit, .newest]
            : [.coalesce, .coalesce, .newest]
        watch = StreamConsumer.watch(kind, policies[random.below(policies.count)], &random)
    }

    /// Returns what the consumer does after a step.
    mutating func event(_ step: Int) -> Event? {
        if step == start { return .begin }
        guard isRunning else { return nil }
        if step == cancellation { return .cancel }
        if step == resumption {
            side = otherSide
            return .resume
        }
        return pace > 0 && step % pace == 0 ? .pull : nil
    }

    private static let kindCount = 41

    private static func watch(
        _ kind: Int, _ policy: ChangePolicy, _ random: inout SeededRandom
    ) -> any StreamWatch {
        let isFollowed = !random.oneIn(3)
        let number =
            isFollowed ? random.below(StreamDraw.followedPersonCount) : random.below(24)
        let name = isFollowed ? StreamDraw.followedDog : ["Ada", "Bo", "Cy", "Di"][random.below(4)]
        let person = MirrorOwner(kind: .person, key: .int(number))
        let dog = MirrorOwner(kind: .dog, key: .text(name))
        @Sendable func live(_ realm: Realm) -> Live<StreamPerson> {
            realm.object(StreamPerson.self, forPrimaryKey: number)
        }
        @Sendable func liveDog(_ realm: Realm) -> Live<StreamDog> {
            realm.object(StreamDog.self, forPrimaryKey: name)
        }
        // `StreamTheme` refers to these numbers.
        switch kind {
        case 0: return CommitWatch()
        case 1:
            return ObjectWatch(person.key, StreamFilter(&random), policy, split(&random), live)
        case 2:
            return ObjectWatch(dog.key, StreamFilter(&random), policy, split(&random), liveDog)
        case 3:
            return ValueWatch(person, 13, policy, split(&random), { .text($0) }, { live($0).tags })
        case 4:
            return ValueWatch(dog, 6, policy, split(&random), { .of($0) }, { liveDog($0).numbers })
        case 5: return collection(.list(of: person, 11) { live($0).dogs }, policy, &random)
        case 6: return collection(.list(of: person, 12) { live($0).friends }, policy, &random)
        case 7: return collection(.list(of: person, 15) { live($0).boxes }, policy, &random)
        case 8: return collection(.list(of: dog, 5) { liveDog($0).toys }, policy, &random)
        case 9:
            let staff = MirrorInverse(origin: .person, property: 9)
            return collection(.inverse(of: person, staff) { live($0).staff }, policy, &random)
        case 10:
            let owners = MirrorInverse(origin: .person, property: 11)
            return collection(.inverse(of: dog, owners) { liveDog($0).owners }, policy, &random)
        case 11:
            let keepers = MirrorInverse(origin: .person, property: 10)
            return collection(
                .inverse(of: dog, keepers) { liveDog($0).keepers }, policy, &random)
        case 22:
            return ValueWatch(dog, 7, policy, split(&random), { .of($0) }, { liveDog($0).colors })
        case 23: return collection(.list(of: dog, 8) { liveDog($0).pals }, policy, &random)
        case 24:
            let fans = MirrorInverse(origin: .dog, property: 8)
            return collection(.inverse(of: person, fans) { live($0).fans }, policy, &random)
        case 25:
            let pens = MirrorInverse(origin: .person, property: 16)
            return collection(.inverse(of: dog, pens) { liveDog($0).pens }, policy, &random)
        case 26:
            return MapWatch(
                person, 17, .values, "", policy, split(&random), { .of($0) },
                { live($0).marks.changes(policy: $1, since: $2) })
        case 28, 29, 30: return note(dog, policy, &random, liveDog)
        case 31, 32, 33:
            let cards = StreamFollowed<StreamCard>(StreamQuery(&random))
            return CollectionWatch(cards, policy, split(&random))
        case 34:
            return ObjectWatch<StreamCard>(
                person.key, .projected(StreamCard.paths), "as card", policy, split(&random),
                { realm, policy, cursor in
                    realm.object(StreamCard.self, forPrimaryKey: number)
                        .changes(policy: policy, since: cursor)
                })
        case 27: return map(person, 16, policy, &random) { live($0).pets }
        case 38: return map(person, 18, policy, &random) { live($0).crates }
        case 39:
            return collection(
                .map(of: person, 16) { live($0).pets.where { $0.serial >= 0 } }, policy, &random)
        case 40:
            return collection(
                .map(of: person, 18) { live($0).crates.where { $0.serial >= 0 } }, policy, &random)
        case 12, 13, 14: return collection(StreamSource<StreamDog>.all, policy, &random)
        case 15, 16: return collection(StreamSource<StreamToy>.all, policy, &random)
        default: return collection(StreamSource<StreamPerson>.all, policy, &random)
        }
    }

    private static func note(
        _ owner: MirrorOwner, _ policy: ChangePolicy, _ random: inout SeededRandom,
        _ live: @escaping @Sendable (Realm) -> Live<StreamDog>
    ) -> any StreamWatch {
        var path: [StreamNoteStep] = []
        for _ in 0..<random.below(3) {
            path.append(
                random.oneIn(3)
                    ? .key(StreamDraw.noteKeys[random.below(4)]) : .position(random.below(2)))
        }
        let steps = path
        @Sendable func values(_ realm: Realm) -> LiveValues<FrozenAnyValue> {
            steps.reduce(live(realm).note) { values, step in
                switch step {
                case .position(let position): values.at(position)
                case .key(let key): values.at(key)
                }
            }
        }
        if random.oneIn(3) {
            return MapWatch(
                owner, path, policy, split(&random),
                { values($0).dictionary.changes(policy: $1, since: $2) })
        }
        return ValueWatch(owner, path, policy, split(&random), values)
    }

    private static func map<Model: StreamQueried>(
        _ owner: MirrorOwner, _ property: Int, _ policy: ChangePolicy,
        _ random: inout SeededRandom,
        _ live: @escaping @Sendable (Realm) -> LiveMap<String, Frozen<Model>?>
    ) -> any StreamWatch {
        var drawn = StreamFilter<Model>(&random)
        if case .deep = drawn { drawn = .deep(3) }
        let filter = drawn
        return MapWatch(
            owner, property, .objects(Model.mirrorClass, filter.mirror), ", \(filter.name)", policy,
            split(&random), { .of($0.map { Model.serial($0) }) },
            look: { (object: Frozen<Model>?, worlds, what) in
                if let object { try Model.check(object, worlds, what) }
            },
            { realm, policy, cursor in
                let map = live(realm)
                switch filter {
                case .deep: return map.changes(policy: policy, since: cursor)
                case .paths(let paths, isTyped: true):
                    let keyPaths = paths.compactMap { $0.typed?() }
                    return map.changes(keyPaths: keyPaths, policy: policy, since: cursor)
                case .paths(let paths, isTyped: false):
                    let keyPaths = paths.map(\.text)
                    return try map.changes(keyPaths: keyPaths, policy: policy, since: cursor)
                }
            })
    }

    private static func collection<Model: StreamQueried>(
        _ source: StreamSource<Model>, _ policy: ChangePolicy, _ random: inout SeededRandom
    ) -> any StreamWatch {
        let query = StreamQuery<Model>(&random)
        let filter = StreamFilter<Model>(&random)
        return CollectionWatch(StreamFollowed(source, query, filter), policy, split(&random))
    }

    private static func split(_ random: inout SeededRandom) -> SeededRandom {
        SeededRandom(random.next())
    }
}
