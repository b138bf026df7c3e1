import RegnumEngine
import RegnumSimulation

/// The definition of modified rows, evaluated forward from each row of plain content.
struct MarkOracle {
    typealias Place = MarkWorld.Place

    /// How lists are compared if their changes are unknown: an inverse is modified at least for
    /// elements whose number of occurrences changed, at most for all elements of a list that
    /// differs.
    enum Comparison { case exact, least, most }

    let classes: [MarkWorld.Class]
    let old: MarkWorld.Content
    let new: MarkWorld.Content
    /// The columns that were set between the two.
    let sets: [Place: Set<Int>]
    let comparison: Comparison
    private var own: [Place: RowMarks.Mark] = [:]

    init(
        _ classes: [MarkWorld.Class], _ old: MarkWorld.Content, _ new: MarkWorld.Content,
        _ sets: [Place: Set<Int>], _ comparison: Comparison
    ) {
        self.classes = classes
        self.old =
            old + [[UInt64: MarkWorld.Row]](repeating: [:], count: classes.count - old.count)
        self.new = new
        self.sets = sets
        self.comparison = comparison
        for table in classes.indices {
            for row in new[table].keys {
                own[Place(table: table, row: row)] = ownMark(Place(table: table, row: row))
            }
        }
    }

    private func both(_ place: Place) -> (old: MarkWorld.Row, new: MarkWorld.Row)? {
        guard let before = old[place.table][place.row], let after = new[place.table][place.row]
        else { return nil }
        return (before, after)
    }

    private func ownMark(_ place: Place) -> RowMarks.Mark? {
        guard let (before, after) = both(place) else { return nil }
        var mark = RowMarks.Mark()
        var isModified = false
        for column in sets[place] ?? [] {
            isModified = true
            let isKnown = comparison == .exact
            if isKnown || value(before, column) != after.values[column] {
                mark.columns.insert(ColumnKey(rawValue: UInt16(column)))
            }
        }
        for (number, list) in classes[place.table].lists.enumerated() {
            let old = elements(before, number)
            let new = after.lists[number]
            let isSpliced =
                comparison == .exact ? old != new : old.map(\.target) != new.map(\.target)
            let isSet =
                classes[list.target].kind == .elements
                && new.contains { element in
                    let place = Place(table: list.target, row: element.target)
                    return both(place) != nil && sets[place] != nil
                }
            if isSpliced || isSet { mark.lists.insert(ListKey(rawValue: UInt16(number))) }
        }
        return isModified || !mark.lists.isEmpty ? mark : nil
    }

    private func value(_ row: MarkWorld.Row, _ column: Int) -> Value {
        column < row.values.count ? row.values[column] : .null
    }

    private func elements(_ row: MarkWorld.Row, _ list: Int) -> [MarkWorld.Occurrence] {
        list < row.lists.count ? row.lists[list] : []
    }

    // MARK: Depth

    func deep(_ table: Int, _ depth: Int) -> RowMarks {
        // The rows that are within 0, 1, 2, ... links of a modified one.
        var within = [Set(own.keys)]
        for _ in 0..<max(depth, 0) {
            let last = within[within.count - 1]
            var next = last
            for table in classes.indices {
                for row in new[table].keys {
                    let place = Place(table: table, row: row)
                    if steps(place).contains(where: { last.contains($0.target) }) {
                        next.insert(place)
                    }
                }
            }
            within.append(next)
        }
        var marks = RowMarks()
        for row in new[table].keys where old[table][row] != nil {
            let place = Place(table: table, row: row)
            var mark = own[place] ?? RowMarks.Mark()
            var isMarked = own[place] != nil
            if depth > 0 {
                for step in steps(place) where within[depth - 1].contains(step.target) {
                    isMarked = true
                    if let column = step.column { mark.columns.insert(column) }
                    if let list = step.list { mark.lists.insert(list) }
                }
            }
            if isMarked { marks.rows[ObjectKey(rawValue: row)] = mark }
        }
        return marks
    }

    /// Returns the objects that a row links to or lists.
    private func steps(
        _ place: Place
    ) -> [(target: Place, column: ColumnKey?, list: ListKey?)] {
        guard let row = new[place.table][place.row] else { return [] }
        var steps: [(target: Place, column: ColumnKey?, list: ListKey?)] = []
        for (number, column) in classes[place.table].columns.enumerated() {
            guard let target = MarkWorld.target(column), case .int(let key) = row.values[number]
            else { continue }
            steps.append(
                (
                    Place(table: target, row: UInt64(key)), ColumnKey(rawValue: UInt16(number)),
                    nil
                ))
        }
        for (number, list) in classes[place.table].lists.enumerated() {
            for element in row.lists[number] {
                if classes[list.target].kind == .elements {
                    // An entry of a map isn't a step: its links count as steps from its owner.
                    let entry = Place(table: list.target, row: element.target)
                    for step in self.steps(entry) {
                        steps.append((step.target, nil, ListKey(rawValue: UInt16(number))))
                    }
                    continue
                }
                steps.append(
                    (
                        Place(table: list.target, row: element.target), nil,
                        ListKey(rawValue: UInt16(number))
                    ))
            }
        }
        return steps
    }

