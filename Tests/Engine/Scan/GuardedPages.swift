import CRegnum
import Glibc
import RegnumSimulation
import RegnumTestSupport
import Synchronization

@testable import EngineOracle

/// Memory that ends at an unreadable page: a load beyond the end crashes the test.
final class GuardedPages {
    private let base: UnsafeMutableRawPointer
    private let byteCount: Int

    /// Allocates room for up to `maximumByteCount` bytes.
    init(maximumByteCount: Int) {
        byteCount = (maximumByteCount + 4095) / 4096 * 4096
        let pages = mmap(
            nil, byteCount + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let pages, pages != MAP_FAILED, mprotect(pages + byteCount, 4096, PROT_NONE) == 0
        else { fatalError("Can't allocate the pages of the test.") }
        base = pages
    }

    deinit { munmap(base, byteCount + 4096) }

    /// Copies the values so that they end at the unreadable page.
    func place<T: BitwiseCopyable>(_ values: [T]) -> UnsafeRawPointer {
        let size = values.count * MemoryLayout<T>.stride
        let start = base + (byteCount - size)
        values.withUnsafeBytes { bytes in
            if let address = bytes.baseAddress { start.copyMemory(from: address, byteCount: size) }
        }
        return UnsafeRawPointer(start)
    }
}

/// Calls `body` with the plain kernels, then with the best ones for the processor.
func withBothKernels(_ body: (_ isPlain: Bool) throws -> Void) rethrows {
    try kernelChoice.withLock { _ in
        cregnum_kernels_force_plain(true)
        defer { cregnum_kernels_force_plain(false) }
        try body(true)
        cregnum_kernels_force_plain(false)
        try body(false)
    }
}

/// The choice is process-wide, so tests that change it take turns. (Others may run with either.)
private let kernelChoice = Mutex(())

/// A mask of 16 words, initially filled with garbage.
struct TestMask {
    var words = [UInt64](repeating: 0xDEAD_BEEF_DEAD_BEEF, count: 16)

    /// Returns the rows as written by a kernel.
    static func of(_ body: (UnsafeMutablePointer<UInt64>) -> Void) -> [UInt64] {
        var mask = TestMask()
        mask.words.withUnsafeMutableBufferPointer { words in
            if let base = words.baseAddress { body(base) }
        }
        return mask.words
    }

    /// Returns the rows for which `holds` returns `true`.
    static func of(_ count: Int, _ holds: (Int) -> Bool) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: 16)
        for row in 0..<count where holds(row) { words[row / 64] |= 1 << UInt64(row % 64) }
        return words
    }
}

/// Row counts around every boundary of the kernels.
let kernelCounts = Array(0...130) + [255, 256, 257, 512] + Array(1000...1024)
