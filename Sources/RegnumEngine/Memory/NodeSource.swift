import CRegnum
import Glibc
import RegnumStore
import Synchronization

/// The nodes file from which the leaves of a tree are loaded on first access. Each image is then
/// checked against its CRC.
///
/// Damaged images read as zeros. Parents must not cache those, so that every access returns here
/// and is reported to `DamageWatch`.
///
/// Inner nodes hold an unretained reference. The `TreeContext` of each root, and of each edit in
/// progress, keeps the source alive, and with it the bytes that are being read.
final class NodeSource: Sendable {
    let file: any NodeBytes
    /// The first damage encountered, and the first that is permanent.
    private let damage = Guarded<(first: StoreError?, permanent: StoreError?)>((nil, nil))
    private let isDamaged = Atomic(false)
    /// Damage encountered while a commit was applied. The zeros read instead may have been copied
    /// into the new version, where they can't be distinguished from values.
    private let inherited = Guarded<StoreError?>(nil)
    /// The unreadable images, and the zeros that replace them. They live as long as the source.
    private let substitutes = Guarded(Substitutes())

    /// The location and expected type of an image.
    private struct Place: Hashable {
        let offset: UInt64
        let byteCount: Int
        let kind: UInt8
    }

    /// A file can refer to the same bytes any number of times, so images of a kind share blocks of
    /// zeros, of which only the header takes memory.
    ///
    /// Guard of the unchecked Sendable: the owner's lock; blocks are only read once they are made.
    private struct Substitutes: @unchecked Sendable {
        var errors: [Place: StoreError] = [:]
        /// The number of checks in progress.
        var checkCount = 0
        /// The images that the disk couldn't read since the first of them began.
        var unreadable: Set<Place> = []
        private var blocks: [Shape: UnsafeMutableRawPointer] = [:]

        private struct Shape: Hashable {
            let kind: UInt8
            let byteCount: Int
        }

        /// Returns zeros with the header of an image of at least that size.
        mutating func zeros(_ place: Place) -> UnsafeMutableRawPointer {
            // Writers copy index leaves as they are, and only part of other images.
            let isExact = place.kind == NodeKind.indexLeaf.rawValue
            let bits = Int.bitWidth - (max(place.byteCount, 64) - 1).leadingZeroBitCount
            let shape = Shape(kind: place.kind, byteCount: isExact ? place.byteCount : 1 << bits)
            if let known = blocks[shape] { return known }
            let address = HeapCore.map(shape.byteCount)
            let node = Node(address)
            node.byteCount = shape.byteCount
            node.kind = NodeKind(rawValue: shape.kind)
            node.store(1 as UInt8, 13)
            blocks[shape] = address
            return address
        }

        func unmap() { for (shape, address) in blocks { munmap(address, shape.byteCount) } }
    }

    /// An image, or zeros if it can't be read.
    struct Image {
        let address: UnsafeMutableRawPointer
        /// Why the image can't be read.
        let damage: StoreError?

        var isSound: Bool { damage == nil }
    }

    init(_ file: any NodeBytes) { self.file = file }

    deinit { substitutes.withLock { $0.unmap() } }

    /// The first damage encountered by any thread, or `nil`. Other reads of the file may be intact:
    /// use `DamageWatch` to find out whether a particular one is.
    var firstDamage: StoreError? { damage.withLock { $0.first } }

    /// Like `firstDamage`, without failures that may pass.
    var permanentDamage: StoreError? { damage.withLock { $0.permanent } }

    /// The locations of images that were found damaged.
    var damagedOffsets: Set<UInt64> {
        substitutes.withLock {
            Set($0.errors.filter { $1.isPermanentDamage }.keys.map(\.offset))
        }
    }

    /// Whether any damage was encountered. Always true on a thread that encountered some itself.
    @inline(__always)
    var hasDamage: Bool { isDamaged.load(ordering: .relaxed) }

    var inheritedDamage: StoreError? { inherited.withLock { $0 } }

    func inherit(_ damage: StoreError) { inherited.withLock { if $0 == nil { $0 = damage } } }

