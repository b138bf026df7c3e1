public import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Query where Value == AnyRealmValue {
    /// The dictionary's value for a key; `nil` if the value isn't a dictionary, or if there is no
    /// such key.
    ///
    ///     realm.objects(Note.self).where { $0.content["author"]["name"] == .string("Ann") }
    public subscript(key: String) -> Query<AnyRealmValue> { nested(.key(key)) }

    /// The list's element at a position; `nil` if the value isn't a list, or if the list is
    /// shorter.
    ///
    ///     realm.objects(Note.self).where { $0.content["tags"][0] == .string("new") }
    public subscript(position: Int) -> Query<AnyRealmValue> { nested(.position(position)) }

    /// The elements of a list, or the values of a dictionary. A condition on them holds if it holds
    /// for at least one of them, so it never holds if there are none.
    ///
    ///     realm.objects(Note.self).where { $0.content["tags"].any == .string("new") }
    public var any: Query<AnyRealmValue> { nested(.all) }

    func nested(_ step: AnyStep) -> Query<AnyRealmValue> {
        switch node {
        case .nested(var path):
            guard path.steps.count < Limits.maximumConditionLevel else {
                scope.refuseDepth()
                return self
            }
            path.steps.append(step)
            return with(.nested(path))
        case .column(let hops, let column):
            return nested(hops, column, key: nil, step)
        case .entry(let hops, let key, let column):
            return nested(hops, column, key: key, step)
        default: return refusingSteps()
        }
    }

    private func nested(
        _ hops: [Hop], _ column: ColumnReference, key: String?, _ step: AnyStep
    ) -> Query<AnyRealmValue> {
        guard let names = scope.anyNames(hops, column) else { return refusingSteps() }
        return with(
            .nested(
                AnyPath(
                    hops: hops, column: column,
                    step: { .list(names.items, of: names.elements, at: $0) },
                    inner: { .list(PropertySchema.anyItemsName, of: names.elements, at: $0) },
                    steps: [step], key: key)))
    }

    private func refusingSteps() -> Query<AnyRealmValue> {
        scope.refuse(
            "A key or position can only be used on an AnyRealmValue property or element, not on "
                + "an aggregate.")
        return self
    }
}

// MARK: Texts

extension Query where Value == AnyRealmValue {
    /// Whether the value is a string that contains `part`, or data with the UTF-8 bytes of such a
    /// string.
    public func contains(_ part: String, options: StringOptions = []) -> Query<Bool> {
        match(.contains, part, options)
    }

    /// Whether the value is a string that starts with `part`, or data with the UTF-8 bytes of such
    /// a string.
    public func starts(with part: String, options: StringOptions = []) -> Query<Bool> {
        match(.beginsWith, part, options)
    }

    /// Whether the value is a string that ends with `part`, or data with the UTF-8 bytes of such a
    /// string.
    public func ends(with part: String, options: StringOptions = []) -> Query<Bool> {
        match(.endsWith, part, options)
    }

    /// Whether the value is a string that matches a pattern, or data with the UTF-8 bytes of such a
    /// string: `?` matches any one code point, `*` any number of them.
    public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
        match(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }

    /// Whether the value is a string that matches a pattern, or data with the UTF-8 bytes of such a
    /// string, both folded as the options require.
    public func like(_ pattern: String, options: StringOptions) -> Query<Bool> {
        match(.like, pattern, options)
    }

    /// Whether the value is this string, or data with its UTF-8 bytes.
    public func equals(_ text: String, options: StringOptions = []) -> Query<Bool> {
        match(.equals, text, options)
    }

    /// The complement of `equals`. If the path leads to several values, whether at least one of
    /// them differs.
    public func notEquals(_ text: String, options: StringOptions = []) -> Query<Bool> {
        differs(from: text, options)
    }

    /// Whether the value is data that contains `part`, or a string whose UTF-8 bytes do.
    public func contains(_ part: Data) -> Query<Bool> { match(.contains, part) }

    /// Whether the value is data that starts with `part`, or a string whose UTF-8 bytes do.
    public func starts(with part: Data) -> Query<Bool> { match(.beginsWith, part) }

    /// Whether the value is data that ends with `part`, or a string whose UTF-8 bytes do.
    public func ends(with part: Data) -> Query<Bool> { match(.endsWith, part) }
}

extension ColumnReference {
    /// Returns the name of the list with the contents of a property of any type, and the name of
    /// the class of its elements.
    fileprivate func anyNames(in className: String) -> (items: String, elements: String) {
        (PropertySchema.anyItemsName(of: name), "\(className).\(name)")
    }
}

extension QueryScope {
    /// Returns the names of the list with the contents of the values at the end of a path.
    fileprivate func anyNames(
        _ hops: [Hop], _ column: ColumnReference
    ) -> (items: String, elements: String)? {
        guard let target = column.hops.last?.target ?? hops.last?.target ?? rootName else {
            return nil
        }
        // elements of a collection belong to a class of elements, which is also that of their
        // contents
        if target.utf8.contains(UInt8(ascii: ".")), column.name == "value" {
            return (PropertySchema.anyItemsName, target)
        }
        return column.anyNames(in: target)
    }
}
