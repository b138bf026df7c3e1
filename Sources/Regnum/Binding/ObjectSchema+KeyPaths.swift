extension ObjectSchema {
    /// The property that the key path refers to, which may be an inverse. `nil` if the key path
    /// refers to a computed property or to a property of a linked object, and always `nil` for a
    /// stored class, which has no key paths.
    ///
    ///     let isIndexed = Message().objectSchema[\Message.sentAt]?.isIndexed
    ///
    /// - Complexity: O(1), except for the first use of the key path.
    public subscript<T: ObjectBase, Value>(keyPath: KeyPath<T, Value>) -> Property? {
        guard let objectClass, objectClass is T.Type else { return nil }
        return ClassSchema.of(objectClass).property(of: keyPath).map { Property($0) }
    }
}
