/// Bytes of a nodes file at stable addresses: in a mapping or a private copy.
package protocol NodeBytes: AnyObject, Sendable {
    /// Returns `count` bytes from `offset`. The address is a multiple of 16 if the offset is, and
    /// valid for the lifetime of the object. Can be called from any thread; may wait for the disk.
    ///
    /// Throws `invalidDatabase` if the file is shorter, `ioFailed` if it cannot be read.
    func bytes(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer
    /// Whether what `image` returns is a copy, which takes memory as long as the object exists:
    /// because the file is encrypted, or isn't mapped.
    var keepsCopies: Bool { get }
    /// Returns the content of an extent, as `image` does, in memory that the result owns.
    func copied(at offset: UInt64, count: Int) throws(StoreError) -> any NodeBytes
    /// Returns the content of an extent of `count` bytes, decrypted if the file is encrypted. The
    /// address and the errors are as those of `bytes`; damage is also what isn't authentic.
    func image(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer
    /// Returns the file, or if it is encrypted, the content of an extent, whose `bytes` have the
    /// offsets that they have in the file.
    func whole(at offset: UInt64, count: Int) throws(StoreError) -> any NodeBytes
}

extension NodeBytes {
    package var keepsCopies: Bool { false }

    package func copied(at offset: UInt64, count: Int) -> any NodeBytes { self }

    package func image(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
        try bytes(at: offset, count: count)
    }

    package func whole(at offset: UInt64, count: Int) -> any NodeBytes { self }
}
