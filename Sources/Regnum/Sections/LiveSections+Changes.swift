internal import RegnumEngine

extension LiveSections {
    /// The changes of the sections, starting with their state when the iteration begins. Equivalent
    /// to `changes(depth: 3)`.
    public var changes: SectionChanges<Key, Model> { changes() }

    /// Returns the changes of the sections. For the parameters, see
    /// ``LiveResults/changes(depth:policy:since:excludingOrigins:)``.
    ///
    /// If a closure returns the keys and reads an object of another class that the depth or the key
    /// paths don't reach, a change of that object isn't reported until the next element.
    public func changes(
        depth: Int = 3, policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) -> SectionChanges<Key, Model> {
        changes(nil, depth, policy, cursor, origins)
    }

    /// Returns the changes of the sections, counting an object as modified only if one of the given
    /// properties changed; see ``LiveResults/changes(keyPaths:policy:since:excludingOrigins:)``.
    /// Insertions, deletions, and moves of objects to other sections are always reported.
    ///
    /// - Precondition: The key paths refer to stored properties.
    public func changes(
        keyPaths: [PartialKeyPath<Model>], policy: ChangePolicy = .coalesce,
        since cursor: ChangeCursor? = nil, excludingOrigins origins: Set<String> = []
    ) -> SectionChanges<Key, Model> {
        changes(nil, keyPaths, policy, cursor, origins)
    }

    /// Returns the changes of the sections for key paths given as strings. Otherwise behaves like
    /// the function with key paths.
    ///
    /// - Throws: `.invalidInput` for a path that doesn't lead to a stored property.
    @_disfavoredOverload
    public func changes(
        keyPaths: [String], policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) throws(Realm.Error) -> SectionChanges<Key, Model> {
        try changes(nil, keyPaths, policy, cursor, origins)
    }
}

extension LiveSection {
    /// The changes of the section, starting with the state when the iteration begins. Equivalent to
    /// `changes(depth: 3)`.
    public var changes: SectionChanges<Key, Model> { changes() }

    /// Returns the changes of the section. For the parameters, see
    /// ``LiveResults/changes(depth:policy:since:excludingOrigins:)``.
    ///
    /// Elements contain all sections, but their change sets contain only the changes of this one,
    /// with positions among all sections. Nothing is delivered for changes of other sections. If
    /// the last object with the key disappears, the section is deleted; if the key reappears, it is
    /// inserted.
    public func changes(
        depth: Int = 3, policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) -> SectionChanges<Key, Model> {
        sections.changes(key, depth, policy, cursor, origins)
    }

    /// Returns the changes of the section for key paths; see
    /// ``LiveSections/changes(keyPaths:policy:since:excludingOrigins:)``.
    public func changes(
        keyPaths: [PartialKeyPath<Model>], policy: ChangePolicy = .coalesce,
        since cursor: ChangeCursor? = nil, excludingOrigins origins: Set<String> = []
    ) -> SectionChanges<Key, Model> {
        sections.changes(key, keyPaths, policy, cursor, origins)
    }

    /// Returns the changes of the section for key paths given as strings.
    ///
    /// - Throws: `.invalidInput` for a path that doesn't lead to a stored property.
    @_disfavoredOverload
    public func changes(
        keyPaths: [String], policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) throws(Realm.Error) -> SectionChanges<Key, Model> {
        try sections.changes(key, keyPaths, policy, cursor, origins)
    }
}

extension LiveSections {
    private var schema: ClassSchema { results.entry.schema }

    fileprivate func changes(
        _ key: Key?, _ depth: Int, _ policy: ChangePolicy, _ cursor: ChangeCursor?,
        _ origins: Set<String>
    ) -> SectionChanges<Key, Model> {
        changes(
            key, schema.filter(of: Model.self, depth: Swift.max(depth, 0)), policy, cursor,
            origins, problem: .negativeDepth(depth, schema.name))
    }

    fileprivate func changes(
        _ key: Key?, _ keyPaths: [PartialKeyPath<Model>], _ policy: ChangePolicy,
        _ cursor: ChangeCursor?, _ origins: Set<String>
    ) -> SectionChanges<Key, Model> {
        if keyPaths.isEmpty { return changes(key, 3, policy, cursor, origins) }
        return changes(key, schema.filter(keyPaths), policy, cursor, origins)
    }

    fileprivate func changes(
        _ key: Key?, _ keyPaths: [String], _ policy: ChangePolicy, _ cursor: ChangeCursor?,
        _ origins: Set<String>
    ) throws(Realm.Error) -> SectionChanges<Key, Model> {
        if keyPaths.isEmpty { return changes(key, 3, policy, cursor, origins) }
        return changes(key, try schema.filter(of: Model.self, keyPaths), policy, cursor, origins)
    }

    private func changes(
        _ key: Key?, _ filter: KeyPathFilter, _ policy: ChangePolicy, _ cursor: ChangeCursor?,
        _ origins: Set<String>, problem: Realm.Error? = nil
    ) -> SectionChanges<Key, Model> {
        let plan = results._plan
        let followed = followed(filter)
        let isColumn = if case .column = source { true } else { false }
        let request = StreamRequest(
            realm: results.realm, entry: results.entry, otherEntry: results.ownerEntry,
            place: results.place, plan: plan.with(plan.plan, problem: problem),
            owner: results.owner, filter: followed.filter, policy: policy, since: cursor,
            excluded: origins,
            keepsOld: cursor != nil || !origins.isEmpty, deliversAll: !followed.marksAllKeys,
            callsClosure: !isColumn)
        return SectionChanges(
            request: request, source: source, pathCount: followed.pathCount,
            marksAllKeys: followed.marksAllKeys, key: key)
    }

    /// Returns a filter that also follows what the keys are read from.
    ///
    /// - Returns: The filter, the number of its paths that make an object count as modified, and
    ///   whether it marks every object whose key changes.
    private func followed(
        _ filter: KeyPathFilter
    ) -> (filter: KeyPathFilter, pathCount: Int?, marksAllKeys: Bool) {
        switch (filter.filter, source) {
        case (.deep(let depth), .column(let column)):
            return (filter, nil, column.hops.count <= depth)
        case (.deep, _): return (filter, nil, false)
        case (.paths(let paths), .column(let column)):
            let path = ChangePath(hops: column.hops, last: .property(StoredText(column.name)))
            var filter = filter
            filter.filter = .paths(paths + [path])
            return (filter, paths.count, true)
        case (.paths(let paths), _): return (filter, paths.count, false)
        }
    }
}
