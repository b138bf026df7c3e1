import Regnum
import Synchronization
import Testing

/// Random graphs whose links have all rules in all containers, and random deletions, against plain Swift:
/// what is to go goes, what is to stay stays, and a denial names a link that denies.
@Suite struct DeleteRuleRandomTests {
    @Test func deletionsDoWhatTheRulesSay() async throws {
        let runs = NumberedRuns(
            "DeleteRuleRandomTests", count: 250, countVariable: nil, oneVariable: "REGNUM_SEQUENCE")
        let counts = Mutex<[RuleHistory.Outcome: Int]>([:])
        try await runs.run { _, seed in
            var history = RuleHistory(seed: seed)
            let more = try await history.run()
            counts.withLock { $0.merge(more) { $0 + $1 } }
        }
        guard !runs.isOne else { return }
        // what is drawn is what is there to be drawn
        for outcome in RuleHistory.Outcome.allCases {
            #expect(counts.withLock { $0[outcome, default: 0] } > 100, "\(outcome)")
        }
    }
}

/// Transactions on one realm, each drawn and done on the oracle before it is done there.
private struct RuleHistory {
    /// What a deletion came to.
    enum Outcome: CaseIterable {
        case plain, cascaded, failedTransaction, failedSavepoint
    }

    fileprivate enum Step {
        case add(Int)
        case change(Int, RuleModel.Property, Int?)
        case delete(Set<Int>, isQuery: Bool, inSavepoint: Bool, [RuleModel.Denial])
    }

    private var random: SeededRandom
    private var model = RuleModel()
    private var counts: [Outcome: Int] = [:]
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed)
    }

    mutating func run() async throws -> [Outcome: Int] {
        let realm = try await Realm.open(
            Realm.Configuration(
                location: .inMemory(identifier: "rules \(seed)"),
                objectTypes: [RuleNode.self, RulePart.self]))
        for number in 0..<12 {
            let before = model
            let (steps, denials) = draw()
            do {
                try await realm.write { tx in for step in steps { try step.run(tx) } }
                guard denials.isEmpty else {
                    throw RunFailure("\(steps) were not denied by \(denials)")
                }
            } catch let error as Realm.Error {
                try error.check(denials)
                model = before
            }
            try compare(realm.snapshot(), "transaction \(number)")
        }
        await realm.close()
        return counts
    }

    private func compare(_ snapshot: Snapshot, _ place: String) throws {
        var found = RuleModel()
        for node in snapshot.objects(RuleNode.self) {
            found.nodes[node.number] = RuleModel.Node(node)
        }
        guard found == model else {
            throw RunFailure("after \(place) there is \(found), and is to be \(model)")
        }
    }

    // MARK: Drawing

    /// - Returns: the steps of a transaction, and what denies the last of them outside of savepoints.
    private mutating func draw() -> ([Step], [RuleModel.Denial]) {
        var steps: [Step] = []
        for _ in 0..<Int.random(in: 1...14, using: &random) {
            let step = drawStep()
            steps.append(step)
            if case .delete(_, _, inSavepoint: false, let denials) = step, !denials.isEmpty {
                return (steps, denials)
            }
        }
        return (steps, [])
    }

    private mutating func drawStep() -> Step {
        let existing = model.nodes.keys.sorted()
        if existing.count < 3 || existing.count < 10 && random.next() % 4 == 0 {
            let number = (0..<10).first { model.nodes[$0] == nil }!
            model.nodes[number] = RuleModel.Node()
            return .add(number)
        }
        if random.next() % 6 == 0 { return drawDeletion(existing) }
        let number = existing.randomElement(using: &random)!
        let property = RuleModel.Property.allCases.randomElement(using: &random)!
        let target = random.next() % 4 == 0 ? nil : existing.randomElement(using: &random)
        model.change(number, property, target)
        return .change(number, property, target)
    }

    private mutating func drawDeletion(_ existing: [Int]) -> Step {
        let count = Int.random(in: 1...3, using: &random)
        let chosen = Set(existing.shuffled(using: &random).prefix(count))
        let gone = model.deletion(chosen)
        let denials = model.denials(gone)
        let inSavepoint = random.next() % 2 == 0
        if denials.isEmpty {
            model.delete(gone)
            counts[gone == chosen ? .plain : .cascaded, default: 0] += 1
        } else {
            counts[inSavepoint ? .failedSavepoint : .failedTransaction, default: 0] += 1
        }
        return .delete(chosen, isQuery: random.next() % 2 == 0, inSavepoint: inSavepoint, denials)
    }
}

