internal import RegnumEngine

// Sections of frozen and live results.

extension FrozenResults {
    /// Returns the objects sorted by a property and divided into sections by its values. An
    /// existing order breaks ties.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    /// - Complexity: O(1). The sections are determined when they are used.
    public func sectioned<Key: SectionKey>(
        by keyPath: KeyPath<Model, Key>, ascending: Bool = true
    ) -> FrozenSections<Key, Model> {
        sectioned(by: keyPath, sortDescriptors: [SortOrder(keyPath, ascending: ascending)])
    }

    /// Returns the objects sorted by several properties and divided into sections by the values of
    /// the most significant one. Without sort descriptors, or if the first one is for another
    /// property, using the sections is an error (`.invalidQuery`).
    ///
    /// - Precondition: See ``sectioned(by:ascending:)``.
    public func sectioned<Key: SectionKey>(
        by keyPath: KeyPath<Model, Key>, sortDescriptors: [SortOrder<Model>]
    ) -> FrozenSections<Key, Model> {
        sectioned(modelSchema.requireColumn(keyPath), sortDescriptors)
    }

    /// Returns the objects divided into sections by the keys that a closure returns for them.
    ///
    /// The closure must be pure: it must return the same key for an object with the same content.
    public func sectioned<Key: SectionKey>(
        by key: @escaping @Sendable (Frozen<Model>) -> Key, sortDescriptors: [SortOrder<Model>]
    ) -> FrozenSections<Key, Model> {
        let plan = _plan.sectioned(Key.self, terms(of: sortDescriptors))
        return FrozenSections(_with(plan), .closure(key))
    }

    /// Returns the objects divided into sections by the keys that a closure returns for them, like
    /// ``sectioned(by:sortDescriptors:)``.
    public func sectioned<Key: SectionKey>(
        sortDescriptors: [SortOrder<Model>], _ key: @escaping @Sendable (Frozen<Model>) -> Key
    ) -> FrozenSections<Key, Model> {
        sectioned(by: key, sortDescriptors: sortDescriptors)
    }

    /// Returns the objects sorted by an `AnyRealmValue` property and divided into sections by its
    /// values.
    public func sectioned(
        by keyPath: KeyPath<Model, AnyRealmValue>, ascending: Bool = true
    ) -> FrozenSections<FrozenAnyValue, Model> {
        sectioned(by: keyPath, sortDescriptors: [SortOrder(keyPath, ascending: ascending)])
    }

    /// Returns the objects sorted by several properties and divided into sections by the values of
    /// the most significant one, an `AnyRealmValue` property.
    public func sectioned(
        by keyPath: KeyPath<Model, AnyRealmValue>, sortDescriptors: [SortOrder<Model>]
    ) -> FrozenSections<FrozenAnyValue, Model> {
        sectioned(modelSchema.requireColumn(keyPath), sortDescriptors)
    }

    private func sectioned<Key: SectionKey>(
        _ column: ColumnReference, _ orders: [SortOrder<Model>]
    ) -> FrozenSections<Key, Model> {
        let plan = _plan.sectioned(by: column, Key.self, terms(of: orders))
        return FrozenSections(_with(plan), .column(column))
    }
}

extension LiveResults {
    /// Returns the objects sorted by a property and divided into sections by its values. An
    /// existing order breaks ties.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    /// - Complexity: O(1). The sections are determined when they are used.
    public func sectioned<Key: SectionKey>(
        by keyPath: KeyPath<Model, Key>, ascending: Bool = true
    ) -> LiveSections<Key, Model> {
        sectioned(by: keyPath, sortDescriptors: [SortOrder(keyPath, ascending: ascending)])
    }

    /// Returns the objects sorted by several properties and divided into sections by the values of
    /// the most significant one. Without sort descriptors, or if the first one is for another
    /// property, using the sections is an error (`.invalidQuery`).
    ///
    /// - Precondition: See ``sectioned(by:ascending:)``.
    public func sectioned<Key: SectionKey>(
        by keyPath: KeyPath<Model, Key>, sortDescriptors: [SortOrder<Model>]
    ) -> LiveSections<Key, Model> {
        sectioned(modelSchema.requireColumn(keyPath), sortDescriptors)
    }

    /// Returns the objects divided into sections by the keys that a closure returns for them.
    ///
    /// The closure must be pure: it must return the same key for an object with the same content.
    ///
    /// If the closure reads other objects, streams must follow them, by their `depth` or key paths.
    /// A change of one that isn't followed doesn't cause an element. Its effect on the sections is
    /// reported in the next element, unless the stream skips commits of excluded origins before
    /// that: then no change set describes it.
    public func sectioned<Key: SectionKey>(
        by key: @escaping @Sendable (Frozen<Model>) -> Key, sortDescriptors: [SortOrder<Model>]
    ) -> LiveSections<Key, Model> {
        let plan = _plan.sectioned(Key.self, terms(of: sortDescriptors))
        return LiveSections(results: _with(plan), source: .closure(key))
    }

    /// Returns the objects divided into sections by the keys that a closure returns for them, like
    /// ``sectioned(by:sortDescriptors:)``.
    public func sectioned<Key: SectionKey>(
        sortDescriptors: [SortOrder<Model>], _ key: @escaping @Sendable (Frozen<Model>) -> Key
    ) -> LiveSections<Key, Model> {
        sectioned(by: key, sortDescriptors: sortDescriptors)
    }

    /// Returns the objects sorted by an `AnyRealmValue` property and divided into sections by its
    /// values.
    public func sectioned(
        by keyPath: KeyPath<Model, AnyRealmValue>, ascending: Bool = true
    ) -> LiveSections<FrozenAnyValue, Model> {
        sectioned(by: keyPath, sortDescriptors: [SortOrder(keyPath, ascending: ascending)])
    }

    /// Returns the objects sorted by several properties and divided into sections by the values of
    /// the most significant one, an `AnyRealmValue` property.
    public func sectioned(
        by keyPath: KeyPath<Model, AnyRealmValue>, sortDescriptors: [SortOrder<Model>]
    ) -> LiveSections<FrozenAnyValue, Model> {
        sectioned(modelSchema.requireColumn(keyPath), sortDescriptors)
    }

    private func sectioned<Key: SectionKey>(
        _ column: ColumnReference, _ orders: [SortOrder<Model>]
    ) -> LiveSections<Key, Model> {
        let plan = _plan.sectioned(by: column, Key.self, terms(of: orders))
        return LiveSections(results: _with(plan), source: .column(column))
    }
}
