extension ObjectSchema {
    /// The property that a key path of the class names, which may be an inverse; `nil` for a
    /// computed property and for a property of a linked object. Always `nil` for a stored class,
    /// which has no key paths.
    ///
    ///     let isIndexed = Message().objectSchema[\Message.sentAt]?.isIndexed
    ///
    /// - Complexity: O(1), except for the first use of the key path.
    public subscript<T: ObjectBase, Value>(keyPath: KeyPath<T, Value>) -> Property? {
        guard let objectClass, objectClass is T.Type else { return nil }
        return ClassSchema.of(objectClass).property(of: keyPath).map { Property($0) }
    }
}
