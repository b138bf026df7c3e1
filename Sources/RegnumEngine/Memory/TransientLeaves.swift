import RegnumStore

/// The leaves that a thread which goes through the content once, as checks and copies do, reads
/// from a file that is encrypted or isn't mapped.
///
/// Elsewhere, such a leaf stays in memory as long as its file is used, because the nodes of its
/// parents refer to it. Within `run`, they don't: the words that would be stored in them are kept
/// here, and `letGo`, which is called between leaves, frees all leaves once they take more than a
/// few mebibytes. So nothing that was read may be used after the next call of `letGo`.
///
/// Leaves that parents already refer to, and those that are mapped, are used as always.
///
/// Confined to its thread. The caller of `run` retains the root that it reads, so the addresses of
/// its nodes stay the same.
final class TransientLeaves {
    private static let scope = ThreadScope<TransientLeaves>(.leaves)
    static let maximumByteCount = 4 << 20

    private let maximumByteCount: Int
    private var leaves: [any NodeBytes] = []
    private var byteCount = 0
    /// The words of leaves, by the addresses at which they would be stored.
    private var words: [UInt: UInt] = [:]

    private init(_ maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

    /// Runs `body`, which reads one root.
    static func run<Result, Failure: Error>(
        maximumByteCount: Int = maximumByteCount, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try scope.run(TransientLeaves(maximumByteCount)) { Swift.Result(catching: body) }.get()
    }

    /// Frees the leaves of the calling thread if they take much memory.
    static func letGo() {
        guard let current = scope.current, current.byteCount > current.maximumByteCount else {
            return
        }
        current.leaves = []
        current.byteCount = 0
        current.words = [:]
    }

    /// Returns the word that `keep` was called with for the place, unless its leaf was freed.
    @inline(never)
    static func word(at place: UnsafeRawPointer) -> UInt? {
        scope.current?.words[UInt(bitPattern: place)]
    }

    /// Keeps the word of a leaf that the calling thread has read. Returns false if it must be
    /// stored at the place.
    static func keep(_ word: UInt, at place: UnsafeRawPointer, of source: NodeSource) -> Bool {
        guard let current = scope.current, source.file.keepsCopies else { return false }
        current.words[UInt(bitPattern: place)] = word
        return true
    }

    /// Returns the content of a leaf if the calling thread gets a copy of its own.
    static func read(
        _ file: any NodeBytes, at offset: UInt64, count: Int
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        guard let current = scope.current, file.keepsCopies else { return nil }
        let leaf = try file.copied(at: offset, count: count)
        current.leaves.append(leaf)
        current.byteCount += count
        return try leaf.bytes(at: offset, count: count)
    }
}
