import RegnumSimulation

// The expected change set, computed from two worlds and the commits between them, without any code
// of the library.

/// The changes that make an object count as modified.
enum MirrorFilter: Sendable {
    case deep(Int)
    case paths([MirrorPath])
    /// Each is reported by its own name, in their order.
    case projected([MirrorPath])
}

struct MirrorPath: Hashable, Sendable {
    enum Component: Hashable, Sendable {
        case forward(Int)
        case inverse(MirrorInverse)
    }

    /// The name of the first component, as reported by the stream.
    let name: String
    /// The last one is the watched property.
    let components: [Component]
}

extension MirrorStep {
    /// Returns the names under which a row counts as modified; empty if it doesn't.
    func names(_ serial: Int, _ filter: MirrorFilter) -> [String] {
        guard old[serial] != nil, let row = new[serial] else { return [] }
        switch filter {
        case .deep(let depth):
            let own = own[serial] ?? []
            return row.kind.properties.indices.filter { property in
                own.contains(property)
                    || depth > 0 && leads(row, property, to: rowsReaching(within: depth - 1))
            }.map { row.kind.properties[$0].name }
        case .paths(let paths):
            let names = Set(paths.filter { isHit(row, $0.components[...]) }.map(\.name))
            return names.sorted { row.kind.position($0) < row.kind.position($1) }
        case .projected(let paths):
            return paths.filter { isHit(row, $0.components[...]) }.map(\.name)
        }
    }

    private func isHit(_ row: MirrorRow, _ path: ArraySlice<MirrorPath.Component>) -> Bool {
        guard let first = path.first else { return false }
        if old[row.serial] != nil {
            switch first {
            case .forward(let property):
                if own[row.serial]?.contains(property) == true { return true }
            case .inverse(let inverse):
                if isChanged(row.serial, inverse) { return true }
            }
        }
        let rest = path.dropFirst()
        if rest.isEmpty { return false }
        let targets: [Int] =
            switch first {
            case .forward(let property): row.targets(property)
            case .inverse(let inverse): new.origins(row.serial, inverse)
            }
        return targets.contains { new[$0].map { isHit($0, rest) } ?? false }
    }

    /// Whether, for this row, an origin came, went, or had its link set or its list changed.
    private func isChanged(_ serial: Int, _ inverse: MirrorInverse) -> Bool {
        let property = inverse.property
        let kind = inverse.origin.properties[property].kind
        let origins = Set(old.serials(inverse.origin)).union(new.serials(inverse.origin))
        return origins.contains { origin in
            let was = old[origin]?.targets(property) ?? []
            let now = new[origin]?.targets(property) ?? []
            guard let before = old[origin], let after = new[origin] else {
                return was.contains(serial) || now.contains(serial)
            }
            guard own[origin]?.contains(property) == true else { return false }
            guard kind.isCollection else { return was.contains(serial) || now.contains(serial) }
            let (old, new) = (before.slots(property), after.slots(property))
            if hasChanged(old, new, at: serial, hasKeys: kind.isMap) { return true }
            return kind.isMap
                && after.slots(property).contains { entry in
                    entry.value == .int(serial)
                        && commits.contains { $0.slotsSet.contains(entry.element) }
                }
        }
    }

    /// - Parameter hasKeys: Whether a comparison identifies the slots by their keys, so that they
    ///   don't move.
    private func hasChanged(
        _ old: [MirrorSlot], _ new: [MirrorSlot], at serial: Int, hasKeys: Bool
    ) -> Bool {
        let value = MirrorValue.int(serial)
        switch lists {
        case .slots, .reordered:
            if Set(old).symmetricDifference(new).contains(where: { $0.value == value }) {
                return true
            }
            if lists == .slots || hasKeys { return false }
            let start = zip(old, new).prefix { $0.value == $1.value }.count
            let rest = zip(old[start...].reversed(), new[start...].reversed())
            let end = rest.prefix { $0.value == $1.value }.count
            return [old, new].contains { slots in
                slots[start..<slots.count - end].contains { $0.value == value }
            }
        case .counts:
            return old.count { $0.value == value } != new.count { $0.value == value }
        }
    }
}

