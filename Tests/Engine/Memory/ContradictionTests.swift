import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumEngine

/// Contradictions between leaves are damage, unless a leaf that couldn't be read explains them.
@Suite struct ContradictionTests {
    private final class FailingFile: NodeBytes {
        func bytes(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
            throw StoreError(.ioFailed, "The system lacks memory.")
        }
    }

    /// The failure may pass, so the realm mustn't be taken for damaged.
    // Covers .invalidDatabase, .ioFailed
    @Test func contradictionAfterAFailureIsNotDamage() {
        for isRead in [false, true] {
            let source = NodeSource(FailingFile())
            let (_, damage) = DamageWatch.run {
                if isRead { _ = source.image(.chunk, at: 4096, byteCount: 64, crc: 0, count: 8) }
                source.contradict("An index lacks the entry of a row.")
            }
            expectEqual(damage?.code, isRead ? .ioFailed : .invalidDatabase)
            expectEqual(source.permanentDamage?.code, isRead ? nil : .invalidDatabase)
        }
    }
}
