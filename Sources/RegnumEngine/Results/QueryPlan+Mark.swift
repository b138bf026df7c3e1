package import RegnumStore

extension QueryPlan {
    /// Adds the modifications to a change: the marked rows that stay in the result, at any
    /// position.
    ///
    /// - Parameters:
    ///   - change: the change that `advance` or `change` returned for the step.
    ///   - new: the result at the new version.
    /// - Complexity: O(marked rows x log n), or O(rows) if the result has fewer; O(elements) for a
    ///   list that has marked rows, and for results in which rows may repeat.
    package func mark(
        _ change: inout ResultChange, _ marks: RowMarks, in new: ResultTree, _ step: VersionStep
    ) throws(StoreError) {
        if marks.isEmpty || new.count == 0 { return }
        var found: [(position: Int, key: ObjectKey)] = []
        if let plan = new.followed, marks.rows.count < new.count {
            let content = step.new.content
            switch new.storage {
            case .keys(let tree): plan.find(marks, tree, content, &found)
            case .ranks(let tree): plan.find(marks, tree, content, &found)
            case .values(let tree): plan.find(marks, tree, content, &found)
            case .list(let rows), .lazy(let rows): rows.find(marks, plan, content, &found)
            case .keyList, .rankList, .sequence: scan(new, marks, &found)
            }
        } else {
            scan(new, marks, &found)
        }
        found.sort { $0.position < $1.position }
        change.modifications.reserveCapacity(found.count)
        change.newModifications.reserveCapacity(found.count)
        change.modified.reserveCapacity(found.count)
        for (position, key) in found {
            guard let mark = marks[key], let before = change.oldPosition(position) else { continue }
            change.modifications.append(before)
            change.newModifications.append(position)
            change.modified.append(
                ModifiedResult(key: key, oldIndex: before, newIndex: position, mark: mark))
        }
    }

    private func scan(
        _ result: ResultTree, _ marks: RowMarks, _ found: inout [(position: Int, key: ObjectKey)]
    ) {
        for (position, key) in result.enumerated() where marks.rows[key] != nil {
            found.append((position, key))
        }
    }
}

extension FollowedPlan {
    /// Finds the marked rows in a result by their sort values.
    fileprivate func find<Shape: ResultShape>(
        _ marks: RowMarks, _ tree: SortedTree<Shape>, _ content: DatabaseContent,
        _ found: inout [(position: Int, key: ObjectKey)]
    ) {
        for key in marks.rows.keys {
            guard let place = place(key.rawValue, content) else { continue }
            let entry = Shape.entry(self, place.cluster, place.row, content)
            let (position, isPresent) = tree.rank(of: entry)
            if isPresent, position < limit { found.append((position, key)) }
        }
    }
}

extension LazyRows {
    /// Finds the positions of the marked rows among all rows of the class, or in a list.
    fileprivate func find(
        _ marks: RowMarks, _ plan: FollowedPlan, _ content: DatabaseContent,
        _ found: inout [(position: Int, key: ObjectKey)]
    ) {
        if case .table(let table) = origin {
            for key in marks.rows.keys where table.contains(key.rawValue) {
                found.append((table.position(of: key.rawValue), key))
            }
            return
        }
        guard case .elements(let lists, let row) = origin, case .list(let place, _) = plan.kind,
            content.listSchema(place.table, place.list) != nil
        else { return }
        let backlinks = content[place.table.index].backlinks(place.list.index)
        var wanted: Set<UInt64> = []
        for key in marks.rows.keys where backlinks.contains(key.rawValue, row) {
            wanted.insert(key.rawValue)
        }
        if wanted.isEmpty { return }
        for position in lists.positions(row, of: wanted) {
            guard let key = lists.element(row, at: position) else { continue }
            found.append((position, ObjectKey(rawValue: key)))
        }
    }
}
