import Foundation
import RegnumTestSupport

/// Random changes of the files of a realm.
struct FileDamage {
    private(set) var files: [String: Data]
    /// The changes made, for the report of a failure.
    private(set) var steps: [String] = []
    private(set) var touched: Set<String> = []
    private let source: DamagedSource
    private let others: [DamagedSource]

    init(_ source: DamagedSource, others: [DamagedSource], _ numbers: inout SeededRandom) {
        self.source = source
        self.others = others
        files = source.files
        for _ in 0...numbers.below(3) { step(&numbers) }
    }

    /// Whether acknowledged commits may be missing without an error: both the log and the evidence
    /// of its end were changed.
    var mayLoseCommits: Bool {
        touched.contains("LOCK") && touched.contains { $0.hasPrefix("log-") }
    }

    private mutating func step(_ numbers: inout SeededRandom) {
        guard let name = pick(&numbers), let data = files[name] else { return }
        touched.insert(name)
        let place = place(in: data, &numbers)
        let count = 1 + numbers.below(numbers.oneIn(3) ? 6000 : 40)
        switch numbers.below(12) {
        case 0...3:
            let bit = UInt8(1) << UInt8(numbers.below(8))
            change(name, place..<place + 1, "flips a bit of") { _ in data[place] ^ bit }
        case 4: change(name, place..<place + count, "zeros in") { _ in 0 }
        case 5: change(name, place..<place + count, "ones in") { _ in 0xFF }
        case 6:
            let bytes = numbers.bytes(count)
            change(name, place..<place + count, "random bytes in") { bytes[$0 - place] }
        case 7:
            steps.append("cuts \(name) at \(place)")
            files[name] = data.prefix(place)
        case 8:
            steps.append("makes \(name) longer")
            files[name] = data + Data(numbers.bytes(count))
        case 9:
            steps.append("removes \(name)")
            files[name] = nil
        case 10:
            // The same file at another stage, or of another realm.
            let stages = source.stages.dropLast() + others.map(\.files)
            let stage = numbers.below(stages.count)
            let kin = stages[stage].keys.sorted().filter { kind($0) == kind(name) }
            let from = stages[stage][name] != nil ? name : kin.isEmpty ? "" : numbers.oneOf(kin)
            steps.append("puts \(from) of stage \(stage) in place of \(name)")
            files[name] = stages[stage][from] ?? Data()
        default:
            // A file under the name of another one, or of the next one.
            let target =
                numbers.oneIn(2) ? pick(&numbers) ?? name : following(name)
            steps.append("copies \(name) to \(target)")
            touched.insert(target)
            files[target] = data
        }
    }

    private func pick(_ numbers: inout SeededRandom) -> String? {
        let names = files.keys.sorted()
        return names.isEmpty ? nil : numbers.oneOf(names)
    }

    private func kind(_ name: String) -> Substring { name.prefix { $0 != "-" } }

    private func following(_ name: String) -> String {
        let parts = name.split(separator: "-")
        guard parts.count > 1, let number = parts.last.flatMap({ Int($0) }) else { return name }
        return (parts.dropLast() + ["\(number + 1)"]).joined(separator: "-")
    }

    /// Returns a position that mostly contains data.
    private func place(in data: Data, _ numbers: inout SeededRandom) -> Int {
        let used = (data.lastIndex { $0 != 0 } ?? 0) + 1
        return min(numbers.below(numbers.oneIn(8) ? data.count : used), max(data.count - 1, 0))
    }

    private mutating func change(
        _ name: String, _ range: Range<Int>, _ what: String, _ byte: (Int) -> UInt8
    ) {
        guard var data = files[name] else { return }
        let range = range.clamped(to: 0..<data.count)
        for index in range { data[index] = byte(index) }
        steps.append("\(what) \(name), \(range)")
        files[name] = data
    }

    func write(to url: URL) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (name, data) in files { try data.write(to: url.appending(path: name)) }
    }
}
