internal import RegnumEngine
internal import RegnumStore

/// Fills unmanaged objects with values from dictionaries, arrays and other objects.
///
/// All values are checked while the objects are still unmanaged, so nothing is stored if any of
/// them is invalid. Traverses nested values without recursion.
struct ObjectBuilder {
    /// The transaction that the objects are created for, if any.
    private let core: TransactionCore?
    /// Whether unmanaged objects are linked to as they are, and thereby added, as by an assignment.
    private let addsObjects: Bool
    /// The properties that were given, by object.
    private(set) var supplied: [ObjectIdentifier: SuppliedProperties] = [:]
    /// Objects that have yet to be filled, with their value path and nesting level.
    private var pending: [(object: ObjectBase, value: Any, path: ValuePath?, level: Int)] = []
    /// The nesting level of the object being filled.
    private var level = 0
    /// Properties that are set only after the embedded objects that their values are converted from
    /// have been filled. Nested ones come later in the array.
    private var late:
        [(
            content: Converted, value: Any, index: Int, object: ObjectBase, schema: ClassSchema,
            path: ValuePath?
        )] = []
    /// The value path of the object being filled; `nil` for the root object.
    private var path: ValuePath?
    /// The position of the collection element being converted.
    private var position: ValuePath.Position?
    /// The copies made of objects, so that graphs keep their structure, including cycles. The
    /// sources are retained so that their addresses, which are part of the keys, aren't reused.
    private var copies: [CopyKey: (source: ObjectBase, copy: ObjectBase)] = [:]

    /// An object and the class that it is copied to.
    private struct CopyKey: Hashable {
        /// The instance of an unmanaged object; the transaction of a managed object, whose row may
        /// have several instances.
        private let owner: ObjectIdentifier
        private let source: ObjectIdentifier
        private let row: UInt64
        private let target: ObjectIdentifier

        init(_ object: ObjectBase, as type: ObjectBase.Type) {
            if let core = object._binding?.core {
                owner = ObjectIdentifier(core)
            } else {
                owner = ObjectIdentifier(object)
            }
            source = ObjectIdentifier(Swift.type(of: object))
            row = object._row
            target = ObjectIdentifier(type)
        }
    }

    /// - Parameters:
    ///   - core: The transaction that the objects will be stored in, where nested objects from
    ///     elsewhere are copied; or `nil` to link to nested objects as they are.
    ///   - addsObjects: Whether unmanaged objects are linked to as they are even in a transaction.
    init(_ core: TransactionCore?, addsObjects: Bool = false) {
        self.core = core
        self.addsObjects = addsObjects
    }

    /// Fills an unmanaged object with values and creates the nested objects.
    ///
    /// Throws `.invalidValue` and `.invalidInput` like `Transaction.create`.
    /// - Complexity: O(values)
    mutating func fill(_ object: ObjectBase, from value: Any) throws(Realm.Error) {
        let object = object._storedObject
        pending.append((object, value, nil, 0))
        if let source = instance(of: ObjectBase.self, unwrapped(value))?._storedObject {
            copies[CopyKey(source, as: type(of: object))] = (source, object)
        }
        try fillPending()
    }

    /// Sets a property of a managed or unmanaged object, like an assignment.
    ///
    /// Throws like `fill`, leaving the object unchanged.
    mutating func assign(
        _ index: Int, of object: ObjectBase, _ schema: ClassSchema, to value: Any
    ) throws(Realm.Error) {
        do throws(Realm.Error) {
            let content = try content(of: value, for: schema.properties[index], schema)
            // Fill the objects first: setting a property of a managed object
            // stores them right away.
            try fillPending()
            path = nil
            try put(content, of: value, into: index, of: object, schema)
        } catch {
            throw located(error)
        }
    }

    private mutating func fillPending() throws(Realm.Error) {
        do throws(Realm.Error) {
            while let (object, value, path, level) = pending.popLast() {
                self.level = level
                self.path = path
                try fillProperties(of: object._storedObject, from: value)
            }
            while let (content, value, index, object, schema, path) = late.popLast() {
                self.path = path
                try put(content, of: value, into: index, of: object, schema)
            }
        } catch {
            throw located(error)
        }
    }

    /// Adds the path of the current object and element to the error.
    private mutating func located(_ error: Realm.Error) -> Realm.Error {
        guard let property = error.property, path != nil || position != nil else { return error }
        defer { (path, position) = (nil, nil) }
        var error = error
        error.valuePath = ValuePath(path, property, position).text
        return error
    }

