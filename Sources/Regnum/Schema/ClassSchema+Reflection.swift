internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension ClassSchema {
    /// Creates the schema of a class by reflecting on the fields of newly created instances.
    convenience init(reflecting type: ObjectBase.Type) {
        let name = _typeName(type, qualified: false)
        var problems: [String] = []
        let bases: [ObjectBase.Type] = [
            ObjectBase.self, Object.self, EmbeddedObject.self, AsymmetricObject.self,
        ]
        if bases.contains(where: { $0 == type }) {
            problems.append("\(name) is not a model class: derive a class from it.")
        }
        let all = storedFields(of: type)
        let fields = all.filter { $0.type is any PersistedField.Type }
        let (first, second) = Self.twoInstances(of: type)
        let mapping = type.propertiesMapping()
        let columnNames = Dictionary(
            uniqueKeysWithValues: mapping.map { (StoredText($0.key), $0.value) })
        let properties = fields.compactMap { field -> PropertySchema? in
            guard let wrapper = field.type as? any PersistedField.Type else { return nil }
            return PropertySchema(
                field: field, wrapper: wrapper, mapping: columnNames,
                first: wrapper.declaration(in: first, at: field.offset),
                second: wrapper.declaration(in: second, at: field.offset))
        }
        problems += Self.problems(name: name, properties: properties)
        problems += Self.mappingProblems(mapping, name: name, properties: properties)
        if type is EmbeddedObject.Type, let key = properties.first(where: \.isPrimaryKey) {
            problems.append(
                "\(name).\(key.name) is a primary key: an embedded object cannot have one.")
        }
        if type is EmbeddedObject.Type {
            for property in properties where property.deleteRule == .cascade {
                problems.append(
                    "\(name).\(property.name) has the delete rule cascade: an embedded object "
                        + "cannot have cascading links, because it is also deleted when replaced.")
            }
        }
        self.init(
            name: name, type: type, properties: properties, problems: problems,
            hasOnlyStoredProperties: all.count
                == storedFields(of: Object.self).count + fields.count)
    }

    /// Returns two new instances created at different clock times, so that non-constant initial
    /// values (`Date()`, `UUID()`) differ between them.
    private static func twoInstances(of type: ObjectBase.Type) -> (ObjectBase, ObjectBase) {
        let first = type.init()
        let moment = Date()
        // Clock ticks as seen by `Date` are shorter than a microsecond, so this ends quickly. The
        // bound guards against a stopped clock.
        for _ in 0..<10_000 where Date() == moment {}
        return (first, type.init())
    }

    /// Returns a message for each invalid entry of `propertiesMapping()`: an unknown or unstored
    /// property, a duplicate stored name, or a name that cannot be stored.
    private static func mappingProblems(
        _ mapping: [String: String], name: String, properties: [PropertySchema]
    ) -> [String] {
        var problems: [String] = []
        for (property, column) in mapping.sorted(by: { $0.key < $1.key }) {
            let place = "propertiesMapping() of \(name) maps \(property) to \"\(column)\""
            guard let found = properties.first(where: { equalUTF8($0.name, property) }) else {
                problems.append("\(place), but the class has no such property.")
                continue
            }
            if !found.isStored {
                problems.append("\(place), but an inverse is not stored.")
            }
            // Names used by the library itself contain a dot or start with a control character.
            if column.isEmpty || column.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 < 32 })
            {
                problems.append(
                    "\(place): a stored name can't be empty or contain a dot or control character.")
            }
            if column.utf8.count > Limits.maximumColumnNameByteCount {
                problems.append(
                    "\(place), which has \(column.utf8.count) bytes; the limit is "
                        + "\(Limits.maximumColumnNameByteCount).")
            }
        }
        let stored = Dictionary(grouping: properties.filter(\.isStored)) {
            StoredText($0.columnName)
        }
        for (column, same) in stored.sorted(by: { $0.key < $1.key }) {
            let names = Set(same.map { StoredText($0.name) }).sorted().map(\.wrappedValue)
            guard names.count > 1 else { continue }
            problems.append(
                "propertiesMapping() of \(name) gives \(names.joined(separator: " and ")) the same "
                    + "stored name \"\(column.wrappedValue)\".")
        }
        return problems
    }

    private static func problems(name: String, properties: [PropertySchema]) -> [String] {
        var problems: [String] = []
        if name.isEmpty || name.utf8.count > Limits.maximumTableNameByteCount {
            problems.append(
                "The class name \(name) has \(name.utf8.count) bytes; the limit is "
                    + "\(Limits.maximumTableNameByteCount).")
        }
        // the elements of a collection have a class with the name `Class.property`
        if name.utf8.contains(UInt8(ascii: ".")) {
            problems.append("The class name \(name) contains a dot, which is reserved.")
        }
        if properties.isEmpty {
            problems.append("\(name) has no @Persisted properties.")
        }
        if properties.count > Limits.maximumColumnCount {
            problems.append(
                "\(name) has \(properties.count) properties; the limit is "
                    + "\(Limits.maximumColumnCount).")
        }
        let keys = properties.filter(\.isPrimaryKey)
        if keys.count > 1 {
            let names = keys.map(\.name).joined(separator: ", ")
            problems.append(
                "\(name) has \(keys.count) primary keys: \(names). Only one is allowed.")
        }
        for property in properties {
            guard let type = property.shape.objectType, type._storedType != type else { continue }
            problems.append(
                "\(name).\(property.name) is of type \(property.shape.swiftName): a projection "
                    + "cannot be stored. Declare the class that it projects.")
        }
        for property in properties {
            if property.isFrozenAny {
                problems.append(
                    "\(name).\(property.name) is of type FrozenAnyValue, which only snapshots use: "
                        + "declare an AnyRealmValue.")
            }
            guard property.shape.hasAnyValues else { continue }
            if property.isOptionalAny {
                problems.append(
                    "\(name).\(property.name) is of type \(property.declaredName): AnyRealmValue "
                        + "cannot be optional, because AnyRealmValue.none represents nil.")
            }
            let byteCount = property.columnName.utf8.count
            if property.shape.isAny, byteCount > Limits.maximumAnyNameByteCount {
                problems.append(
                    "\(name).\(property.name) has a name of \(byteCount) bytes; the limit for "
                        + "AnyRealmValue is \(Limits.maximumAnyNameByteCount).")
            }
            if property.shape.isAny,
                let other = properties.first(where: {
                    equalUTF8($0.columnName, property.anyItemsName)
                })
            {
                problems.append(
                    "\(name).\(other.name) has the stored name \"\(other.columnName)\", under "
                        + "which the lists and dictionaries of \(name).\(property.name) are "
                        + "stored.")
            }
        }
        var seen: Set<StoredText> = []
        for property in properties {
            if !seen.insert(StoredText(property.name)).inserted {
                problems.append(
                    "\(name).\(property.name) is declared twice in the class hierarchy.")
            }
            if property.shape.isStoredList, property.columnName.itemsProperty != nil {
                problems.append(
                    "\(name).\(property.name) has the stored name \"\(property.columnName)\": a "
                        + "collection's stored name can't end in \"[]\", which is reserved.")
            }
            // Mapped names are checked in `mappingProblems`.
            if equalUTF8(property.name, property.columnName),
                property.name.utf8.count > Limits.maximumColumnNameByteCount
            {
                problems.append(
                    "\(name).\(property.name) has a name of \(property.name.utf8.count) bytes; "
                        + "the limit is \(Limits.maximumColumnNameByteCount).")
            }
        }
        return problems
    }
}

