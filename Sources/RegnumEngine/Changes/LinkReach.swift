/// Which classes the rows of one class reach, going forward: through links and lists of objects, as
/// the schema says. Inverses are not followed; the elements of lists of values, and the entries of maps,
/// belong to the row that has the list: what an entry links to is one link from that row.
struct LinkReach {
    /// More links than are counted.
    static let never = Int.max / 2

    /// By table key: the least number of links from the class to that one, 0 for itself; `never` if
    /// there are more than were asked for.
    let distances: [Int]
    /// By table key: the least distance of a class that links to that one.
    let approaches: [Int]

    /// - Complexity: O(classes and their links).
    init(from table: TableKey, depth: Int, in schema: DatabaseSchema) {
        var distances = [Int](repeating: LinkReach.never, count: schema.tables.count)
        distances[table.index] = 0
        var level = [table.index]
        var distance = 0
        while distance < depth, !level.isEmpty {
            distance += 1
            var next: [Int] = []
            for index in level {
                for target in schema.forwardTargets(index)
                where distances[target] == LinkReach.never {
                    distances[target] = distance
                    next.append(target)
                }
            }
            level = next
        }
        self.distances = distances
        approaches = schema.relations.map { relations in
            let links = relations.incomingLinks.lazy.map { link in
                let owner = schema.entryOwner(link.table).map { distances[$0.table.index] }
                return min(distances[link.table.index], owner ?? LinkReach.never)
            }
            let lists = relations.incomingLists.lazy.map { distances[$0.table.index] }
            return min(links.min() ?? LinkReach.never, lists.min() ?? LinkReach.never)
        }
    }

    subscript(table: TableKey) -> Int { distances[table.index] }
}

extension DatabaseSchema {
    /// The classes of the objects that rows of a class link to or list, or have in their maps.
    func forwardTargets(_ index: Int) -> [Int] {
        var targets = relations[index].links.map(\.target.index)
        for list in tables[index].lists {
            let target = list.target.index
            if tables[target].kind == .elements {
                targets += relations[target].links.map(\.target.index)
            } else {
                targets.append(target)
            }
        }
        return targets
    }

    /// The list whose elements the rows of a class are, if that is the hidden class of a map's entries,
    /// or of a list's values.
    func entryOwner(_ table: TableKey) -> ListPlace? {
        guard tables[table.index].kind == .elements else { return nil }
        return relations[table.index].incomingLists.first
    }
}
