/// Bytes of a nodes file at stable addresses: in a mapping or a private copy.
package protocol NodeBytes: AnyObject, Sendable {
    /// Returns `count` bytes from `offset`. The address is a multiple of 16 if the offset is, and
    /// valid for the lifetime of the object. Can be called from any thread; may wait for the disk.
    ///
    /// Throws `invalidDatabase` if the file is shorter, `ioFailed` if it cannot be read.
    func bytes(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer
}
