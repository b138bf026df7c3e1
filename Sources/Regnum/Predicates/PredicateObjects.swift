internal import RegnumEngine
internal import RegnumStore

// Objects given by their primary keys: obj('Class', key).

/// Looks up objects in the state that is queried.
struct PredicateObjects {
    /// Returns the object of a class with a primary key as a value of any type; `nil` if there is
    /// none. Throws if the class can't be read.
    let content: (ClassSchema, Value) throws(Realm.Error) -> Value?
    /// Returns the name of the class and the primary key of a row, if it has one; `nil` if the row
    /// doesn't exist.
    let key: (TableKey, ObjectKey) -> (className: String, key: Value?)?
}

extension Queryable {
    var objects: PredicateObjects {
        PredicateObjects(
            content: { (schema, key) throws(Realm.Error) in
                // the use of an invalid query reports its problem
                if _realm.problem != nil { return nil }
                let link: Value?? = try answer(through: [StoredText(schema.name)]) { _, state in
                    state.link(to: schema.name, primaryKey: key)
                }
                return link ?? nil
            },
            key: { table, row in
                _ask(nil, through: []) { _, state in state.object(table, row) }
            })
    }
}

extension PredicateBinder {
    /// Tests a link, or a value of any type, against the object with a primary key.
    func test(
        _ place: PredicatePlace, _ comparison: PredicateOperator, _ schema: ClassSchema,
        _ key: Value, _ quantifier: Quantifier?, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        if place.storage?.isAny == true {
            return try isContent(schema, key, place, comparison, quantifier, offset)
        }
        let target: ClassSchema? =
            switch place.kind {
            case .objects(let schema), .entryObject(_, let schema, _): schema
            default: nil
            }
        guard target === schema, let index = schema.primaryKey else {
            throw refused(place, "isn't \(schema.name.withArticle)", offset)
        }
        guard case .compare(let kind) = comparison.kind, kind == .equal || kind == .notEqual else {
            throw refused(place, "can only be compared with an object by == and !=", offset)
        }
        let hasKey = Predicate.compare(schema.properties[index].reference, .equal, key)
        func matches(_ links: [Hop]) -> Predicate {
            // A link that is nil has no key, also where nil is a key.
            let isObject = Predicate.exists(links, hasKey)
            return kind == .equal ? isObject : .not(isObject)
        }
        let holdsForNil = kind == .notEqual
        if case .entryObject(let entry, _, let links) = place.kind {
            let (outer, inner) = place.hops.splitBeforeLastCollection
            return try quantified(
                outer, quantifier,
                .entry(inner, entry, matches(links), holdsForNil: holdsForNil),
                holdsForNil: holdsForNil, place, offset)
        }
        let (several, links) = place.hops.splitAtLastCollection
        return try quantified(
            several, quantifier, matches(links), holdsForNil: holdsForNil, place, offset)
    }

    /// Tests a value of any type against the object with a primary key.
    private func isContent(
        _ schema: ClassSchema, _ key: Value, _ place: PredicatePlace,
        _ comparison: PredicateOperator, _ quantifier: Quantifier?, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        guard let objects, case .compare(let kind) = comparison.kind,
            kind == .equal || kind == .notEqual
        else { throw refused(place, "can only be compared with an object by == and !=", offset) }
        let content: Value?
        do throws(Realm.Error) { content = try objects.content(schema, key) } catch {
            scope.report(error)
            content = nil
        }
        return try tested(place, quantifier, holdsForNil: kind == .notEqual, offset) { column in
            content.map { .compare(column, kind, $0) } ?? .constant(kind == .notEqual)
        }
    }
}

extension PredicatePrinter {
    /// Whether a value of any type is an object that doesn't exist anymore.
    func isGone(_ value: Value) -> Bool {
        guard case .link(let table, let row)? = value.anyContent else { return false }
        return binder.objects?.key(table, row) == nil
    }

    /// Returns an object as a literal.
    func object(_ table: TableKey, _ row: ObjectKey) throws(PredicateUnprintable) -> String {
        guard let found = binder.objects?.key(table, row), let key = found.key else {
            throw PredicateUnprintable(
                "it compares an AnyRealmValue with an object that has no primary key")
        }
        return "obj(\(found.className.quoted), \(try literal(key)))"
    }
}
