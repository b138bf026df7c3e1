internal import FoundationEssentials
internal import RegnumEngine

extension AnyRealmValue: RequiredValue, IndexableValue, OrderedValue {
    public static var _storage: _StorageType { _StorageType(.any, isOptional: true) }

    /// Always `false`: reading an object, list or dictionary may require the transaction.
    @inlinable @inline(__always)
    public static var _isScalar: Bool { false }

    public static func _makeDefault() -> AnyRealmValue { .none }

    /// Returns `nil` for objects, lists and dictionaries, which can only be read in a transaction.
    public static func _decode(_ value: _StoredValue) -> AnyRealmValue? {
        AnyRealmValue(plain: value.value)
    }

    /// Encodes the value for query conditions: a list represents any list, and a
    /// stored object its row.
    public func _encode() -> _StoredValue { _StoredValue(plain ?? queryOperand) }

    public static func _managedValue(_ object: ObjectBase, _ column: Int32) -> AnyRealmValue {
        guard let binding = object._binding else { return .none }
        return binding.anyValue(row: object._row, column: column)
    }

    public func _write(to object: ObjectBase, _ column: Int32) {
        object._binding?.setAny(self, row: object._row, column: column)
    }

    public func _content() -> _PropertyContent {
        _PropertyContent(content: plain.map { .value($0) } ?? .any(self))
    }

    public static func _make(_ content: _PropertyContent) -> AnyRealmValue? {
        switch content.content {
        case .value(let value): AnyRealmValue(plain: value)
        case .any(let value): value
        default: nil
        }
    }

    public static func _element(of list: _ManagedList, at position: Int) -> AnyRealmValue? {
        guard let row = list.key(at: position) else { return nil }
        return list.anyValue(row)
    }

    public static func _insert(
        _ elements: [AnyRealmValue], into list: _ManagedList, at position: Int
    ) {
        list.insert(any: elements, at: position)
    }

    public static func _set(_ element: AnyRealmValue, in list: _ManagedList, at position: Int) {
        list.set(any: element, at: position)
    }

    public static func _areSame(_ a: AnyRealmValue, _ b: AnyRealmValue) -> Bool {
        if let a = a.plain, let b = b.plain { return a == b }
        return a == b
    }

    public static func _position(of element: AnyRealmValue, in list: _ManagedList) -> Int? {
        if let plain = element.plain { return list.position(of: plain) }
        if case .object = element {
            return list.link(to: element).flatMap { list.position(of: $0) }
        }
        return (0..<list.count).first { _element(of: list, at: $0) == element }
    }
}

extension AnyRealmValue {
    /// The value in its stored form; `nil` for objects, lists and dictionaries.
    var plain: Value? {
        switch self {
        case .none: .null
        case .int(let value): AnyContent.int(Int64(value)).value
        case .bool(let value): AnyContent.bool(value).value
        case .float(let value): AnyContent.float(value).value
        case .double(let value): AnyContent.double(value).value
        case .string(let value): AnyContent.string(value).value
        case .data(let value): AnyContent.data([UInt8](value)).value
        case .date(let value): AnyContent.date(value.timeIntervalSinceReferenceDate).value
        case .objectId(let value): AnyContent.objectId(value.bytes).value
        case .decimal128(let value): AnyContent.decimal(value.bits).value
        case .uuid(let value): AnyContent.uuid(value.identity).value
        case .object, .dictionary, .list: nil
        }
    }

    /// Creates a value from its stored form. Returns `nil` for objects, lists and dictionaries, and
    /// for stored values of other types. Bytes of an unknown kind, which are rejected when files
    /// are read, become `.none`.
    init?(plain value: Value) {
        if case .null = value {
            self = .none
            return
        }
        guard case .any = value else { return nil }
        switch value.anyContent {
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(Int(value))
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .decimal(let value): self = .decimal128(Decimal128(value))
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(Data(value))
        case .date(let value):
            self = .date(Date(timeIntervalSinceReferenceDate: value))
        case .objectId(let value): self = .objectId(ObjectId.fromEngine(.objectId(value)))
        case .uuid(let value): self = .uuid(UUID.fromEngine(.uuid(value)))
        case .link, .list, .dictionary: return nil
        case nil: self = .none
        }
    }

    /// The operand of a query condition: the row of an object, or a marker for lists or
    /// dictionaries. An unmanaged object becomes a row that nothing links to.
    var queryOperand: Value {
        switch self {
        case .object(let object):
            guard let binding = object._binding, binding.place.table >= 0 else {
                return AnyContent.link(
                    TableKey(rawValue: .max), ObjectKey(rawValue: .max)
                ).value
            }
            return AnyContent.link(binding.place.tableKey, ObjectKey(rawValue: object._row)).value
        case .list: return AnyContent.list(0).value
        case .dictionary: return AnyContent.dictionary(0).value
        default: return plain ?? .null
        }
    }
}

extension _StorageType {
    /// Whether the values are `AnyRealmValue`s.
    var isAny: Bool { valueType == .any }
}

extension PropertyShape {
    /// Whether the property is an `AnyRealmValue` or a collection of them.
    var hasAnyValues: Bool {
        switch self {
        case .scalar(let storage), .list(.scalar(let storage)), .set(.scalar(let storage)),
            .map(.scalar(let storage)):
            storage.isAny
        default: false
        }
    }

    /// Whether the property itself is an `AnyRealmValue`.
    var isAny: Bool { if case .scalar(let storage) = self { storage.isAny } else { false } }
}
