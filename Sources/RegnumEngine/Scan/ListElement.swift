/// One element of a list, or one entry of a map, resolved in one schema.
struct ListElement: Hashable, Sendable {
    enum Choice: Hashable, Sendable {
        /// The element at a position, or at `Hop.last`.
        case position(Int)
        /// The entry with a key, by its UTF-8 bytes, in a column of the entries.
        case key([UInt8], in: ColumnKey)
    }

    let list: ListPlace
    /// The class of the element.
    let target: TableKey
    let choice: Choice
    /// The column of any type that must hold a list or, for a key, a dictionary.
    let holder: ColumnKey?
}

extension ListElement {
    /// Returns the element of a row's list, or `nil` if there is none.
    ///
    /// - Complexity: O(log n), for a key O(log² n).
    func follow(
        _ cluster: Cluster, _ row: Int, _ content: DatabaseContent
    ) -> (cluster: Cluster, row: Int)? {
        if let holder, !isHeld(holder.index, cluster, row) { return nil }
        let owner = cluster.firstKey + UInt64(row)
        let elements = content[list.table.index].elements(list.list.index)
        let rows = content[target.index]
        switch choice {
        case .position(let position):
            let place = position == Hop.last ? elements.count(owner) - 1 : position
            return elements.element(owner, at: place).flatMap { rows.place($0) }
        case .key(let key, let column):
            // the entries are in the order of their keys
            var (low, high) = (0, elements.count(owner))
            while low < high {
                let middle = (low + high) / 2
                guard let entry = elements.element(owner, at: middle),
                    let place = rows.place(entry), column.index < place.cluster.slotCount,
                    !place.cluster.isNull(place.row, column.index)
                else { return nil }
                let found = place.cluster.bytes(place.row, column.index)
                if found.elementsEqual(key) { return place }
                if found.lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
            }
            return nil
        }
    }

    /// Whether a row's value of any type is a list or, for a key, a dictionary.
    private func isHeld(_ column: Int, _ cluster: Cluster, _ row: Int) -> Bool {
        guard column < cluster.slotCount, !cluster.isNull(row, column) else { return false }
        let kind: AnyKind = if case .key = choice { .dictionary } else { .list }
        return cluster.bytes(row, column).first == kind.rawValue
    }
}

extension QueryCompiler {
    /// Resolves the choice of a hop to one element of a list. Returns `nil` if the hop leads to all
    /// elements, or if a property that it reads isn't stored.
    func element(_ hop: Hop, _ list: ListPlace, _ target: TableKey) -> ListElement? {
        var holder: ColumnKey?
        if let name = hop.holder?.wrappedValue {
            guard let column = table?.column(named: name), column.type == .any else { return nil }
            holder = column.key
        }
        if let key = hop.key?.wrappedValue {
            guard let column = schema.tables[target.index].column(named: "key"),
                column.type == .string
            else { return nil }
            return ListElement(
                list: list, target: target, choice: .key(Array(key.utf8), in: column.key),
                holder: holder)
        }
        return hop.position.map {
            ListElement(list: list, target: target, choice: .position($0), holder: holder)
        }
    }
}
