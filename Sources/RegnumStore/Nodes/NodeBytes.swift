/// Bytes of a nodes file that stay where they are: a mapping, or a private copy.
package protocol NodeBytes: AnyObject, Sendable {
    /// `count` bytes from `offset`. The address is a multiple of 16 if the offset is, and valid as
    /// long as the object lives. Any thread may call it; it may wait for the disk.
    ///
    /// Throws `invalidDatabase` where the file is shorter, `ioFailed` if it cannot be read.
    func bytes(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer
}
