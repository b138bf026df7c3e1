import RegnumSimulation

/// The commits that concern a stream, as shown by its origins.
struct MirrorInterest {
    /// Rows of the stream's own class that concern it by themselves.
    enum Own {
        case table
        case value(Int, MirrorValue)
        /// Elements of a list of the owner.
        case elements(Int)
        /// Any rows, and the entries of a map whose objects it follows.
        case objectsOfMap(entries: String)
        /// The rows that link, or any rows if the property is a list; for a map also those of its
        /// hidden class.
        case backlinks(Int, isList: Bool, entries: String? = nil)
        /// Values in a list of the owner.
        case values(Int)
        /// Nothing besides the owner and what is linked.
        case none
    }

    /// The class of its rows; `nil` for a hidden one.
    let kind: MirrorClass?
    /// Classes, including hidden ones, of which any change concerns the stream.
    let linked: Set<String>
    let own: Own
    /// The class and key of the object that has the list or inverse.
    var owner: MirrorOwner?

    /// - Parameter ownerRow: The owner when the interest was determined.
    func isConcerned(_ record: StreamRecord, _ version: UInt64, ownerRow: Int?) -> Bool {
        let touched = record.touchedClasses(version)
        if !touched.isDisjoint(with: linked) { return true }
        let step = record.step(version - 1, version)
        if let owner {
            let (old, new) = (owner.row(step.old), owner.row(step.new))
            if old != new { return true }
            if let new, step.isTouched(new) { return true }
        }
        if owner != nil, ownerRow == nil { return false }
        switch own {
        case .objectsOfMap(let entries), .backlinks(_, _, let entries?):
            if touched.contains(entries) { return true }
        default: break
        }
        if let kind, linked.contains(kind.name) { return false }
        func anyRow(_ holds: (MirrorRow) -> Bool) -> Bool {
            guard let kind else { return false }
            return step.old.rows(kind).contains { row in
                (step.new[row.serial] == nil || step.isTouched(row.serial)) && holds(row)
            }
                || step.new.rows(kind).contains { row in
                    (step.old[row.serial] == nil || step.isTouched(row.serial)) && holds(row)
                }
        }
        switch own {
        case .none: return false
        case .table, .objectsOfMap, .backlinks(_, isList: true, _):
            return kind.map { touched.contains($0.name) } ?? false
        case .value(let property, let value):
            return anyRow { row in
                let stored = row.value(property)
                if stored == .null || value == .null { return stored == value }
                return stored.double?.isNaN != true && MirrorValue.compare(stored, value) == 0
            }
        case .backlinks(let property, isList: false, _):
            return anyRow { $0.value(property) == .of(ownerRow) }
        case .elements(let property):
            let elements = [step.old, step.new].flatMap { world in
                ownerRow.flatMap { world[$0]?.targets(property) } ?? []
            }
            return elements.contains { step.isTouched($0) }
        case .values(let property):
            let elements = [step.old, step.new].flatMap { world in
                (ownerRow.flatMap { world[$0]?.slots(property) } ?? []).map(\.element)
            }
            return step.commits.contains { !$0.slotsSet.isDisjoint(with: elements) }
        }
    }

    /// Throws unless these are valid origins of the commits between two versions.
    func check(
        _ told: [String], _ record: StreamRecord, _ step: (from: UInt64, to: UInt64)
    ) throws {
        try requireEqual(told, origins(record, step.from, step.to), "origins")
    }

    /// Returns the origins of the commits after `old` through `new` that concern the stream.
    private func origins(_ record: StreamRecord, _ old: UInt64, _ new: UInt64) -> [String] {
        var origins: [String] = []
        for commit in record.commits(old, new) {
            guard let origin = commit.origin, !origins.contains(origin) else { continue }
            let row = owner?.row(record.world(commit.version - 1))
            if isConcerned(record, commit.version, ownerRow: row) { origins.append(origin) }
        }
        return origins
    }
}

/// The object with a key whose list or inverse a stream follows.
struct MirrorOwner: Sendable {
    let kind: MirrorClass
    let key: MirrorValue

    func row(_ world: MirrorWorld) -> Int? { world.row(kind, key: key)?.serial }
}

extension MirrorFilter {
    /// Returns the classes through which it leads from a class, including the hidden classes of
    /// elements.
    func classes(_ kind: MirrorClass) -> Set<String> {
        var names: Set<String> = []
        switch self {
        case .deep(let depth):
            var frontier: Set<MirrorClass> = [kind]
            var reached = frontier
            for _ in 0..<depth {
                frontier = Set(
                    frontier.flatMap { $0.properties.compactMap(\.kind.target) })
                reached.formUnion(frontier)
                names.formUnion(frontier.map(\.name))
            }
            for kind in reached {
                for (index, property) in kind.properties.enumerated()
                where property.kind.hasSettableElements {
                    names.insert(kind.elements(index))
                }
            }
        case .paths(let paths), .projected(let paths):
            for path in paths {
                var kind = kind
                for (index, component) in path.components.enumerated() {
                    let isLast = index == path.components.count - 1
                    switch component {
                    case .forward(let property):
                        // A path that ends at a set or a value of any type isn't known to do so.
                        let reached = kind.properties[property].kind
                        if isLast && (reached.hasElements || reached == .any) || reached.isMap {
                            names.insert(kind.elements(property))
                        }
                        if !isLast, let target = kind.properties[property].kind.target {
                            kind = target
                            names.insert(kind.name)
                        }
                    case .inverse(let inverse):
                        kind = inverse.origin
                        names.insert(kind.name)
                        if kind.properties[inverse.property].kind.isMap {
                            names.insert(kind.elements(inverse.property))
                        }
                    }
                }
            }
        }
        return names
    }
}
