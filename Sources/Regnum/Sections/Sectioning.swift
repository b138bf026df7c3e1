internal import RegnumEngine

/// The sections of one version of a result: their keys, and the distribution of its rows.
struct Sectioning<Key: SectionKey>: Sendable {
    /// The keys, in order of their first appearance.
    let keys: [Key]
    /// The stored forms of the keys.
    let storedKeys: [Value]
    private let numbers: [Value: Int]
    let layout: SectionLayout

    fileprivate init(
        keys: [Key], storedKeys: [Value], numbers: [Value: Int], layout: SectionLayout
    ) {
        self.keys = keys
        self.storedKeys = storedKeys
        self.numbers = numbers
        self.layout = layout
    }

    /// Creates the sections of an empty result.
    init() { self.init(keys: [], storedKeys: [], numbers: [:], layout: SectionLayout()) }

    /// Returns the section with a key, or `nil` if there is none.
    func number(of key: Key) -> Int? {
        Key._embeddedClass == nil ? number(storedAs: key.engineValue) : nil
    }

    /// Returns whether `number` is the number of a section; false after a failed read.
    func hasSection(_ number: Int) -> Bool { keys.indices.contains(number) }

    /// Returns the section with a stored key, or `nil` if there is none.
    func number(storedAs value: Value) -> Int? { numbers[value] }

    /// Returns whether both have the same keys, and each position has the same one.
    func isSame(as other: Sectioning) -> Bool {
        storedKeys == other.storedKeys && layout == other.layout
    }
}

/// Makes the sections of a result from the keys of its rows.
struct SectioningBuilder<Key: SectionKey> {
    /// The class of the objects, for messages.
    let schema: ClassSchema
    private var keys: [Key] = []
    private var storedKeys: [Value] = []
    private var numbers: [Value: Int] = [:]
    private var sections: [Int] = []

    init(_ schema: ClassSchema, count: Int) {
        self.schema = schema
        sections.reserveCapacity(count)
    }

    /// Adds the next row, whose key is stored as a value in a column.
    ///
    /// Throws `.invalidQuery` if it isn't a plain value, and `.invalidValue` if it isn't valid for
    /// the type of the key.
    mutating func append(
        stored value: Value, in column: ColumnReference
    ) throws(Realm.Error) {
        if let known = numbers[value] {
            sections.append(known)
            return
        }
        if value.isAnyReference { throw .linkAsSectionKey(schema.name) }
        if let key = Key._decode(_StoredValue(value)) {
            sections.append(section(value, key))
        } else if Key.readsUnknownAsNil {
            sections.append(section(.null, Key.fromEngine(.null)))
        } else {
            throw .undecodableSectionKey(schema, column, "\(Key.self)")
        }
    }

    /// Adds the next row, whose key a closure returned.
    ///
    /// Throws `.invalidQuery` if it isn't a plain value.
    mutating func append(_ key: Key) throws(Realm.Error) {
        let value = key.engineValue
        if value.isAnyReference { throw .linkAsSectionKey(schema.name) }
        sections.append(section(value, key))
    }

    /// Adds the next row, which is in a known section.
    mutating func append(section: Int) { sections.append(section) }

    /// Returns the section with a key, adding it after the others if it is new.
    mutating func section(_ stored: Value, _ key: Key) -> Int {
        if let known = numbers[stored] { return known }
        let number = keys.count
        numbers[stored] = number
        keys.append(key)
        storedKeys.append(stored)
        return number
    }

    consuming func finish() -> Sectioning<Key> {
        Sectioning(
            keys: keys, storedKeys: storedKeys, numbers: numbers,
            layout: SectionLayout(sections: sections, count: keys.count))
    }
}

extension Sectioning {
    /// Returns the sections of rows whose keys are stored as the given values of a column.
    ///
    /// Throws the errors of `SectioningBuilder.append`.
    /// - Complexity: O(n).
    static func of(
        _ values: [Value], in column: ColumnReference, _ schema: ClassSchema
    ) throws(Realm.Error) -> Sectioning {
        var builder = SectioningBuilder<Key>(schema, count: values.count)
        for value in values { try builder.append(stored: value, in: column) }
        return builder.finish()
    }

    /// Returns the sections of rows with the given keys.
    ///
    /// Throws the errors of `SectioningBuilder.append`.
    /// - Complexity: O(n).
    static func of(_ keys: [Key], _ schema: ClassSchema) throws(Realm.Error) -> Sectioning {
        var builder = SectioningBuilder<Key>(schema, count: keys.count)
        for key in keys { try builder.append(key) }
        return builder.finish()
    }

