import BenchmarkKit

/// Cache lines that each contain the position of the next one: one cycle through all of them in
/// random order.
struct MemoryCycle {
    static let lineByteCount = 64
    private static let wordsPerLine = 8

    private let words: [Int]

    init(lineCount: Int) {
        var generator = SeededGenerator(seed: People.seed)
        var order = Array(0..<lineCount)
        order.shuffle(using: &generator)
        var words = [Int](repeating: 0, count: lineCount * Self.wordsPerLine)
        for (line, next) in zip(order, order.dropFirst() + order.prefix(1)) {
            words[line * Self.wordsPerLine] = next * Self.wordsPerLine
        }
        self.words = words
    }

    /// Takes `count` steps.
    @inline(never)
    func walk(_ count: Int) {
        var place = 0
        for _ in 0..<count { place = words[place] }
        opaque(place)
    }

    @inline(never) @_optimize(none)
    private func opaque(_ place: Int) {}
}
