import CRegnum
import RegnumStore

extension Cluster {
    /// Returns a string, data or value of any type of a row although the text of its column is
    /// damaged, if the value isn't in the text: if it is short, or large enough to be stored alone.
    /// Otherwise returns `nil`.
    func valueOutsideText(_ row: Int, _ column: ColumnSchema) -> Value? {
        let index = column.key.index
        guard column.type.isText, index < slotCount, let source = NodeSource.named(sourceWord)
        else { return nil }
        let slot = slot(index)
        let byteCount = Node.headerByteCount + rowCount << 4
        // The source takes the chunk for damaged if its text is.
        let offset = slot.chunkExtent & ~63
        guard slot.textUsed > 0,
            !source.isImageDamaged(.chunk, at: offset, byteCount: byteCount),
            let bytes = try? source.file.image(at: offset, count: byteCount),
            let address = bytes.baseAddress,
            cregnum_crc32c(0, address, byteCount) == slot.chunkCRC
        else { return nil }
        let cell = TextCell(
            UnsafeMutableRawPointer(mutating: address) + Node.headerByteCount + row << 4)
        if cell.isInline, cell.isPadded {
            return Self.value(
                UnsafeRawBufferPointer(start: cell.address + 4, count: cell.length), column.type)
        }
        guard cell.isLarge, let list = LargeList(word: slot.load(ClusterOffsets.b)),
            cell.reference < list.count, list.length(cell.reference) == cell.length,
            !list.isFree(cell.reference)
        else { return nil }
        let (large, damage) = DamageWatch.run {
            Self.value(largeBytes(index, cell.reference, prefix: cell.prefix), column.type)
        }
        return damage == nil ? large : nil
    }

    private static func value(_ bytes: UnsafeRawBufferPointer, _ type: ValueType) -> Value? {
        switch type {
        case .string: isUTF8(bytes) ? .string(String(decoding: bytes, as: UTF8.self)) : nil
        case .data: .data([UInt8](bytes))
        case .any: AnyContent.areSound(bytes) ? .any([UInt8](bytes)) : nil
        default: nil
        }
    }
}
