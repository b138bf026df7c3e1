import Foundation
import Regnum
import Testing

/// Delete rules against a plain graph: random links, deletions in savepoints and without, failing
/// transactions, a stream, and the realm opened again.
@Suite struct DeleteRuleRandomTests {
    /// A node with the numbers that it links to.
    private struct Node: Equatable {
        var plain: Int?
        var plainList: [Int] = []
        var plainMap: [String: Int?] = [:]
        var child: Int?
        var children: [Int] = []
        var group: Set<Int> = []
        var named: [String: Int?] = [:]
        var needs: Int?
        var needsList: [Int] = []
        var needsSet: Set<Int> = []
        var needsMap: [String: Int?] = [:]
        var holds: Int?
        var hasPart = false

        init() {}

        init(_ node: RuleNode) {
            plain = node.plain?.number
            plainList = node.plainList.map(\.number)
            for entry in node.plainMap { plainMap[entry.key] = .some(entry.value?.number) }
            child = node.child?.number
            children = node.children.map(\.number)
            group = Set(node.group.map(\.number))
            for entry in node.named { named[entry.key] = .some(entry.value?.number) }
            needs = node.needs?.number
            needsList = node.needsList.map(\.number)
            needsSet = Set(node.needsSet.map(\.number))
            for entry in node.needsMap { needsMap[entry.key] = .some(entry.value?.number) }
            hasPart = node.part != nil
            holds = node.part?.holds?.number
        }

        var cascades: [Int] {
            [child].compactMap { $0 } + children + group + named.values.compactMap { $0 }
        }

        var denials: [Int] {
            [needs, holds].compactMap { $0 } + needsList + needsSet
                + needsMap.values.compactMap { $0 }
        }

        mutating func forget(_ gone: Set<Int>) {
            func kept(_ link: Int?) -> Int? { link.flatMap { gone.contains($0) ? nil : $0 } }
            (plain, child, needs, holds) = (kept(plain), kept(child), kept(needs), kept(holds))
            plainList.removeAll { gone.contains($0) }
            children.removeAll { gone.contains($0) }
            needsList.removeAll { gone.contains($0) }
            group.subtract(gone)
            needsSet.subtract(gone)
            plainMap = plainMap.mapValues { kept($0) }
            named = named.mapValues { kept($0) }
            needsMap = needsMap.mapValues { kept($0) }
        }
    }

    private struct Graph: Equatable {
        var nodes: [Int: Node] = [:]
        var lastNumber = 0

        /// Deletes nodes and what goes with them; false, with nothing changed, if a link denies it.
        mutating func delete(_ numbers: [Int]) -> Bool {
            var gone: Set<Int> = []
            var pending = numbers
            while let number = pending.popLast() {
                if gone.insert(number).inserted { pending += nodes[number]?.cascades ?? [] }
            }
            for (number, node) in nodes where !gone.contains(number) {
                if node.denials.contains(where: gone.contains) { return false }
            }
            nodes = nodes.filter { !gone.contains($0.key) }
            for number in nodes.keys { nodes[number]?.forget(gone) }
            return true
        }
    }

    private struct TakenBack: Error {}

    private static func all(_ tx: Transaction) -> [Int: Node] {
        Dictionary(uniqueKeysWithValues: tx.objects(RuleNode.self).map { ($0.number, Node($0)) })
    }

    @Test(arguments: 0..<8) func deletionsAgreeWithAPlainGraph(round: Int) async throws {
        let start = SeededRandom.seed() &+ UInt64(round)
        var random = SeededRandom(start)
        let folder = try RealmFolder()
        let configuration = folder.configuration("rules.realm", ruleClasses)
        var realm = try await Realm.open(configuration)
        var numbers: Set<Int> = []
        var lastNumber = 0
        var stream = realm.objects(RuleNode.self).changes.makeAsyncIterator()
        _ = try await stream.next()
        for step in 0..<40 {
            let place = Comment(rawValue: "seed \(start), step \(step)")
            let (seed, number) = (random.next(), lastNumber)
            do {
                let (after, last) = try await realm.write { tx -> ([Int], Int) in
                    var random = SeededRandom(seed)
                    var graph = Graph(nodes: Self.all(tx), lastNumber: number)
                    for _ in 0...random.next() % 6 {
                        try Self.edit(tx, &graph, &random, place)
                        #expect(Self.all(tx) == graph.nodes, place)
                    }
                    if random.next() % 6 == 0 { throw TakenBack() }
                    return (graph.nodes.keys.sorted(), graph.lastNumber)
                }
                lastNumber = last
                let gone = numbers.subtracting(after)
                if !gone.isEmpty || !Set(after).subtracting(numbers).isEmpty {
                    guard case .update(_, let delta)? = try await stream.next() else {
                        Issue.record("no update")
                        return
                    }
                    #expect(Set(delta.deleted.map(\.number)) == gone, place)
                    #expect(delta.deletions.count == gone.count, place)
                }
                numbers = Set(after)
            } catch is TakenBack {
            } catch Realm.Error.Code.deletionDenied {
            }
            #expect(Set(realm.snapshot().objects(RuleNode.self).map(\.number)) == numbers, place)
            if random.next() % 8 == 0 {
                let before = try await realm.read { tx in Self.dump(tx) }
                await realm.close()
                realm = try await Realm.open(configuration)
                #expect(try await realm.read { tx in Self.dump(tx) } == before, place)
            }
            // a commit that only set links may be told or not: begin anew
            stream = realm.objects(RuleNode.self).changes.makeAsyncIterator()
            _ = try await stream.next()
        }
        await realm.close()
    }

