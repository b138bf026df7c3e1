import CRegnum
import RegnumStore

/// Where the leaves of a tree lie that were not read yet: a nodes file. Each image is checked
/// against its CRC when it is first touched.
///
/// Inner nodes hold it unretained; `DatabaseRoot` and `NodeStore` keep it alive.
final class NodeSource: Sendable {
    let file: any NodeBytes
    /// What was found damaged first. Reads of damaged images give zeros; who reads on behalf of a
    /// user asks here afterwards.
    private let damage = Guarded<StoreError?>(nil)
    /// Zeros that stand for damaged images, kept as long as the source.
    private let substitutes = Guarded<[Substitute]>([])

    /// Guard of the unchecked Sendable: the memory is zeroed once and only read afterwards.
    private struct Substitute: @unchecked Sendable {
        let address: UnsafeMutableRawPointer
    }

    init(_ file: any NodeBytes) { self.file = file }

    deinit {
        for substitute in substitutes.withLock({ $0 }) { substitute.address.deallocate() }
    }

    /// The first damage met, nil if there was none.
    var firstDamage: StoreError? { damage.withLock { $0 } }

    /// The image of a leaf, checked; zeros (with the header of an image of `kind`) where it is
    /// damaged, which `firstDamage` then tells.
    func image(
        _ kind: NodeKind, at offset: UInt64, byteCount: Int, crc: UInt32
    ) -> UnsafeMutableRawPointer {
        do throws(StoreError) {
            let bytes = try file.bytes(at: offset, count: byteCount)
            guard let address = bytes.baseAddress,
                cregnum_crc32c(0, address, byteCount) == crc
            else {
                throw StoreError(
                    .invalidDatabase,
                    "The nodes file is damaged: the \(byteCount) bytes from \(offset) on do not "
                        + "have the checksum that their parent holds.")
            }
            return UnsafeMutableRawPointer(mutating: address)
        } catch {
            return substitute(kind, byteCount, error)
        }
    }

    /// Notes an image that has its checksum but not the content that its parent says; returns zeros
    /// in its place, as `image` does.
    func damaged(_ kind: NodeKind, at offset: UInt64, byteCount: Int) -> UnsafeMutableRawPointer {
        let error = StoreError(
            .invalidDatabase,
            "The nodes file is damaged: the \(byteCount) bytes from \(offset) on are not what "
                + "their parent says.")
        return substitute(kind, byteCount, error)
    }

    private func substitute(
        _ kind: NodeKind, _ byteCount: Int, _ error: StoreError
    ) -> UnsafeMutableRawPointer {
        damage.withLock { if $0 == nil { $0 = error } }
        let address = UnsafeMutableRawPointer.allocate(
            byteCount: max(byteCount, 64), alignment: 64)
        address.initializeMemory(as: UInt8.self, repeating: 0, count: max(byteCount, 64))
        let node = Node(address)
        node.byteCount = byteCount
        node.kind = kind
        node.store(1 as UInt8, 13)
        substitutes.withLock { $0.append(Substitute(address: address)) }
        return address
    }

    /// The word by which inner nodes name the source.
    var word: UInt64 { UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) }

    /// The source that a word names.
    @inline(__always)
    static func named(_ word: UInt64) -> NodeSource? {
        guard let address = UnsafeRawPointer(bitPattern: UInt(word)) else { return nil }
        return Unmanaged<NodeSource>.fromOpaque(address).takeUnretainedValue()
    }
}