/// The expected change set.
struct MirrorChange: Equatable {
    var deletions: [Int] = []
    var insertions: [Int] = []
    var modifications: [Int] = []
    var newModifications: [Int] = []
    var properties: [[String]] = []

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// - Parameters:
    ///   - stays: The new position for each old one, -1 for none.
    ///   - names: What a row counts as modified for.
    init(_ old: [MirrorEntry], _ new: [MirrorEntry], stays: [Int], names: (Int) -> [String]) {
        var hasStayed = Set<Int>()
        for (position, place) in stays.enumerated() {
            guard place >= 0 else {
                deletions.append(position)
                continue
            }
            hasStayed.insert(place)
            let names = names(old[position].serial)
            if names.isEmpty { continue }
            modifications.append(position)
            newModifications.append(place)
            properties.append(names)
        }
        insertions = new.indices.filter { !hasStayed.contains($0) }
    }
}

enum MirrorPositions {
    /// For a list in its own order: the same slot of the list.
    static func listed(_ old: [MirrorEntry], _ new: [MirrorEntry]) -> [Int] {
        old.map { new.firstIndex(of: $0) ?? -1 }
    }

    /// Unmodified rows in both keep their position. Of the other rows between the same two of
    /// these, the longest subsequence in unchanged order stays; of several, the one with the lowest
    /// old positions.
    static func sorted(
        _ old: [MirrorEntry], _ new: [MirrorEntry], isTouched: (Int) -> Bool
    ) -> [Int] {
        var stays = [Int](repeating: -1, count: old.count)
        var (start, end) = (0, 0)
        // A common prefix and suffix always stay, even where an object occurs repeatedly.
        while start < min(old.count, new.count), old[start].serial == new[start].serial {
            stays[start] = start
            start += 1
        }
        while min(old.count, new.count) - end > start,
            old[old.count - 1 - end].serial == new[new.count - 1 - end].serial
        {
            end += 1
            stays[old.count - end] = new.count - end
        }
        var places: [Int: [Int]] = [:]
        for place in (start..<new.count - end).reversed() {
            places[new[place].serial, default: []].append(place)
        }
        var pairs: [(old: Int, new: Int, isTouched: Bool)] = []
        for position in start..<old.count - end {
            let serial = old[position].serial
            guard let place = places[serial]?.popLast() else { continue }
            pairs.append((position, place, isTouched(serial)))
        }
        let fixed = pairs.filter { !$0.isTouched }.map(\.new)
        if fixed != fixed.sorted() { for index in pairs.indices { pairs[index].isTouched = true } }
        var candidates: [(old: Int, new: Int)] = []
        for (index, pair) in pairs.enumerated() {
            if !pair.isTouched {
                stays[pair.old] = pair.new
                continue
            }
            let before = pairs[..<index].count { !$0.isTouched }
            let newBefore = pairs.count { !$0.isTouched && $0.new < pair.new }
            if before == newBefore { candidates.append((pair.old, pair.new)) }
        }
        // The longest run that begins with each candidate.
        var lengths = [Int](repeating: 1, count: candidates.count)
        for index in candidates.indices.reversed() {
            for next in candidates.indices[(index + 1)...]
            where candidates[next].new > candidates[index].new {
                lengths[index] = max(lengths[index], lengths[next] + 1)
            }
        }
        var wanted = lengths.max() ?? 0
        var last = -1
        for (index, candidate) in candidates.enumerated()
        where lengths[index] == wanted && candidate.new > last {
            stays[candidate.old] = candidate.new
            last = candidate.new
            wanted -= 1
        }
        return stays
    }
}