    private static func dump(_ tx: Transaction) -> String {
        all(tx).sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.cascades.sorted())" }
            .joined(separator: "\n")
    }

    /// One random change of both.
    private static func edit(
        _ tx: Transaction, _ graph: inout Graph, _ random: inout SeededRandom, _ place: Comment
    ) throws {
        let numbers = graph.nodes.keys.sorted()
        guard numbers.count > 3, random.next() % 5 != 0 else {
            for _ in 0..<3 {
                graph.lastNumber += 1
                graph.nodes[graph.lastNumber] = Node()
                try tx.create(RuleNode.self, value: ["number": graph.lastNumber])
            }
            return
        }
        func any() -> Int { numbers[Int(random.next() % UInt64(numbers.count))] }
        if random.next() % 3 == 0 {
            let chosen = (0...random.next() % 3).map { _ in any() }
            let objects = try chosen.map {
                try #require(tx.object(RuleNode.self, forPrimaryKey: $0))
            }
            var next = graph
            if next.delete(chosen) {
                // once or in a sequence, of which some stand twice
                if objects.count == 1 { tx.delete(objects[0]) } else { tx.delete(objects) }
                graph = next
            } else if random.next() % 4 > 0 {
                let error = #expect(throws: Realm.Error.self, place) {
                    try tx.savepoint { tx.delete(objects) }
                }
                #expect(error?.code == .deletionDenied, place)
            } else {
                tx.delete(objects)  // and the transaction fails
            }
            return
        }
        let (from, to) = (any(), any())
        let node = try #require(tx.object(RuleNode.self, forPrimaryKey: from))
        let other = try #require(tx.object(RuleNode.self, forPrimaryKey: to))
        let key = "k\(random.next() % 3)"
        switch random.next() % 16 {
        case 0: (node.plain, graph.nodes[from]!.plain) = (other, to)
        case 1:
            node.plainList.append(other)
            graph.nodes[from]!.plainList.append(to)
        case 2: (node.plainMap[key], graph.nodes[from]!.plainMap[key]) = (other, .some(to))
        case 3, 4: (node.child, graph.nodes[from]!.child) = (other, to)
        case 5, 6:
            node.children.append(other)
            graph.nodes[from]!.children.append(to)
        case 7:
            node.group.insert(other)
            graph.nodes[from]!.group.insert(to)
        case 8: (node.named[key], graph.nodes[from]!.named[key]) = (other, .some(to))
        case 9: (node.needs, graph.nodes[from]!.needs) = (other, to)
        case 10:
            node.needsList.append(other)
            graph.nodes[from]!.needsList.append(to)
        case 11:
            node.needsSet.insert(other)
            graph.nodes[from]!.needsSet.insert(to)
        case 12: (node.needsMap[key], graph.nodes[from]!.needsMap[key]) = (other, .some(to))
        case 13:
            node.part = RulePart()
            node.part?.holds = other
            (graph.nodes[from]!.hasPart, graph.nodes[from]!.holds) = (true, to)
        default:
            // what denies is taken back, else nothing could ever go
            node.needs = nil
            node.needsList.removeAll()
            node.needsSet.removeAll()
            node.needsMap.removeAll()
            node.part = nil
            graph.nodes[from]!.needs = nil
            graph.nodes[from]!.needsList = []
            graph.nodes[from]!.needsSet = []
            graph.nodes[from]!.needsMap = [:]
            (graph.nodes[from]!.hasPart, graph.nodes[from]!.holds) = (false, nil)
        }
    }
}
