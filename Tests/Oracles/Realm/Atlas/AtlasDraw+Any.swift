import RegnumSimulation
import RegnumTestSupport

// Embedded objects and values of any type, and changes within them.

extension AtlasDraw {
    private mutating func text() -> AtlasBytes {
        AtlasBytes(["", "x", "yz", "e\u{301}"][below(4)])
    }

    mutating func box() -> AtlasBoxValue {
        var box = AtlasBoxValue()
        box.size = below(9)
        box.text = text()
        for _ in 0..<below(3) { box.apply(.mark(below(9))) }
        for _ in 0..<below(3) { box.apply(.color(below(4))) }
        for _ in 0..<below(3) { box.apply(.pair(key(), below(9))) }
        if isOneIn(2) { box.node = node() }
        if isOneIn(2) { box.lid = text() }
        if isOneIn(2) { box.content = anyValue(depth: 1) }
        return box
    }

    /// - Parameter depth: The maximum nesting depth of lists and dictionaries.
    mutating func anyValue(depth: Int) -> AtlasValue {
        switch below(12) {
        case 0: return .null
        case 1, 2: return node().map { .link($0) } ?? .null
        case 3: return kin() ?? .null
        case 4...6 where depth > 0:
            return .items((0..<below(4)).map { _ in anyValue(depth: depth - 1) })
        case 7...9 where depth > 0:
            var map = AtlasState.map([])
            for _ in 0..<below(4) { map.apply(.put(anyKey(), anyValue(depth: depth - 1))) }
            guard case .map(let entries) = map else { return .null }
            return .entries(entries)
        default:
            let pool = AtlasKind.any.pool
            return pool[below(pool.count)]
        }
    }

    private mutating func kin() -> AtlasValue? {
        guard let kin = world.kin else { return nil }
        let numbers = world.objects[kin].keys.sorted()
        return numbers.isEmpty ? nil : .kin(numbers[below(numbers.count)])
    }

    mutating func key(_ shape: AtlasShape) -> AtlasBytes {
        shape.kind == .any && shape.container != .map ? anyKey() : key()
    }

    /// Returns a key of a dictionary in a value. No two are equal in Swift, because frozen
    /// dictionaries are plain ones.
    private mutating func anyKey() -> AtlasBytes {
        let keys = ["", "a", "b", "e\u{301}", "k$"]
        return AtlasBytes(keys[below(keys.count)])
    }

    // MARK: Changes within

    /// Returns, with a probability of one half, a change inside an embedded object, a list or a
    /// dictionary, where there is one.
    mutating func innerEdit(_ shape: AtlasShape, _ state: AtlasState) -> AtlasSlotEdit? {
        guard shape.kind == .box || shape.kind == .any, isOneIn(2) else { return nil }
        let insides = state.insides
        guard !insides.isEmpty else { return nil }
        let (path, value) = insides[below(insides.count)]
        guard let nested = value.nested else { return .editBox(path, boxEdit()) }
        let inner = AtlasShape(
            name: shape.name, kind: .any, container: .value, isOptional: false,
            depth: max(0, shape.depth - max(1, path.count)))
        return .inside(path, outerEdit(inner, nested))
    }

    private mutating func boxEdit() -> AtlasBoxEdit {
        switch below(9) {
        case 0: .size(below(9))
        case 1: .text(text())
        case 2: .mark(below(9))
        case 3: .color(below(9))
        case 4: .pair(key(), isOneIn(3) ? nil : below(9))
        case 5: .node(isOneIn(3) ? nil : node())
        case 6: .lid(isOneIn(3) ? nil : text())
        case 7: .content(anyValue(depth: 1))
        default: .lidText(text())
        }
    }
}

extension AtlasValue {
    var isBox: Bool { if case .box = self { true } else { false } }
}