    /// Returns the verified image of a leaf. If the image is damaged or can't be read, records that
    /// and returns zeros with the header of an image of `kind`.
    ///
    /// - Parameter count: the number that its header must have; `nil` to verify the bytes only.
    func image(
        _ kind: NodeKind, at offset: UInt64, byteCount: Int, crc: UInt32, count: Int? = nil
    ) -> Image {
        let place = Place(offset: offset, byteCount: byteCount, kind: kind.rawValue)
        if hasDamage, let known = finalError(place) { return substitute(place, known) }
        do throws(StoreError) {
            var bytes = try TransientLeaves.read(file, at: offset, count: byteCount)
            if bytes == nil { bytes = try file.image(at: offset, count: byteCount) }
            guard let address = bytes?.baseAddress,
                cregnum_crc32c(0, address, byteCount) == crc
            else {
                throw damageError(
                    offset, byteCount, "do not match the checksum in their parent")
            }
            let node = Node(UnsafeMutableRawPointer(mutating: address))
            // With a nonzero birth an image would look like a heap node.
            guard
                count == nil
                    || node.birth == 0 && node.byteCount == byteCount
                        && node.kind == kind && node.load(13) == 1 as UInt8 && node.count == count
            else { throw damageError(offset, byteCount, "are not what their parent describes") }
            return Image(address: node.address, damage: nil)
        } catch {
            var error = error
            error.position = error.position ?? offset
            return substitute(place, error)
        }
    }

    /// Returns the error of an image that couldn't be read and isn't read again. A read error may
    /// be temporary; damage is permanent, and what a watch with damage reads is discarded.
    private func finalError(_ place: Place) -> StoreError? {
        let isDiscarded = DamageWatch.encountered != nil
        return substitutes.withLock { substitutes in
            guard let error = substitutes.errors[place],
                error.code == .invalidDatabase || isDiscarded
                    || substitutes.unreadable.contains(place)
            else { return nil }
            return error
        }
    }

    /// Begins or ends a check, which reads everything, row by row. What the disk can't read
    /// meanwhile is read only once, since each attempt can take the disk many seconds. What it
    /// couldn't read before may be readable now.
    func noteCheck(isBeginning: Bool) {
        substitutes.withLock { substitutes in
            substitutes.checkCount += isBeginning ? 1 : -1
            if substitutes.checkCount == 0 { substitutes.unreadable = [] }
        }
    }

    /// Whether an image was found damaged itself, and not only one that it needs.
    func isImageDamaged(_ kind: NodeKind, at offset: UInt64, byteCount: Int) -> Bool {
        let place = Place(offset: offset, byteCount: byteCount, kind: kind.rawValue)
        return substitutes.withLock { $0.errors[place]?.position == offset }
    }

    /// Records that an image has the right checksum but not the content that its parent expects.
    /// Returns zeros in its place, like `image`. `cause` is the damage of an image that it needs.
    func damaged(
        _ kind: NodeKind, at offset: UInt64, byteCount: Int, cause: StoreError? = nil
    ) -> Image {
        substitute(
            Place(offset: offset, byteCount: byteCount, kind: kind.rawValue),
            cause ?? damageError(offset, byteCount, "are not what their parent describes"))
    }

    /// Records that leaves with valid checksums contradict each other. No effect if the calling
    /// thread may have read zeros instead of a leaf before, since these contradict others too.
    func contradict(_ what: String) {
        if DamageWatch.isWatching ? DamageWatch.encountered != nil : hasDamage { return }
        note(damageError(". \(what)"))
    }

    private func note(_ error: StoreError) {
        damage.withLock { damage in
            if damage.first == nil { damage.first = error }
            if damage.permanent == nil, error.isPermanentDamage { damage.permanent = error }
        }
        isDamaged.store(true, ordering: .relaxed)
        DamageWatch.note(error)
    }

    private func damageError(_ offset: UInt64, _ byteCount: Int, _ what: String) -> StoreError {
        damageError(": the \(byteCount) bytes at offset \(offset) \(what).", position: offset)
    }

    private func damageError(_ what: String, position: UInt64? = nil) -> StoreError {
        let path = (file as? NodesFile)?.path
        return StoreError(
            .invalidDatabase, "The nodes file\(path.map { " \($0)" } ?? "") is damaged\(what)",
            path: path, position: position)
    }

    private func substitute(_ place: Place, _ error: StoreError) -> Image {
        note(error)
        return substitutes.withLock { substitutes in
            substitutes.errors[place] = error
            if substitutes.checkCount > 0, error.isMediaFailure {
                substitutes.unreadable.insert(place)
            }
            return Image(address: substitutes.zeros(place), damage: error)
        }
    }

    /// The word by which inner nodes refer to the source.
    var word: UInt64 { UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) }

    /// Returns the source that a word refers to.
    @inline(__always)
    static func named(_ word: UInt64) -> NodeSource? {
        guard let address = UnsafeRawPointer(bitPattern: UInt(word)) else { return nil }
        return Unmanaged<NodeSource>.fromOpaque(address).takeUnretainedValue()
    }
}

extension StoreError {
    /// Whether the same bytes are unlikely to be readable later.
    var isPermanentDamage: Bool {
        code == .invalidDatabase || code == .wrongKey || isMediaFailure
    }
}
