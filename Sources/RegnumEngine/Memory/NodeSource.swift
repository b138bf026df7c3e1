import CRegnum
import RegnumStore
import Synchronization

/// Where the leaves of a tree lie that were not read yet: a nodes file. Each image is checked
/// against its CRC when it is first touched.
///
/// Reads of a damaged image give zeros. Those must not be stored in the node above, so that the
/// next use comes here again: `DamageWatch` notes each.
///
/// Inner nodes hold it unretained; `DatabaseRoot` and `NodeStore` keep it alive.
final class NodeSource: Sendable {
    let file: any NodeBytes
    /// What was found damaged first.
    private let damage = Guarded<StoreError?>(nil)
    private let isDamaged = Atomic(false)
    /// Damage met while a commit was applied: the zeros read in its place may have been copied into
    /// the new version, where nothing tells them from values.
    private let inherited = Guarded<StoreError?>(nil)
    /// Zeros that stand for images that cannot be read, kept as long as the source.
    private let substitutes = Guarded<[Place: Substitute]>([:])

    /// Where an image is, and as what it was to be read.
    private struct Place: Hashable {
        let offset: UInt64
        let byteCount: Int
        let kind: UInt8

        init(_ kind: NodeKind, at offset: UInt64, byteCount: Int) {
            self.kind = kind.rawValue
            self.offset = offset
            self.byteCount = byteCount
        }
    }

    /// Guard of the unchecked Sendable: the memory is zeroed once and only read afterwards.
    private struct Substitute: @unchecked Sendable {
        let address: UnsafeMutableRawPointer
        let error: StoreError
    }

    /// An image, or zeros where it cannot be read.
    struct Image {
        let address: UnsafeMutableRawPointer
        let isSound: Bool
    }

    init(_ file: any NodeBytes) { self.file = file }

    deinit {
        for substitute in substitutes.withLock({ $0 }).values { substitute.address.deallocate() }
    }

    /// The first damage met, nil if there was none.
    var firstDamage: StoreError? { damage.withLock { $0 } }

    /// Whether damage was met. A thread that met some itself sees true.
    @inline(__always)
    var hasDamage: Bool { isDamaged.load(ordering: .relaxed) }

    var inheritedDamage: StoreError? { inherited.withLock { $0 } }

    func inherit(_ damage: StoreError) { inherited.withLock { if $0 == nil { $0 = damage } } }

    /// The image of a leaf, checked; zeros (with the header of an image of `kind`) where it is
    /// damaged or cannot be read, which is noted.
    func image(_ kind: NodeKind, at offset: UInt64, byteCount: Int, crc: UInt32) -> Image {
        let place = Place(kind, at: offset, byteCount: byteCount)
        // What cannot be read now may be later; what is damaged stays damaged.
        if hasDamage, let known = substitutes.withLock({ $0[place] }),
            known.error.code == .invalidDatabase
        {
            return substitute(place, known.error)
        }
        do throws(StoreError) {
            let bytes = try file.bytes(at: offset, count: byteCount)
            guard let address = bytes.baseAddress,
                cregnum_crc32c(0, address, byteCount) == crc
            else {
                throw damageError(
                    offset, byteCount, "do not have the checksum that their parent holds")
            }
            return Image(address: UnsafeMutableRawPointer(mutating: address), isSound: true)
        } catch {
            return substitute(place, error)
        }
    }

    /// Notes an image that has its checksum but not the content that its parent says; returns zeros
    /// in its place, as `image` does.
    func damaged(_ kind: NodeKind, at offset: UInt64, byteCount: Int) -> Image {
        substitute(
            Place(kind, at: offset, byteCount: byteCount),
            damageError(offset, byteCount, "are not what their parent says"))
    }

    /// Notes that leaves contradict each other, although each has its checksum.
    func contradict(_ what: String) {
        let path = (file as? NodesFile)?.path
        let error = StoreError(
            .invalidDatabase, "The nodes file\(path.map { " \($0)" } ?? "") is damaged. \(what)",
            path: path)
        damage.withLock { if $0 == nil { $0 = error } }
        isDamaged.store(true, ordering: .relaxed)
        DamageWatch.note(error)
    }

    private func damageError(_ offset: UInt64, _ byteCount: Int, _ what: String) -> StoreError {
        let path = (file as? NodesFile)?.path
        return StoreError(
            .invalidDatabase,
            "The nodes file\(path.map { " \($0)" } ?? "") is damaged: the \(byteCount) bytes from "
                + "\(offset) on \(what).", path: path, position: offset)
    }

    private func substitute(_ place: Place, _ error: StoreError) -> Image {
        damage.withLock { if $0 == nil { $0 = error } }
        isDamaged.store(true, ordering: .relaxed)
        DamageWatch.note(error)
        let address = substitutes.withLock { known in
            let address = known[place]?.address ?? Self.zeros(place)
            known[place] = Substitute(address: address, error: error)
            return address
        }
        return Image(address: address, isSound: false)
    }

    private static func zeros(_ place: Place) -> UnsafeMutableRawPointer {
        let byteCount = max(place.byteCount, 64)
        let address = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
        address.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        let node = Node(address)
        node.byteCount = place.byteCount
        node.kind = NodeKind(rawValue: place.kind)
        node.store(1 as UInt8, 13)
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
