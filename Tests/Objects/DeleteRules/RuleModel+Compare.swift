import Regnum
import RegnumTestSupport

extension RuleModel {
    /// Throws unless a snapshot has exactly these nodes.
    func compare(_ snapshot: Snapshot, _ place: @autoclosure () -> String) throws {
        var found = RuleModel()
        for node in snapshot.objects(RuleNode.self) { found.nodes[node.number] = Node(node) }
        try compare(found, place())
    }

    /// Throws unless a transaction shows exactly these nodes.
    func compare(_ tx: Transaction, _ place: @autoclosure () -> String) throws {
        var found = RuleModel()
        for node in tx.objects(RuleNode.self) { found.nodes[node.number] = Node(node) }
        try compare(found, place())
    }

    private func compare(_ found: RuleModel, _ place: @autoclosure () -> String) throws {
        guard found == self else {
            throw RunFailure("after \(place()) found \(found), expected \(self)")
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

    fileprivate init(_ node: RuleNode) {
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