extension PropertySchema {
    /// Whether the property or its elements are optional `AnyRealmValue`s.
    fileprivate var isOptionalAny: Bool {
        let types: [Any.Type] = [
            AnyRealmValue?.self, List<AnyRealmValue?>.self, MutableSet<AnyRealmValue?>.self,
            Map<String, AnyRealmValue?>.self,
        ]
        return types.contains { $0 == field.valueType }
    }

    convenience init(
        field: StoredField, wrapper: any PersistedField.Type, mapping: [StoredText: String],
        first: PropertyDeclaration, second: PropertyDeclaration
    ) {
        let shape = wrapper.shape
        var defaultValue = Value.null
        if case .scalar(let storage) = shape { defaultValue = wrapper.typeDefault ?? storage.zero }
        if case .scalar(let storage) = shape, !storage.isAny, let value = first.initialValue,
            value == second.initialValue
        {
            defaultValue = value
            // A NaN date cannot be stored, so it cannot be a default either.
            if case .date(let seconds) = value, seconds.isNaN { defaultValue = storage.zero }
        }
        // The backing storage of a wrapped property `text` is named `_text`.
        let name = String(field.name.dropFirst())
        self.init(
            name: name, columnName: mapping[StoredText(name)] ?? name,
            offset: field.offset, field: wrapper, kind: FieldKind(of: wrapper), shape: shape,
            defaultValue: defaultValue, declaration: first)
    }
}
