internal import RegnumEngine

// The classes that queries read through links, which have to match the stored schema like the class
// of the results.

extension RealmCore {
    /// Returns the mismatch of one of the classes with a stored schema, or `nil` if all match.
    ///
    /// - Parameters:
    ///   - names: The names of classes. Hidden classes of elements are left out, because their
    ///     properties are those of their owners, and so are classes that the program doesn't have.
    ///   - schema: The class of the queried objects, which isn't checked itself.
    ///   - newest: The current schema, if `database` is a past one.
    ///   - skipsUnlisted: Whether classes that `objectTypes` omits, so that the program can't read
    ///     their objects, are left out; otherwise they are errors.
    func mismatch(
        of names: Set<StoredText>, from schema: ClassSchema, in database: DatabaseSchema,
        before newest: DatabaseSchema? = nil, skipsUnlisted: Bool = false
    ) -> Realm.Error? {
        firstProblem(of: names, from: schema, skipsUnlisted: skipsUnlisted) {
            $0.problem(in: database, before: newest)
        }
    }

    /// Returns the error for a property of one of the classes whose values migrations have replaced
    /// since a past schema, or `nil`. Classes that `objectTypes` omits are left out.
    ///
    /// - Parameter schema: The class that leads to the others, which isn't checked itself.
    func replacement(
        of names: Set<StoredText>, from schema: ClassSchema, since past: DatabaseSchema,
        _ newest: DatabaseSchema
    ) -> Realm.Error? {
        firstProblem(of: names, from: schema, skipsUnlisted: true) {
            $0.replacement(since: past, newest)
        }
    }

    private func firstProblem(
        of names: Set<StoredText>, from schema: ClassSchema, skipsUnlisted: Bool,
        _ problem: (ClassEntry) -> Realm.Error?
    ) -> Realm.Error? {
        if names.isEmpty { return nil }
        let (linkedClasses, others) = schema.linkedClasses(named: names)
        // only @links in a predicate string leads to the others
        for linked in linkedClasses + others.sorted().compactMap({ knownClass(named: $0) })
        where !skipsUnlisted || isListed(linked.type) {
            do throws(Realm.Error) {
                if let problem = problem(try listedEntry(for: linked.type)) { return problem }
            } catch {
                return error
            }
        }
        return nil
    }

    /// Returns the class with a name that is registered or that registered classes link to.
    private func knownClass(named name: StoredText) -> ClassSchema? {
        knownEntry(named: name.wrappedValue)?.schema
            ?? knownClasses.first { StoredText($0.name) == name }
    }

    /// Returns the mismatch of a class whose links lead to an owner with a stored schema, or `nil`
    /// if all match.
    func mismatch(
        along owner: CollectionOwner, in database: DatabaseSchema,
        before newest: DatabaseSchema? = nil
    ) -> Realm.Error? {
        for link in owner.links {
            let entry = knownEntry(named: link.tableName)
            if let mismatch = entry?.problem(in: database, before: newest) { return mismatch }
        }
        return nil
    }
}

extension ClassSchema {
    /// Returns the classes with these names that links, collections and inverses lead to from this
    /// class, the nearest ones first, and the names of the others.
    ///
    /// - Complexity: O(classes along the way and their properties).
    fileprivate func linkedClasses(
        named names: Set<StoredText>
    ) -> (found: [ClassSchema], others: Set<StoredText>) {
        var missing = names.filter {
            $0 != StoredText(name) && !$0.wrappedValue.utf8.contains(UInt8(ascii: "."))
        }
        var found: [ClassSchema] = []
        var reached = [self]
        var known: Set<ObjectIdentifier> = [ObjectIdentifier(type)]
        var next = 0
        while next < reached.count, !missing.isEmpty {
            for property in reached[next].properties {
                guard let type = property.shape.objectType,
                    known.insert(ObjectIdentifier(type)).inserted
                else { continue }
                let schema = ClassSchema.of(type)
                if missing.remove(StoredText(schema.name)) != nil { found.append(schema) }
                reached.append(schema)
            }
            next += 1
        }
        return (found, missing)
    }
}
