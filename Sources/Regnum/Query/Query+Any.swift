public import FoundationEssentials
internal import RegnumEngine

extension Query where Value == AnyRealmValue {
    /// What a dictionary has under a key; nil for other values, and where there is no such key.
    ///
    ///     realm.objects(Note.self).where { $0.content["author"]["name"] == .string("Ann") }
    public subscript(key: String) -> Query<AnyRealmValue> { nested(.key(key)) }

    /// What a list has at a position; nil for other values, and where the list is shorter.
    public subscript(position: Int) -> Query<AnyRealmValue> { nested(.position(position)) }

    /// One of the elements of a list, or of the values of a dictionary.
    public var any: Query<AnyRealmValue> { nested(.all) }

    private func nested(_ step: AnyStep) -> Query<AnyRealmValue> {
        switch node {
        case .nested(var path):
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
            "A key or position was asked of a value of any type that is no property or element: ask "
                + "it of the property of an object.")
        return self
    }
}

// MARK: Texts

extension Query where Value == AnyRealmValue {
    /// Whether the value is a text, or data with the bytes of a text, that contains `part`.
    public func contains(_ part: String, options: StringOptions = []) -> Query<Bool> {
        match(.contains, part, options)
    }

    /// Whether the value is a text, or data with the bytes of a text, that begins with `part`.
    public func starts(with part: String, options: StringOptions = []) -> Query<Bool> {
        match(.beginsWith, part, options)
    }

    /// Whether the value is a text, or data with the bytes of a text, that ends with `part`.
    public func ends(with part: String, options: StringOptions = []) -> Query<Bool> {
        match(.endsWith, part, options)
    }

    /// Whether the value is a text, or data with the bytes of a text, that is as a pattern says:
    /// `?` stands for any one code point, `*` for any number of them.
    public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
        match(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }

    /// Whether the value is this text, or data with its bytes.
    public func equals(_ text: String, options: StringOptions = []) -> Query<Bool> {
        match(.equals, text, options)
    }

    /// The complement of `equals`; of several values, whether one is another one.
    public func notEquals(_ text: String, options: StringOptions = []) -> Query<Bool> {
        let isInsensitive = options.contains(.caseInsensitive)
        return holds(forNil: true) {
            .not(.matchText($0, .equals, text, caseInsensitive: isInsensitive))
        }
    }

    /// Whether the value is data, or a text with the bytes, that contains `part`.
    public func contains(_ part: Data) -> Query<Bool> { match(.contains, part) }

    /// Whether the value is data, or a text with the bytes, that begins with `part`.
    public func starts(with part: Data) -> Query<Bool> { match(.beginsWith, part) }

    /// Whether the value is data, or a text with the bytes, that ends with `part`.
    public func ends(with part: Data) -> Query<Bool> { match(.endsWith, part) }

    private func match(
        _ match: TextMatch, _ text: String, _ options: StringOptions
    ) -> Query<Bool> {
        let isInsensitive = options.contains(.caseInsensitive)
        return holds { .matchText($0, match, text, caseInsensitive: isInsensitive) }
    }

    private func match(_ match: TextMatch, _ part: Data) -> Query<Bool> {
        holds { .matchData($0, match, [UInt8](part)) }
    }

    /// - Parameter holdsForNil: whether the condition holds where there is no entry or element.
    private func holds(
        forNil holdsForNil: Bool = false, _ isHeld: (ColumnReference) -> RegnumEngine.Predicate
    ) -> Query<Bool> {
        switch node {
        case .column(let hops, let column): return condition(.exists(hops, isHeld(column)))
        case .entry(let hops, let key, let column):
            return condition(.entry(hops, key, isHeld(column), holdsForNil: holdsForNil))
        case .nested(let path):
            return condition(.nested(path, holdsForNil: holdsForNil, isHeld))
        default:
            scope.refuse("A text operator was asked of an aggregate of values of any type.")
            return condition(.constant(false))
        }
    }
}

extension ColumnReference {
    /// The names of the list for what lies in values of a property of any type, and of the class of
    /// its elements.
    fileprivate func anyNames(in className: String) -> (items: String, elements: String) {
        (PropertySchema.anyItemsName(of: name), "\(className).\(name)")
    }
}

extension QueryScope {
    /// The names of the list for what lies in the values at the end of a path.
    fileprivate func anyNames(
        _ hops: [Hop], _ column: ColumnReference
    ) -> (items: String, elements: String)? {
        guard let target = column.hops.last?.target ?? hops.last?.target ?? rootName else {
            return nil
        }
        // an element of a collection has a class of elements, which is its own
        if target.contains("."), column.name == "value" {
            return (PropertySchema.anyItemsName, target)
        }
        return column.anyNames(in: target)
    }
}