    private mutating func fillProperties(
        of object: ObjectBase, from value: Any
    ) throws(Realm.Error) {
        let schema = ClassSchema.of(type(of: object))
        if let problem = schema.declarationError { throw problem }
        supplied[ObjectIdentifier(object)] = SuppliedProperties(object: object)
        if let source = instance(of: ObjectBase.self, unwrapped(value))?._storedObject {
            try copyProperties(of: source, to: object, schema)
        } else if let values = value as? [String: Any] {
            for (index, property) in schema.properties.enumerated() {
                guard let place = values.index(forKey: property.name),
                    equalUTF8(values[place].key, property.name)
                else { continue }
                try set(index, of: object, schema, to: values[place].value)
            }
        } else if let values = value as? [Any] {
            let stored = schema.properties.indices.filter { schema.properties[$0].isStored }
            if values.count > stored.count {
                throw Realm.Error(
                    .invalidInput,
                    "\(schema.name) has \(stored.count) properties, but was given an array of "
                        + "\(values.count) values.", className: schema.name)
            }
            for (index, value) in zip(stored, values) {
                try set(index, of: object, schema, to: value)
            }
        } else {
            var error = Realm.Error(
                .invalidInput,
                "Cannot create \(schema.name.withArticle) from \(describedWithType(value)): "
                    + "pass a dictionary, an array or an object.", className: schema.name)
            error.valuePath = path?.text
            throw error
        }
    }

    private mutating func copyProperties(
        of source: ObjectBase, to object: ObjectBase, _ schema: ClassSchema
    ) throws(Realm.Error) {
        let isOther = type(of: source) != schema.type
        let sourceSchema = isOther ? ClassSchema.of(type(of: source)) : schema
        for (index, property) in schema.properties.enumerated() where property.isStored {
            let position = isOther ? sourceSchema.property(named: property.name) : index
            guard let position, sourceSchema.properties[position].isStored else {
                throw .missing(property.name, in: sourceSchema.name, creating: schema.name)
            }
            let from = sourceSchema.properties[position]
            // Copy the projected value, not its stored form, if both properties have the same type.
            let isStored = from.isProjected && from.field.valueType != property.field.valueType
            let value =
                isStored
                ? from.field.dynamicValue(in: source, at: from.offset)
                : from.field.anyValue(in: source, at: from.offset)
            try set(index, of: object, schema, to: value as Any)
        }
    }

    /// Sets a property of an unmanaged object.
    private mutating func set(
        _ index: Int, of object: ObjectBase, _ schema: ClassSchema, to value: Any
    ) throws(Realm.Error) {
        let property = schema.properties[index]
        guard property.isStored else { return }
        supplied[ObjectIdentifier(object)]?.given.insert(index)
        let content = try content(of: value, for: property, schema)
        if property.shape.isUnordered, unwrapped(value) == nil {
            supplied[ObjectIdentifier(object)]?.emptied.insert(index)
        }
        if mayConvertObjects(property) {
            late.append((content, value, index, object, schema, path))
        } else {
            try put(content, of: value, into: index, of: object, schema)
        }
    }

    /// Returns whether values of the property may be converted from embedded objects, which
    /// have to be filled first.
    private func mayConvertObjects(_ property: PropertySchema) -> Bool {
        if case .map(.object(let type)) = property.shape { return type is EmbeddedObject.Type }
        return property.isProjected && property.shape.objectType != nil
    }

    private mutating func put(
        _ content: Converted, of value: Any, into index: Int, of object: ObjectBase,
        _ schema: ClassSchema
    ) throws(Realm.Error) {
        let property = schema.properties[index]
        if case .elements(let elements, let values) = content {
            let list = property.field.anyValue(in: object, at: property.offset)
            if let wrong = (list as? any UnmanagedList)?.replaceAll(with: elements) {
                position = .index(wrong)
                throw .wrongElement(unwrapped(values[wrong]), schema, property)
            }
            return
        }
        if case .entries(let entries, let values) = content {
            let map = property.field.anyValue(in: object, at: property.offset)
            if let wrong = (map as? any UnmanagedMap)?.replaceAll(with: entries) {
                position = .key(entries[wrong].key)
                throw .wrongElement(values[wrong], schema, property)
            }
            return
        }
        guard case .one(let content) = content,
            property.field.set(content, in: object, at: property.offset)
        else { throw .wrongType(unwrapped(value), schema, property) }
    }

    /// The converted value of a property.
    private enum Converted {
        case one(_PropertyContent.Content)
        case elements([_PropertyContent.Content], from: [Any])
        case entries([MapEntry], from: [Any?])
    }

    private mutating func content(
        of value: Any, for property: PropertySchema, _ schema: ClassSchema
    ) throws(Realm.Error) -> Converted {
        let value = unwrapped(value)
        switch property.shape {
        case .linkingObjects:
            return .elements([], from: [])
        case .scalar(let storage) where storage.isAny:
            return .one(try anyContent(of: value, property, schema))
        case .scalar(let storage):
            guard let value else {
                guard storage.isOptional else { throw .wrongType(nil, schema, property) }
                return .one(.value(.null))
            }
            guard let stored = storage.engineValue(of: value),
                property.isProjected || property.field.canHold(stored)
            else {
                throw .wrongType(value, schema, property)
            }
            return .one(.value(stored))
        case .link(let type):
            guard let value else { return .one(.link(nil)) }
            return .one(.link(try object(type, from: value, property, schema)))
        case .map(let element):
            guard let value else { return .entries([], from: []) }
            return try entries(of: value, element, property, schema)
        case .list(let element), .set(let element):
            guard let value else { return .elements([], from: []) }
            guard let values = Self.elements(of: value) else {
                throw .wrongType(value, schema, property)
            }
            var contents: [_PropertyContent.Content] = []
            contents.reserveCapacity(values.count)
            for (index, value) in values.enumerated() {
                position = .index(index)
                contents.append(
                    try content(ofElement: unwrapped(value), element, property, schema))
            }
            position = nil
            return .elements(contents, from: values)
        }
    }

