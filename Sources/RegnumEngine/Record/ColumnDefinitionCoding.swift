import RegnumStore

// The encoding of a column definition in commit records and directory images (`Docs/FORMAT.md`).

extension RecordWriter {
    mutating func columnDefinition(_ definition: ColumnDefinition) {
        string(definition.name)
        byte(definition.type.rawValue)
        var flags: UInt8 = 0
        if definition.isOptional { flags |= CommitRecord.flagOptional }
        if definition.isPrimaryKey { flags |= CommitRecord.flagPrimaryKey }
        if definition.isIndexed { flags |= CommitRecord.flagIndexed }
        if definition.isFullTextIndexed { flags |= CommitRecord.flagFullTextIndexed }
        switch definition.meaning {
        case .value: break
        case .scalar(let type): flags |= type.columnFlag
        case .link: flags |= CommitRecord.flagLink
        }
        byte(flags)
        ColumnBlock.encode(definition.defaultValue, &self)
        if case .link(let target) = definition.meaning { varint(UInt64(target.rawValue)) }
    }
}

extension RecordReader {
    /// Reads a column definition. Throws `unsupportedFormat` for unknown types and flags, and
    /// `invalidDatabase` like other reads.
    ///
    /// - Parameter carrier: A description of the containing structure for error messages.
    mutating func columnDefinition(of carrier: String) throws(StoreError) -> ColumnDefinition {
        let name = try string()
        let code = try byte()
        let flags = try byte()
        let known =
            CommitRecord.flagOptional | CommitRecord.flagPrimaryKey | CommitRecord.flagIndexed
            | CommitRecord.flagLink | CommitRecord.flagFullTextIndexed | ScalarType.columnFlags
        guard let type = ValueType(rawValue: code), flags & ~known == 0 else {
            throw .newer("A \(carrier) has a column of the unknown type \(code) or flags \(flags)")
        }
        let meanings = flags & (CommitRecord.flagLink | ScalarType.columnFlags)
        try require(meanings.nonzeroBitCount <= 1, "a column has more than one meaning")
        let defaultValue = try ColumnBlock.decode(&self, type, count: 1)[0]
        var meaning = ColumnMeaning.value
        if meanings == CommitRecord.flagLink {
            let target = try count(max: Int(UInt32.max), "a table key")
            meaning = .link(TableKey(rawValue: UInt32(target)))
        } else if meanings != 0,
            let scalar = ScalarType.allCases.first(where: { $0.columnFlag == meanings })
        {
            meaning = .scalar(scalar)
        }
        return ColumnDefinition(
            name: name, type: type, isOptional: flags & CommitRecord.flagOptional != 0,
            isPrimaryKey: flags & CommitRecord.flagPrimaryKey != 0,
            isIndexed: flags & CommitRecord.flagIndexed != 0,
            isFullTextIndexed: flags & CommitRecord.flagFullTextIndexed != 0,
            defaultValue: defaultValue, meaning: meaning)
    }

    /// Reads the number of a new class's columns and their definitions.
    mutating func columnDefinitions(
        of carrier: String
    ) throws(StoreError) -> [ColumnDefinition] {
        let count = try self.count(
            max: min(Limits.maximumColumnCount, remaining), "the number of columns")
        var definitions: [ColumnDefinition] = []
        definitions.reserveCapacity(count)
        for _ in 0..<count { definitions.append(try columnDefinition(of: carrier)) }
        return definitions
    }
}

extension ScalarType {
    /// The flags of all types.
    fileprivate static let columnFlags = allCases.reduce(0) { $0 | $1.columnFlag }
}

extension RecordReader {
    /// Throws `unsupportedFormat` for an unknown kind.
    mutating func tableKind(of carrier: String) throws(StoreError) -> TableKind {
        let code = try byte()
        guard let kind = TableKind(rawValue: code) else {
            throw .newer("A \(carrier) has a class of the unknown kind \(code)")
        }
        return kind
    }

    /// - Parameter flags: The flags that the kind may be combined with.
    mutating func listKind(
        of carrier: String, flags: UInt8 = 0
    ) throws(StoreError) -> (kind: ListKind, flags: UInt8) {
        let code = try byte()
        guard let kind = ListKind(rawValue: code & ~flags) else {
            throw .newer("A \(carrier) has a list of the unknown kind \(code)")
        }
        return (kind, code & flags)
    }
}