    /// Returns the sections after a step, in which only the given rows can have another key.
    ///
    /// - Parameters:
    ///   - count: The number of rows after the step.
    ///   - values: The stored keys of the inserted rows, followed by those of the modified ones.
    ///
    /// Throws the errors of `SectioningBuilder.append`.
    /// - Complexity: O(n) steps over integers for n rows, and O(c) lookups of keys for c changed
    ///   rows.
    func advanced(
        by change: ResultChange, count: Int, _ values: [Value], in column: ColumnReference,
        _ schema: ClassSchema
    ) throws(Realm.Error) -> Sectioning {
        var builder = SectioningBuilder<Key>(schema, count: count)
        var newSections = [Int?](repeating: nil, count: keys.count)
        let insertedCount = change.insertions.count
        var (deletion, insertion, modification, oldPosition) = (0, 0, 0, 0)
        for position in 0..<count {
            if insertion < insertedCount, change.insertions[insertion] == position {
                try builder.append(stored: values[insertion], in: column)
                insertion += 1
                continue
            }
            while deletion < change.deletions.count, change.deletions[deletion] == oldPosition {
                deletion += 1
                oldPosition += 1
            }
            let section = layout.sections[oldPosition]
            oldPosition += 1
            if modification < change.newModifications.count,
                change.newModifications[modification] == position
            {
                try builder.append(stored: values[insertedCount + modification], in: column)
                modification += 1
                continue
            }
            let new = newSections[section] ?? builder.section(storedKeys[section], keys[section])
            newSections[section] = new
            builder.append(section: new)
        }
        return builder.finish()
    }

    /// Returns the difference to the sections after a step.
    ///
    /// - Parameters:
    ///   - change: The change of the rows.
    ///   - newKeys: The rows after the step, if rows that weren't modified may have another key;
    ///     otherwise `nil`.
    ///   - isModified: Returns the row to report if a row counts as modified, otherwise `nil`.
    /// - Complexity: O(s log s + c log c) for s sections and c changed rows and rows of inserted
    ///   sections; in addition, O(n) with `newKeys`.
    func difference(
        to new: Sectioning, _ change: ResultChange, newKeys: ResultTree?,
        isModified: (ModifiedResult) -> ModifiedResult?
    ) -> SectionDifference {
        let survivors = storedKeys.map { new.number(storedAs: $0) }
        var rows: [SectionedRow] = []
        for (key, position) in zip(change.deletedKeys, change.deletions) {
            rows.append(SectionedRow(key: key, oldPosition: position, newPosition: nil))
        }
        for (key, position) in zip(change.insertedKeys, change.insertions) {
            rows.append(SectionedRow(key: key, oldPosition: nil, newPosition: position))
        }
        for row in change.modified {
            rows.append(
                SectionedRow(
                    key: row.key, oldPosition: row.oldIndex, newPosition: row.newIndex,
                    modified: isModified(row)))
        }
        if let newKeys {
            let modified = Set(change.newModifications)
            for (position, key) in newKeys.enumerated() where !modified.contains(position) {
                guard let oldPosition = change.oldPosition(position),
                    survivors[layout.sections[oldPosition]] != new.layout.sections[position]
                else { continue }
                rows.append(
                    SectionedRow(key: key, oldPosition: oldPosition, newPosition: position))
            }
        }
        return SectionDifference(
            from: layout, to: new.layout, survivors: survivors, rows: rows)
    }
}

extension Realm.Error {
    /// Returns the error for a stored value that isn't valid for the type of the section keys.
    fileprivate static func undecodableSectionKey(
        _ schema: ClassSchema, _ column: ColumnReference, _ type: String
    ) -> Realm.Error {
        let (className, property) = schema.names(of: column)
        return .invalidValue(
            className, property,
            "is stored as a section key that isn't valid for \(type): another version of the "
                + "program may have written it.")
    }
}

extension ClassSchema {
    /// Returns the names of the property that a column of this class, or of a linked one, stores,
    /// and of its class.
    fileprivate func names(of column: ColumnReference) -> (className: String, property: String) {
        var schema = self
        for hop in column.hops {
            guard let index = schema.property(columnNamed: hop.name),
                let target = schema.properties[index].shape.objectType
            else { return (schema.name, hop.name) }
            schema = ClassSchema.of(target)
        }
        let index = schema.property(columnNamed: column.name)
        return (schema.name, index.map { schema.properties[$0].name } ?? column.name)
    }
}