extension RuleHistory.Step {
    func run(_ tx: Transaction) throws {
        switch self {
        case .add(let number): try tx.add(RuleNode(value: ["number": number]))
        case .change(let number, let property, let target):
            try tx.node(number).change(property, target.map { try tx.node($0) })
        case .delete(let numbers, let isQuery, inSavepoint: true, let denials):
            do {
                try tx.savepoint {
                    try tx.add(RuleNode(value: ["number": -1]))
                    try delete(numbers, isQuery, tx)
                }
                guard denials.isEmpty else {
                    throw RunFailure("\(self) was not denied by \(denials)")
                }
                tx.delete(try tx.node(-1))
            } catch let error as Realm.Error {
                try error.check(denials)
            }
        case .delete(let numbers, let isQuery, inSavepoint: false, let denials):
            try delete(numbers, isQuery, tx)
            guard !denials.isEmpty else { return }
            for number in numbers { _ = try tx.node(number) }  // nothing was deleted
        }
    }

    private func delete(_ numbers: Set<Int>, _ isQuery: Bool, _ tx: Transaction) throws {
        let numbers = numbers.sorted()
        if isQuery {
            tx.delete(tx.objects(RuleNode.self).where { $0.number.in(numbers) })
        } else if numbers.count == 1 {
            tx.delete(try tx.node(numbers[0]))
        } else {
            tx.delete(try numbers.map { try tx.node($0) })
        }
    }
}

extension Realm.Error {
    /// Throws if it tells of none of the denials.
    fileprivate func check(_ denials: [RuleModel.Denial]) throws {
        let isRight = denials.contains { denial in
            property == denial.property.rawValue
                && (denial.property == .holds
                    ? className == "RulePart"
                    : className == "RuleNode" && key == "\(denial.number)")
        }
        guard code == .deletionDenied, isRight else {
            throw RunFailure("\(self) tells of none of \(denials)")
        }
    }
}

extension Transaction {
    fileprivate func node(_ number: Int) throws -> RuleNode {
        guard let node = object(RuleNode.self, forPrimaryKey: number) else {
            throw RunFailure("there is no RuleNode \(number)")
        }
        return node
    }
}

extension RuleNode {
    /// Sets a link; adds to a list or set, which nil empties.
    fileprivate func change(_ property: RuleModel.Property, _ node: RuleNode?) {
        func change(_ list: List<RuleNode>) {
            if let node { list.append(node) } else { list.removeAll() }
        }
        func change(_ set: MutableSet<RuleNode>) {
            if let node { set.insert(node) } else { set.removeAll() }
        }
        let key = RuleModel.key(number)
        switch property {
        case .plain: plain = node
        case .child: child = node
        case .needs: needs = node
        case .plainList: change(plainList)
        case .children: change(children)
        case .needsList: change(needsList)
        case .group: change(group)
        case .needsSet: change(needsSet)
        case .plainMap: plainMap[key] = .some(node)
        case .named: named[key] = .some(node)
        case .needsMap: needsMap[key] = .some(node)
        case .holds:
            if number % 2 == 0 || part == nil { part = RulePart() }
            part?.holds = node
        }
    }
}

extension RuleModel.Node {
    fileprivate init(_ node: Frozen<RuleNode>) {
        links[.plain] = node.plain?.number
        links[.child] = node.child?.number
        links[.needs] = node.needs?.number
        links[.holds] = node.part?.holds?.number
        hasPart = node.part != nil
        lists[.plainList] = node.plainList.map(\.number)
        lists[.children] = node.children.map(\.number)
        lists[.needsList] = node.needsList.map(\.number)
        sets[.group] = Set(node.group.map(\.number))
        sets[.needsSet] = Set(node.needsSet.map(\.number))
        for entry in node.plainMap { maps[.plainMap]?[entry.key] = .some(entry.value?.number) }
        for entry in node.named { maps[.named]?[entry.key] = .some(entry.value?.number) }
        for entry in node.needsMap { maps[.needsMap]?[entry.key] = .some(entry.value?.number) }
    }
}
