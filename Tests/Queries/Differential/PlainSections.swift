import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// A property whose values divide a result into sections.
enum PlainSectionKey: CaseIterable, Sendable {
    case optInt, double, optDouble, optString, words, optLevel, any, nextOptString, partInt

    private var key: PlainKey {
        switch self {
        case .optInt: .property(.optInt)
        case .double: .property(.double)
        case .optDouble: .property(.optDouble)
        case .optString: .property(.optString)
        case .words: .property(.words)
        case .optLevel: .property(.optLevel)
        case .any: .property(.any)
        case .nextOptString: .nextOptString
        case .partInt: .partInt
        }
    }

    /// Returns the ids in the sections of a result; `nil` if a value can't be a key.
    func sections(_ nodes: [Int], _ world: PlainWorld, isAscending: Bool) -> [[Int]]? {
        let values = nodes.map { key.value(world, $0) ?? .null }
        if values.contains(where: { $0.isReference }) { return nil }
        let positions = nodes.indices.sorted { a, b in
            let sign = PlainValue.order(values[a], values[b])
            return sign == 0 ? a < b : (sign < 0) == isAscending
        }
        var keys: [PlainValue] = []
        var sections: [[Int]] = []
        for position in positions {
            if let index = keys.firstIndex(where: { $0.isStored(like: values[position]) }) {
                sections[index].append(nodes[position])
            } else {
                keys.append(values[position])
                sections.append([nodes[position]])
            }
        }
        return sections
    }

    /// Returns the same for results of the library.
    func sections(_ results: some SectionedView, isAscending: Bool) -> [[Int]] {
        switch self {
        case .optInt: results.sections(by: \.optInt, isAscending)
        case .double: results.sections(by: \.double, isAscending)
        case .optDouble: results.sections(by: \.optDouble, isAscending)
        case .optString: results.sections(by: \.optString, isAscending)
        case .words: results.sections(by: \.words, isAscending)
        case .optLevel: results.sections(by: \.optLevel, isAscending)
        case .any: results.sections(by: \.any, isAscending)
        case .nextOptString: results.sections(by: \.next?.optString, isAscending)
        case .partInt: results.sections(by: \.part?.partInt, isAscending)
        }
    }
}

extension PlainValue {
    fileprivate var isReference: Bool {
        if case .any(let value) = self { value.isReference } else { false }
    }

    /// Whether two values of a property are stored in the same way: equal numbers may not be.
    fileprivate func isStored(like other: PlainValue) -> Bool {
        switch (self, other) {
        case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern
        case (.any(.number(let x)), .any(.number(let y))): x == y
        default: PlainValue.order(self, other) == 0
        }
    }
}

/// Results that can be divided into sections, as the ids of the objects.
protocol SectionedView {
    func sections<Key: SectionKey>(
        by keyPath: KeyPath<WorldNode, Key>, _ isAscending: Bool
    ) -> [[Int]]
    func sections(by keyPath: KeyPath<WorldNode, AnyRealmValue>, _ isAscending: Bool) -> [[Int]]
}

extension FrozenResults: SectionedView where Model == WorldNode {
    func sections<Key: SectionKey>(
        by keyPath: KeyPath<WorldNode, Key>, _ isAscending: Bool
    ) -> [[Int]] {
        sectioned(by: keyPath, ascending: isAscending).map { $0.map(\.id) }
    }

    func sections(by keyPath: KeyPath<WorldNode, AnyRealmValue>, _ isAscending: Bool) -> [[Int]] {
        sectioned(by: keyPath, ascending: isAscending).map { $0.map(\.id) }
    }
}

extension LiveResults: SectionedView where Model == WorldNode {
    func sections<Key: SectionKey>(
        by keyPath: KeyPath<WorldNode, Key>, _ isAscending: Bool
    ) -> [[Int]] {
        sectioned(by: keyPath, ascending: isAscending).current.map { $0.map(\.id) }
    }

    func sections(by keyPath: KeyPath<WorldNode, AnyRealmValue>, _ isAscending: Bool) -> [[Int]] {
        sectioned(by: keyPath, ascending: isAscending).current.map { $0.map(\.id) }
    }
}

extension Results: SectionedView where Model == WorldNode {
    func sections<Key: SectionKey>(
        by keyPath: KeyPath<WorldNode, Key>, _ isAscending: Bool
    ) -> [[Int]] {
        sectioned(by: keyPath, ascending: isAscending).map { $0.map(\.id) }
    }

    func sections(by keyPath: KeyPath<WorldNode, AnyRealmValue>, _ isAscending: Bool) -> [[Int]] {
        sectioned(by: keyPath, ascending: isAscending).map { $0.map(\.id) }
    }
}
