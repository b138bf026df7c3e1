import BenchmarkKit

/// The limit set by memory: the sum of an array of integers.
struct ScanFloor: Workload {
    let name = "scan"
    var notes: [String] { ["the sum of 256 MiB of integers, scan-cache of 16 KiB in cache."] }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        let large = [Int64](repeating: 3, count: 32 << 20)
        let small = [Int64](repeating: 3, count: 2 << 10)
        return [
            Contender(.raw) {
                try await onThread {
                    [
                        try sample(name, large, repetitions: 1),
                        try sample("\(name)-cache", small, repetitions: 10_000),
                    ]
                }
            }
        ]
    }

    private func sample(_ name: String, _ numbers: [Int64], repetitions: Int) throws -> Sample {
        var total: Int64 = 0
        let start = monotonicNanoseconds()
        for _ in 0..<repetitions { total &+= sum(numbers) }
        let nanoseconds = Double(monotonicNanoseconds() - start)
        guard total == 3 * Int64(numbers.count * repetitions) else { throw Failure("Wrong sum.") }
        let byteCount = Double(numbers.count * MemoryLayout<Int64>.stride * repetitions)
        return Sample(name, byteCount / nanoseconds, .gigabytesPerSecond)
    }

    /// Uses two vectors in parallel, so that an addition doesn't wait for the previous one.
    @inline(never)
    private func sum(_ numbers: [Int64]) -> Int64 {
        numbers.withUnsafeBytes { bytes in
            let vectors = bytes.bindMemory(to: SIMD8<Int64>.self)
            var (a, b) = (SIMD8<Int64>.zero, SIMD8<Int64>.zero)
            for index in stride(from: 0, to: vectors.count & ~1, by: 2) {
                a &+= vectors[index]
                b &+= vectors[index + 1]
            }
            return (a &+ b).wrappedSum()
        }
    }
}
