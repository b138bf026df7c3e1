import Regnum
import RegnumSimulation
import RegnumTestSupport

/// A key path: as text, typed, and as the oracle follows it.
struct StreamKeyPath<Model: StreamModel>: Sendable {
    let text: String
    /// `nil` where it leads through a map, for which there are no typed key paths.
    let typed: (@Sendable () -> PartialKeyPath<Model>)?
    let path: MirrorPath

    init(_ text: String, _ typed: (@Sendable () -> PartialKeyPath<Model>)? = nil) {
        self.text = text
        self.typed = typed
        path = MirrorPath(text, of: Model.mirrorClass)
    }
}

extension MirrorPath {
    init(_ text: String, of kind: MirrorClass) {
        let inverses: [String: MirrorInverse] = [
            "StreamPerson.staff": MirrorInverse(origin: .person, property: 9),
            "StreamPerson.fans": MirrorInverse(origin: .dog, property: 8),
            "StreamDog.owners": MirrorInverse(origin: .person, property: 11),
            "StreamDog.keepers": MirrorInverse(origin: .person, property: 10),
            "StreamDog.pens": MirrorInverse(origin: .person, property: 16),
            "StreamToy.dogs": MirrorInverse(origin: .dog, property: 5),
        ]
        let names = text.split(separator: ".").map { String($0) }
        var kind = kind
        var components: [Component] = []
        for name in names {
            if let inverse = inverses["\(kind.name).\(name)"] {
                components.append(.inverse(inverse))
                kind = inverse.origin
            } else {
                let property = kind.position(name)
                components.append(.forward(property))
                kind = kind.properties[property].kind.target ?? kind
            }
        }
        self.init(name: names[0], components: components)
    }
}

/// The changes that a stream reports as modifications.
enum StreamFilter<Model: StreamModel>: Sendable {
    case deep(Int)
    case paths([StreamKeyPath<Model>], isTyped: Bool)

    var mirror: MirrorFilter {
        switch self {
        case .deep(let depth): .deep(depth)
        case .paths(let paths, _): .paths(paths.map(\.path))
        }
    }

    var name: String {
        switch self {
        case .deep(let depth): "depth \(depth)"
        case .paths(let paths, let isTyped):
            "\(isTyped ? "typed " : "")\(paths.map(\.text))"
        }
    }
}

extension StreamFilter where Model: StreamQueried {
    init(_ random: inout SeededRandom) {
        guard random.oneIn(3) else {
            self = .deep(random.below(5))
            return
        }
        var paths: [StreamKeyPath<Model>] = []
        for _ in 0...random.below(3) {
            if let path = random.pick(Model.keyPaths) { paths.append(path) }
        }
        let isTyped = random.oneIn(2) && paths.allSatisfy { $0.typed != nil }
        self = .paths(paths, isTyped: isTyped)
    }
}

extension StreamPerson {
    static let keyPaths: [StreamKeyPath<StreamPerson>] = [
        StreamKeyPath("age") { \.age }, StreamKeyPath("name") { \.name },
        StreamKeyPath("score") { \.score }, StreamKeyPath("boss") { \.boss },
        StreamKeyPath("boss.age") { \.boss?.age },
        StreamKeyPath("boss.boss.name") { \.boss?.boss?.name },
        StreamKeyPath("dog") { \.dog }, StreamKeyPath("dog.age") { \.dog?.age },
        StreamKeyPath("dog.toy.price") { \.dog?.toy?.price },
        StreamKeyPath("dogs") { \.dogs }, StreamKeyPath("dogs.age") { \.dogs[0].age },
        StreamKeyPath("dogs.toys.price") { \.dogs[0].toys[0].price },
        StreamKeyPath("friends.name") { \.friends[0].name }, StreamKeyPath("tags") { \.tags },
        StreamKeyPath("box") { \.box }, StreamKeyPath("box.size") { \.box?.size },
        StreamKeyPath("boxes.toy.price") { \.boxes[0].toy?.price },
        StreamKeyPath("staff") { \.staff }, StreamKeyPath("staff.age") { \.staff[0].age },
        StreamKeyPath("dog.owners.name") { \.dog?.owners[0].name },
        StreamKeyPath("boss.staff") { \.boss?.staff },
        StreamKeyPath("pets") { \.pets }, StreamKeyPath("pets.age"),
        StreamKeyPath("pets.toy.price"), StreamKeyPath("marks") { \.marks },
        StreamKeyPath("dog.colors") { \.dog?.colors }, StreamKeyPath("fans") { \.fans },
        StreamKeyPath("fans.age") { \.fans[0].age },
        StreamKeyPath("dogs.note") { \.dogs[0].note },
        StreamKeyPath("boss.marks") { \.boss?.marks }, StreamKeyPath("crates") { \.crates },
        StreamKeyPath("crates.size"), StreamKeyPath("boss.crates.toy.price"),
    ]
}

extension StreamDog {
    static let keyPaths: [StreamKeyPath<StreamDog>] = [
        StreamKeyPath("age") { \.age }, StreamKeyPath("weight") { \.weight },
        StreamKeyPath("toy") { \.toy }, StreamKeyPath("toy.price") { \.toy?.price },
        StreamKeyPath("toys") { \.toys }, StreamKeyPath("toys.label") { \.toys[0].label },
        StreamKeyPath("numbers") { \.numbers }, StreamKeyPath("owners") { \.owners },
        StreamKeyPath("owners.name") { \.owners[0].name },
        StreamKeyPath("keepers") { \.keepers },
        StreamKeyPath("keepers.boss.age") { \.keepers[0].boss?.age },
        StreamKeyPath("owners.tags") { \.owners[0].tags },
        StreamKeyPath("colors") { \.colors }, StreamKeyPath("pals") { \.pals },
        StreamKeyPath("pals.name") { \.pals[0].name },
        StreamKeyPath("pals.marks") { \.pals[0].marks }, StreamKeyPath("pens") { \.pens },
        StreamKeyPath("pens.age") { \.pens[0].age }, StreamKeyPath("note") { \.note },
    ]
}

extension StreamToy {
    static let keyPaths: [StreamKeyPath<StreamToy>] = [
        StreamKeyPath("price") { \.price }, StreamKeyPath("label") { \.label },
        StreamKeyPath("dog.age") { \.dog?.age },
        StreamKeyPath("dog.numbers") { \.dog?.numbers }, StreamKeyPath("dogs") { \.dogs },
        StreamKeyPath("dogs.toy") { \.dogs[0].toy },
    ]
}

extension StreamBox {
    static let keyPaths: [StreamKeyPath<StreamBox>] = [
        StreamKeyPath("size") { \.size }, StreamKeyPath("toy.price") { \.toy?.price },
    ]
}
