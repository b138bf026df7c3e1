import Foundation
import Regnum
import RegnumTestSupport
import Synchronization
import Testing

@testable import RegnumTestModels

/// Random graphs whose links have all rules in all containers, and random deletions, against plain
/// Swift: exactly the expected objects are deleted, in the transaction, after it and when the realm
/// is opened again; a stream reports the deletions, and a denial names a denying link.
@Suite struct DeleteRuleRandomTests {
    @Test func deletionsDoWhatTheRulesSay() async throws {
        let count = Effort.count(gate: 150, soak: 250)
        let runs = NumberedRuns("DeleteRuleRandomTests", count: count)
        let counts = Mutex<[RuleHistory.Outcome: Int]>([:])
        try await runs.run { _, seed in
            var history = RuleHistory(seed: seed)
            let more = try await history.run()
            counts.withLock { $0.merge(more) { $0 + $1 } }
        }
        guard !runs.isOne else { return }
        // Everything that can be drawn is drawn.
        for outcome in RuleHistory.Outcome.allCases {
            expectTrue(counts.withLock { $0[outcome, default: 0] } > count / 3, "\(outcome)")
        }
    }
}

/// Transactions on one realm, each drawn and applied to the oracle before it is executed.
private struct RuleHistory {
    /// The outcome of a deletion.
    enum Outcome: CaseIterable {
        case plain, cascaded, failedTransaction, failedSavepoint
    }

    fileprivate enum Step {
        case add(Int)
        case change(Int, RuleModel.Property, Int?)
        case delete(Set<Int>, isQuery: Bool, inSavepoint: Bool, [RuleModel.Denial])
    }

    /// A step with the expected nodes after it; those of a denial aren't compared.
    private struct DrawnStep {
        let step: Step
        let after: RuleModel
    }

    private struct TakenBack: Error {}

    private var random: SeededRandom
    private var model = RuleModel()
    private var lastNumber = 0
    private var counts: [Outcome: Int] = [:]
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed)
    }

    /// Runs the history; every fifth one on a file, which is closed and opened again.
    mutating func run() async throws -> [Outcome: Int] {
        let folder = try RealmFolder()
        let isFile = seed % 5 == 0
        let configuration =
            isFile
            ? folder.configuration("rules.realm", [RuleNode.self, RulePart.self])
            : Realm.Configuration(
                location: .inMemory(identifier: "rules \(seed)"),
                objectTypes: [RuleNode.self, RulePart.self])
        var realm = try await Realm.open(configuration)
        for number in 0..<12 {
            let before = model
            let (steps, denials) = draw()
            let isTakenBack = random.next() % 6 == 0
            var stream = realm.objects(RuleNode.self).changes.makeAsyncIterator()
            _ = try await stream.next()
            do {
                try await realm.write { tx in
                    for drawn in steps { try drawn.step.run(tx, drawn.after) }
                    if isTakenBack { throw TakenBack() }
                }
                guard denials.isEmpty else {
                    throw RunFailure("\(steps) were not denied by \(denials)")
                }
            } catch let error as Realm.Error {
                try error.check(denials)
                model = before
            } catch is TakenBack {
                model = before
            }
            try model.compare(realm.snapshot(), "transaction \(number)")
            if Set(model.nodes.keys) != Set(before.nodes.keys) {
                try compare(try await stream.next(), before)
            }
            guard isFile, random.next() % 4 == 0 else { continue }
            await realm.close()
            realm = try await Realm.open(configuration)
            try model.compare(realm.snapshot(), "opening again")
        }
        await realm.close()
        return counts
    }

    private func compare(_ change: CollectionChange<RuleNode>?, _ before: RuleModel) throws {
        guard case .update(_, let delta)? = change else {
            throw RunFailure("the stream delivered no change")
        }
        let (old, new) = (Set(before.nodes.keys), Set(model.nodes.keys))
        let (deleted, inserted) = (delta.deleted.map(\.number), delta.inserted.map(\.number))
        guard deleted.sorted() == old.subtracting(new).sorted(),
            inserted.sorted() == new.subtracting(old).sorted(),
            delta.deletions.count == deleted.count
        else {
            throw RunFailure("\(deleted) deleted, \(inserted) inserted between \(old) and \(new)")
        }
    }

    // MARK: Drawing

    /// - Returns: The steps of a transaction, and what denies the last of them outside of
    ///   savepoints.
    private mutating func draw() -> ([DrawnStep], [RuleModel.Denial]) {
        var steps: [DrawnStep] = []
        for _ in 0..<Int.random(in: 1...14, using: &random) {
            let step = drawStep()
            steps.append(DrawnStep(step: step, after: model))
            if case .delete(_, _, inSavepoint: false, let denials) = step, !denials.isEmpty {
                return (steps, denials)
            }
        }
        return (steps, [])
    }

    private mutating func drawStep() -> Step {
        let existing = model.nodes.keys.sorted()
        if existing.count < 3 || existing.count < 10 && random.next() % 4 == 0 {
            lastNumber += 1
            model.nodes[lastNumber] = RuleModel.Node()
            return .add(lastNumber)
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
    /// Executes the step and compares the result.
    func run(_ tx: Transaction, _ after: RuleModel) throws {
        try run(tx)
        if case .delete(_, _, inSavepoint: false, let denials) = self, !denials.isEmpty { return }
        try after.compare(tx, "\(self)")
    }

    private func run(_ tx: Transaction) throws {
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
            // One is passed twice.
            tx.delete(try (numbers + numbers.prefix(1)).map { try tx.node($0) })
        }
    }
}

extension Realm.Error {
    /// Throws unless the error names one of the denials.
    fileprivate func check(_ denials: [RuleModel.Denial]) throws {
        let isRight = denials.contains { denial in
            property == denial.property.rawValue
                && (denial.property == .holds
                    ? className == "RulePart"
                    : className == "RuleNode" && key == "\(denial.number)")
        }
        guard code == .deletionDenied, isRight else {
            throw RunFailure("\(self) names none of \(denials)")
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
    /// Sets a link, or adds to a list or set, which `nil` empties.
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
            if node == nil, RuleModel.losesPart(number) {
                part = nil
            } else {
                if part == nil || number % 3 == 0 { part = RulePart() }
                part?.holds = node
            }
        }
    }
}
