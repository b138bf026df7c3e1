/// Which classes the rows of one class reach, going forward: through links and lists of objects, as
/// the schema says. Inverses are not followed; the elements of lists of values belong to the row that
/// has the list.
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
            let links = relations.incomingLinks.lazy.map { distances[$0.table.index] }
            let lists = relations.incomingLists.lazy.map { distances[$0.table.index] }
            return min(links.min() ?? LinkReach.never, lists.min() ?? LinkReach.never)
        }
    }

    subscript(table: TableKey) -> Int { distances[table.index] }
}

extension DatabaseSchema {
    /// The classes of the objects that rows of a class link to or list.
    func forwardTargets(_ index: Int) -> [Int] {
        relations[index].links.map(\.target.index)
            + tables[index].lists.map(\.target.index).filter { tables[$0].kind != .elements }
    }
}
