import RegnumStore

// A column definition in bytes, as commit records and directory images have it: string name, u8 type
// code, u8 flags (1 optional, 2 primary key, 4 indexed), column block of one value, the default.

extension RecordWriter {
    mutating func columnDefinition(_ definition: ColumnDefinition) {
        string(definition.name)
        byte(definition.type.rawValue)
        var flags: UInt8 = 0
        if definition.isOptional { flags |= CommitRecord.flagOptional }
        if definition.isPrimaryKey { flags |= CommitRecord.flagPrimaryKey }
        if definition.isIndexed { flags |= CommitRecord.flagIndexed }
        byte(flags)
        ColumnBlock.encode(definition.defaultValue, &self)
    }
}

extension RecordReader {
    /// - Parameter carrier: what the bytes are part of, for the sentence of an error.
    ///
    /// Throws `unsupportedFormat` for unknown types and flags, `invalidDatabase` as other reads.
    mutating func columnDefinition(of carrier: String) throws(StoreError) -> ColumnDefinition {
        let name = try string()
        let code = try byte()
        let flags = try byte()
        let known =
            CommitRecord.flagOptional | CommitRecord.flagPrimaryKey | CommitRecord.flagIndexed
        guard let type = ValueType(rawValue: code), flags & ~known == 0 else {
            throw StoreError(
                .unsupportedFormat,
                "A \(carrier) has a column of the unknown type \(code) or flags \(flags): it was "
                    + "written by a newer version.")
        }
        return ColumnDefinition(
            name: name, type: type, isOptional: flags & CommitRecord.flagOptional != 0,
            isPrimaryKey: flags & CommitRecord.flagPrimaryKey != 0,
            isIndexed: flags & CommitRecord.flagIndexed != 0,
            defaultValue: try ColumnBlock.decode(&self, type, count: 1)[0])
    }
}
