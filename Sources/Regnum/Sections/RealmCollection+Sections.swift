internal import RegnumEngine

// Sections of the objects of a collection in a transaction. An existing order of results breaks
// ties.

extension RealmCollection where Element: ObjectBase {
    /// Returns the objects sorted by a property and divided into sections by its values.
    ///
    ///     let rooms = tx.objects(Message.self).sectioned(by: \.room, ascending: false)
    ///
    /// - Precondition: The collection is managed; the key path refers to a stored property, or to
    ///   one of a linked object.
    /// - Complexity: O(1). The sections are determined when they are used.
    public func sectioned<Key: SectionKey>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(by: keyPath, sortDescriptors: [SortOrder(keyPath, ascending: ascending)])
    }

    /// Returns the objects sorted by several properties and divided into sections by the values of
    /// the most significant one.
    ///
    ///     let rooms = tx.objects(Message.self).sectioned(
    ///         by: \.room, sortDescriptors: [.ascending(\.room), .descending(\.sentAt)])
    ///
    /// Without sort descriptors, or if the first one is for another property, the transaction fails
    /// with `.invalidQuery` when the sections are used.
    ///
    /// - Precondition: See ``sectioned(by:ascending:)``.
    public func sectioned<Key: SectionKey>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortOrder<Element>]
    ) -> SectionedResults<Key, Element> {
        sectioned(along: keyPath, sortDescriptors)
    }

    /// Returns the objects divided into sections by the keys that a closure returns for them.
    ///
    ///     let letters = tx.objects(Person.self).sectioned(sortDescriptors: [.ascending(\.name)]) {
    ///         $0.name.prefix(1).uppercased()
    ///     }
    ///
    /// The closure must be pure: it must return the same key for an object with the same content,
    /// and must not change anything.
    ///
    /// - Precondition: The collection is managed.
    public func sectioned<Key: SectionKey>(
        by key: @escaping (Element) -> Key, sortDescriptors: [SortOrder<Element>]
    ) -> SectionedResults<Key, Element> {
        let results = results("sectioned(by:sortDescriptors:)")
        let plan = results._plan.sectioned(Key.self, results.terms(of: sortDescriptors))
        return SectionedResults(results._with(plan), .closure(key))
    }

    /// Returns the objects divided into sections by the keys that a closure returns for them, like
    /// ``sectioned(by:sortDescriptors:)``.
    public func sectioned<Key: SectionKey>(
        sortDescriptors: [SortOrder<Element>], _ key: @escaping (Element) -> Key
    ) -> SectionedResults<Key, Element> {
        sectioned(by: key, sortDescriptors: sortDescriptors)
    }

    /// Returns the objects sorted by an `AnyRealmValue` property and divided into sections by its
    /// values, which are the keys in frozen form.
    public func sectioned(
        by keyPath: KeyPath<Element, AnyRealmValue>, ascending: Bool = true
    ) -> SectionedResults<FrozenAnyValue, Element> {
        sectioned(by: keyPath, sortDescriptors: [SortOrder(keyPath, ascending: ascending)])
    }

    /// Returns the objects sorted by several properties and divided into sections by the values of
    /// the most significant one, an `AnyRealmValue` property.
    public func sectioned(
        by keyPath: KeyPath<Element, AnyRealmValue>, sortDescriptors: [SortOrder<Element>]
    ) -> SectionedResults<FrozenAnyValue, Element> {
        sectioned(along: keyPath, sortDescriptors)
    }

    private func sectioned<Key: SectionKey>(
        along keyPath: PartialKeyPath<Element>, _ orders: [SortOrder<Element>]
    ) -> SectionedResults<Key, Element> {
        let results = results("sectioned(by:)")
        let column = results.modelSchema.requireColumn(keyPath)
        let plan = results._plan.sectioned(by: column, Key.self, results.terms(of: orders))
        return SectionedResults(results._with(plan), .column(column))
    }
}
