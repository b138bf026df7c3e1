internal import RegnumEngine

/// The cached column layout of a class in a transaction, as plain numbers, for every read, write
/// and insertion.
struct BindingPlace: Sendable {
    /// Where a property is read from in an unmanaged object, and where it is stored.
    struct Field: Sendable {
        let offset: Int32
        /// The column number, or the complement of the property's position if it has no column.
        let column: Int32
        let kind: FieldKind
    }

    private(set) var schemaID: UInt64 = 0
    /// The position of the class's table, or -1 if there is none.
    private(set) var table = -1
    private(set) var columnCount = 0
    /// Whether the table and all columns exist.
    private(set) var isComplete = false
    /// Whether the class doesn't match the stored schema and can't be used.
    private(set) var isMismatch = false
    /// The index slot of a required integer primary key, or -1.
    private(set) var integerKeySlot = -1
    /// Indexed by property position.
    private(set) var fields: ContiguousArray<Field> = []
    /// Indexed by column: the type of required properties without an index, which can be set
    /// directly.
    private var plainTypes: ContiguousArray<ValueType?> = []
    /// Indexed by list number: the position of the list's property, or -1 if the class doesn't
    /// declare it.
    private(set) var listProperties: [Int] = []

    /// Where a list is stored.
    struct StoredList: Sendable {
        let key: ListKey
        /// The class of the list's elements.
        let target: TableKey
    }

    /// Indexed by property position: the property's list, or `nil` if it isn't a list or isn't
    /// stored.
    private(set) var lists: ContiguousArray<StoredList?> = []

    init() {}

    /// Creates the layout of a class in a transaction.
    init(_ mapping: ClassMapping?, _ core: TransactionCore?) {
        guard let mapping else { return }
        self = mapping.place
        if table >= 0, !isMismatch { integerKeySlot = core?.integerKeySlot(tableKey) ?? -1 }
    }

    /// Creates the parts of the layout that are valid in every transaction with a schema.
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
                lists[index] = StoredList(stored.lists[number])
            }
            for (index, property) in schema.properties.enumerated() where property.shape.isAny {
                lists[index] = stored.list(named: property.anyItemsName).map { StoredList($0) }
            }
        }
        table = Int(stored.key.rawValue)
        columnCount = stored.columns.count
        if isMismatch { return }
        plainTypes = ContiguousArray(
            stored.columns.map {
                $0.isOptional || $0.hasIndex || $0.isFullTextIndexed ? nil : $0.type
            })
    }

    var tableKey: TableKey { TableKey(rawValue: UInt32(truncatingIfNeeded: table)) }

    /// Returns whether the column is required, of that type, and has no index.
    @inline(__always)
    func isPlain(_ column: Int32, _ type: ValueType) -> Bool {
        column >= 0 && Int(column) < plainTypes.count && plainTypes[Int(column)] == type
    }
}

extension BindingPlace.StoredList {
    init(_ list: ListSchema) { self.init(key: list.key, target: list.target) }
}

extension ColumnKey {
    init(_ column: Int32) { self.init(rawValue: UInt16(truncatingIfNeeded: column)) }
}

extension ObjectKey {
    /// The row in the form that links store.
    var linkValue: Value { .int(Int64(bitPattern: rawValue)) }
}
