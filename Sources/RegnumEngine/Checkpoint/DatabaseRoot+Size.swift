internal import RegnumStore

extension DatabaseRoot {
    /// Returns the number of bytes that a checkpoint takes in a new file of a realm with these
    /// options.
    ///
    /// Throws damage of what has to be read for that.
    ///
    /// - Complexity: O(n / 1,024). Reads no leaf from the nodes file.
    func checkpointByteCount(_ options: StoreOptions) throws(StoreError) -> UInt64 {
        let file: any NodeBytes = content.context.source?.file ?? NoBytes()
        let sink = DiscardingSink(file, overheadByteCount: options.blockOverheadByteCount)
        var writer = CheckpointWriter(self, to: sink)
        let written = try writer.write()
        return written.liveByteCount + written.directory.byteCount
    }
}

/// The nodes file of a root that has none.
private final class NoBytes: NodeBytes {
    func bytes(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
        throw StoreError(.invalidDatabase, "There is no nodes file.")
    }
}