    // MARK: Paths

    func paths(_ table: Int, _ paths: [ChangePath]) -> RowMarks {
        var marks = RowMarks()
        for row in new[table].keys where old[table][row] != nil {
            let place = Place(table: table, row: row)
            let hit = paths.indices.filter { isHit(paths[$0], place) }
            if hit.isEmpty { continue }
            var mark = RowMarks.Mark()
            mark.paths = Set(hit)
            marks.rows[ObjectKey(rawValue: row)] = mark
        }
        return marks
    }

    private func isHit(_ path: ChangePath, _ start: Place) -> Bool {
        var places: Set<Place> = [start]
        for hop in path.hops {
            if places.contains(where: { isChanged(hop, $0) }) { return true }
            places = Set(places.flatMap { follow(hop, $0) })
        }
        return places.contains { place in
            switch path.last {
            case .property(let name): isChanged(property: name.wrappedValue, place)
            case .backlinks(let name, let target):
                areOriginsChanged(name.wrappedValue, target.wrappedValue, place)
            }
        }
    }

    private func isChanged(_ hop: Hop, _ place: Place) -> Bool {
        switch hop.kind {
        case .link, .list: isChanged(property: hop.name, place)
        case .backlinks: areOriginsChanged(hop.name, hop.target, place)
        }
    }

    private func isChanged(property name: String, _ place: Place) -> Bool {
        guard let mark = own[place] else { return false }
        let model = classes[place.table]
        if let column = model.columns.firstIndex(where: { $0.name == name }) {
            return mark.columns.contains(ColumnKey(rawValue: UInt16(column)))
        }
        guard let list = model.lists.firstIndex(where: { $0.name == name }) else { return false }
        return mark.lists.contains(ListKey(rawValue: UInt16(list)))
    }

    private func areOriginsChanged(_ name: String, _ origin: String, _ place: Place) -> Bool {
        guard both(place) != nil,
            let table = classes.firstIndex(where: { $0.name == origin })
        else { return false }
        if let column = classes[table].columns.firstIndex(where: { $0.name == name }) {
            let link = Value.int(Int64(place.row))
            return Set(old[table].keys).union(new[table].keys).contains { row in
                let before = old[table][row].map { value($0, column) }
                let after = new[table][row]?.values[column]
                guard before == link || after == link else { return false }
                if before == nil || after == nil { return true }
                if comparison != .exact { return before != after }
                return sets[Place(table: table, row: row)]?.contains(column) ?? false
            }
        }
        guard let list = classes[table].lists.firstIndex(where: { $0.name == name }) else {
            return false
        }
        return Set(old[table].keys).union(new[table].keys).contains { row in
            let before = old[table][row].map { elements($0, list) } ?? []
            let after = new[table][row]?.lists[list] ?? []
            let (was, now) = (
                before.filter { $0.target == place.row }, after.filter { $0.target == place.row }
            )
            switch comparison {
            case .exact: return was != now
            case .least: return was.count != now.count
            case .most:
                return before.map(\.target) != after.map(\.target) && !(was + now).isEmpty
            }
        }
    }

    private func follow(_ hop: Hop, _ place: Place) -> [Place] {
        guard let row = new[place.table][place.row],
            let target = classes.firstIndex(where: { $0.name == hop.target })
        else { return [] }
        let model = classes[place.table]
        switch hop.kind {
        case .link:
            guard let column = model.columns.firstIndex(where: { $0.name == hop.name }),
                case .int(let key) = row.values[column]
            else { return [] }
            return [Place(table: target, row: UInt64(key))]
        case .list:
            guard let list = model.lists.firstIndex(where: { $0.name == hop.name }) else {
                return []
            }
            return row.lists[list].map { Place(table: target, row: $0.target) }
        case .backlinks:
            let link = Value.int(Int64(place.row))
            let origins = classes[target]
            return new[target].filter { _, origin in
                if let column = origins.columns.firstIndex(where: { $0.name == hop.name }) {
                    return origin.values[column] == link
                }
                let list = origins.lists.firstIndex { $0.name == hop.name }
                return list.map { list in
                    origin.lists[list].contains { $0.target == place.row }
                } ?? false
            }.map { Place(table: target, row: $0.key) }
        }
    }
}
