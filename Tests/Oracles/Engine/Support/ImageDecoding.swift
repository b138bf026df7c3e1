import RegnumStore

@testable import RegnumEngine

extension DeltaBlob {
    static func decode(
        _ bytes: [UInt8], origin: String?, from base: DatabaseRoot, to root: DatabaseRoot
    ) throws(StoreError) -> CommitSummary {
        var reader = RecordReader(bytes)
        return try decode(&reader, origin: origin, from: base, to: root)
    }
}

extension SchemaImage {
    static func decode(_ bytes: [UInt8], tableCount: Int) throws(StoreError) -> DatabaseSchema {
        var reader = RecordReader(bytes)
        return try decode(&reader, tableCount: tableCount)
    }
}