    /// Returns the content of an element of a collection.
    private mutating func content(
        ofElement value: Any?, _ element: ElementShape, _ property: PropertySchema,
        _ schema: ClassSchema
    ) throws(Realm.Error) -> _PropertyContent.Content {
        switch element {
        case .scalar(let storage) where storage.isAny:
            return try anyContent(of: value, property, schema)
        case .scalar(let storage):
            let stored = value.map { storage.engineValue(of: $0) } ?? .null
            guard let stored, !stored.isNull || storage.isOptional else {
                throw .wrongElement(value, schema, property)
            }
            return .value(stored)
        case .object(let type):
            if let value { return .link(try object(type, from: value, property, schema)) }
            guard case .map = property.shape else { throw .wrongElement(nil, schema, property) }
            return .link(nil)
        }
    }

    /// Returns the entries of a map converted from a dictionary or another map.
    private mutating func entries(
        of value: Any, _ element: ElementShape, _ property: PropertySchema, _ schema: ClassSchema
    ) throws(Realm.Error) -> Converted {
        var values: [(key: String, value: Any?)]
        switch value {
        case let map as any UnmanagedMap: values = map.anyEntries
        case let dictionary as [String: Any]:
            values = dictionary.map { ($0.key, unwrapped($0.value)) }
        default: throw .wrongType(value, schema, property)
        }
        values.sort { StoredText.precedes($0.key, $1.key) }
        var entries: [MapEntry] = []
        entries.reserveCapacity(values.count)
        for (key, value) in values {
            position = .key(key)
            if let problem = Realm.Error.mapKey(key, schema, property) { throw problem }
            let content = try content(ofElement: value, element, property, schema)
            entries.append(MapEntry(key: key, content: content))
        }
        position = nil
        return .entries(entries, from: values.map(\.value))
    }

    /// Returns a list's elements from a value, or `nil` if the value isn't a sequence.
    static func elements(of value: Any) -> [Any]? {
        if let array = value as? [Any] { return array }
        if value is String || value is [AnyHashable: Any] || value is any KeyedCollection {
            return nil
        }
        guard let sequence = value as? any Sequence, !(value is any ScalarValue) else { return nil }
        return array(sequence)
    }

    static func array(_ sequence: some Sequence) -> [Any] { sequence.map { $0 as Any } }

    /// Returns the target object of a link or list element for a value.
    mutating func object(
        _ type: ObjectBase.Type, from value: Any, _ property: PropertySchema, _ schema: ClassSchema
    ) throws(Realm.Error) -> ObjectBase {
        let persisted = (value as? any FailableCustomPersistable)?.persistableValue
        guard let source = instance(of: ObjectBase.self, persisted ?? value)?._storedObject else {
            guard value is [String: Any] || value is [Any] else {
                throw .wrongType(value, schema, property)
            }
            if level + 1 >= Limits.maximumValueLevel {
                throw .tooDeep(Limits.maximumValueLevel, schema.name, property.name)
            }
            return later(type, value, property, level: level + 1)
        }
        let isSame = Swift.type(of: source) == type
        if !isSame, source.isDerived(from: type) {
            try TransactionCore.checkClass(source, schema, property)
        }
        guard let core else {
            // An embedded object that already has an owner cannot get a second one.
            if isSame, !(source.isManaged && property.isOwning) { return source }
            return copy(source, as: type, property)
        }
        if let binding = source._binding {
            if isSame, binding.core === core, !property.isOwning { return source }
            guard binding.isReadable(row: source._row) else {
                throw .invalidValue(
                    schema.name, property.name,
                    "was given \(withArticle(Swift.type(of: source))) that was deleted, or whose "
                        + "transaction has ended.")
            }
        } else if isSame, addsObjects {
            return source
        }
        return copy(source, as: type, property)
    }

    /// Returns a new object that will be filled from another one. Repeated calls return the same
    /// copy, except for embedded objects, which must have a single owner.
    private mutating func copy(
        _ source: ObjectBase, as type: ObjectBase.Type, _ property: PropertySchema
    ) -> ObjectBase {
        if property.isOwning { return later(type, source, property, level: level) }
        let key = CopyKey(source, as: type)
        if let known = copies[key] { return known.copy }
        let copy = later(type, source, property, level: level)
        copies[key] = (source, copy)
        return copy
    }

    /// Returns a new object that will be filled with the value.
    private mutating func later(
        _ type: ObjectBase.Type, _ value: Any, _ property: PropertySchema, level: Int
    ) -> ObjectBase {
        let object = type.init()
        pending.append((object, value, ValuePath(path, property.name, position), level))
        return object
    }
}
