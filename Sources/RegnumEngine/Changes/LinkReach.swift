/// The classes that rows of one class can reach forward, through links and lists of objects,
/// according to the schema. Inverses aren't followed. Elements of lists of values and entries of
/// maps count as part of the row that has the list, so a link of an entry is one link from that
/// row.
struct LinkReach {
    /// A distance greater than any that is counted.
    static let never = Int.max / 2

    /// Returns a depth as searches take it: not negative, and less than `never`.
    static func limited(_ depth: Int) -> Int { min(max(depth, 0), never - 1) }

    /// The least number of links from the class to each class, by table key: 0 for the class
    /// itself, `never` if it exceeds the requested depth.
    let distances: [Int]
    /// The least distance of a class that links to each class, by table key.
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
    /// The classes of the objects that rows of a class hold in their links, lists and maps.
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

    /// The list that owns the rows of a class, if that is the hidden class of a map's entries or a
    /// list's values.
    func entryOwner(_ table: TableKey) -> ListPlace? {
        guard tables[table.index].kind == .elements else { return nil }
        return relations[table.index].incomingLists.first
    }
}
