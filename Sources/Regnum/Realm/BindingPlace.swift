internal import RegnumEngine

/// Where a class lies in a transaction, as plain numbers: what every read, write and insertion needs.
struct BindingPlace: Sendable {
    /// How one property is read from an unmanaged object and where it is stored.
    struct Field: Sendable {
        let offset: Int32
        /// The number of the column, or the complement of the position where it has none.
        let column: Int32
        let kind: FieldKind
    }

    private(set) var schemaID: UInt64 = 0
    /// The position of the class's table, -1 if there is none.
    private(set) var table = -1
    private(set) var columnCount = 0
    /// Whether the table and all columns are there.
    private(set) var isComplete = false
    /// Whether the class cannot be used with the stored schema.
    private(set) var isMismatch = false
    /// The index slot of a primary key that is a required integer, -1 otherwise.
    private(set) var integerKeySlot = -1
    /// By position of the property.
    private(set) var fields: ContiguousArray<Field> = []
    /// By column: the type, for required properties without an index that can be set directly.
    private var plainTypes: ContiguousArray<ValueType?> = []
    /// By number of the list: the position of its property, -1 if the class does not know it.
    private(set) var listProperties: [Int] = []

    /// Where a list is stored.
    struct StoredList: Sendable {
        let key: ListKey
        /// The class of its elements.
        let target: TableKey
    }

    /// By position of the property: its list, nil for what is none or is not stored.
    private(set) var lists: ContiguousArray<StoredList?> = []

    init() {}

    /// The place of a class in a transaction.
    init(_ mapping: ClassMapping?, _ core: TransactionCore?) {
        guard let mapping else { return }
        self = mapping.place
        if table >= 0, !isMismatch { integerKeySlot = core?.integerKeySlot(tableKey) ?? -1 }
    }

    /// What holds in every transaction of a schema.
    init(
        _ schema: ClassSchema, schemaID: UInt64, columns: [Int32], _ stored: TableSchema?,
        isComplete: Bool, isMismatch: Bool
    ) {
        self.schemaID = schemaID
        self.isComplete = isComplete
        self.isMismatch = isMismatch
        for (property, column) in zip(schema.properties, columns) {
            fields.append(
                Field(offset: Int32(property.offset), column: column, kind: property.kind))
        }
        guard let stored else { return }
        listProperties = [Int](repeating: -1, count: stored.lists.count)
        for (index, property) in schema.properties.enumerated() {
            guard property.shape.isStoredList, columns[index] >= 0 else { continue }
            listProperties[Int(columns[index])] = index
        }
        if !stored.lists.isEmpty, !isMismatch {
            lists = ContiguousArray(repeating: nil, count: schema.properties.count)
            for (number, index) in listProperties.enumerated() where index >= 0 {
                let list = stored.lists[number]
                lists[index] = StoredList(key: list.key, target: list.target)
            }
            for (index, property) in schema.properties.enumerated() where property.shape.isAny {
                guard let list = stored.list(named: property.anyItemsName) else { continue }
                lists[index] = StoredList(key: list.key, target: list.target)
            }
        }
        table = Int(stored.key.rawValue)
        columnCount = stored.columns.count
        if isMismatch { return }
        plainTypes = ContiguousArray(
            stored.columns.map { $0.isOptional || $0.hasIndex ? nil : $0.type })
    }

    var tableKey: TableKey { TableKey(rawValue: UInt32(truncatingIfNeeded: table)) }

    /// Whether the column is a required one of that type, without an index.
    @inline(__always)
    func isPlain(_ column: Int32, _ type: ValueType) -> Bool {
        column >= 0 && Int(column) < plainTypes.count && plainTypes[Int(column)] == type
    }
}

extension ColumnKey {
    init(_ column: Int32) { self.init(rawValue: UInt16(truncatingIfNeeded: column)) }
}
