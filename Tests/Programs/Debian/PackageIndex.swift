import Foundation

/// An index of packages: a text table with one line per package, below a line with the field names.
///
/// Lines are parsed during iteration, so that an index takes no more memory than its text.
struct PackageIndex: Sequence, Sendable {
    private let lines: [ArraySlice<UInt8>]

    init(_ text: Data) throws {
        lines = [UInt8](text).fields(between: UInt8(ascii: "\n")).dropFirst().filter { !$0.isEmpty }
        for line in lines where !IndexLine(line).isValid {
            let text = String(decoding: line, as: UTF8.self)
            throw IndexFailure("Not a line of an index of packages: \(text)")
        }
    }

    var underestimatedCount: Int { lines.count }

    func makeIterator() -> some IteratorProtocol<IndexLine> {
        lines.lazy.map { IndexLine($0) }.makeIterator()
    }
}

/// A line of an index: eleven tab-separated fields.
struct IndexLine {
    /// One entry of a package's dependencies.
    struct Requirement {
        fileprivate let entry: ArraySlice<UInt8>

        /// The text of the entry: "debconf (>= 0.5) | debconf-2.0".
        var text: String { String(decoding: entry, as: UTF8.self) }
        /// The names that satisfy it: "debconf", "debconf-2.0".
        var alternatives: [String] { entry.fields(between: UInt8(ascii: "|")).map(\.name) }
        /// The names with a condition on the version: "debconf" with ">= 0.5".
        var versions: [(name: String, version: String)] {
            guard entry.contains(UInt8(ascii: "(")) else { return [] }
            return entry.fields(between: UInt8(ascii: "|")).compactMap { alternative in
                alternative.version.map { (alternative.name, $0) }
            }
        }
    }

    private let cells: [ArraySlice<UInt8>]

    fileprivate init(_ line: ArraySlice<UInt8>) {
        cells = line.fields(between: UInt8(ascii: "\t"))
    }

    fileprivate var isValid: Bool { cells.count == 11 && Priority(rawValue: text(4)) != nil }

    var name: String { text(0) }
    var version: String { text(1) }
    var section: String { text(3) }
    var priority: Priority { Priority(rawValue: text(4)) ?? .optional }
    var installedKiB: Int? { Int(text(5)) }
    var requirements: [Requirement] { entries(7).map { Requirement(entry: $0) } }
    /// Further names of the package besides its own.
    var provides: [String] { entries(9).map(\.name) }
    var summary: String { text(10) }
    var tags: [String] { [text(2), text(3), text(4)] }
    /// The fields without a property of their own, by their Debian names.
    var fields: [(name: String, value: String)] {
        [("Architecture", text(2)), ("Size", text(6)), ("Recommends", text(8))]
            .filter { !$0.1.isEmpty }
    }

    private func text(_ field: Int) -> String { String(decoding: cells[field], as: UTF8.self) }

    /// The entries of a comma-separated list.
    private func entries(_ field: Int) -> [ArraySlice<UInt8>] {
        guard !cells[field].isEmpty else { return [] }
        return cells[field].fields(between: UInt8(ascii: ",")).map(\.trimmed)
    }
}

extension RandomAccessCollection<UInt8> where Index == Int, SubSequence == ArraySlice<UInt8> {
    /// The parts between separators, including empty ones.
    fileprivate func fields(between separator: UInt8) -> [ArraySlice<UInt8>] {
        var fields: [ArraySlice<UInt8>] = []
        var start = startIndex
        for index in indices where self[index] == separator {
            fields.append(self[start..<index])
            start = index + 1
        }
        fields.append(self[start..<endIndex])
        return fields
    }
}

extension ArraySlice<UInt8> {
    fileprivate var trimmed: ArraySlice<UInt8> { drop { $0 == UInt8(ascii: " ") } }

    /// The name in "libc6 (>= 2.34)" or "python3:any".
    fileprivate var name: String {
        let name = trimmed.prefix {
            $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: ":")
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// The condition in the parentheses of "libc6 (>= 2.34)"; `nil` without parentheses.
    fileprivate var version: String? {
        guard let start = firstIndex(of: UInt8(ascii: "(")),
            let end = self[start...].firstIndex(of: UInt8(ascii: ")"))
        else { return nil }
        return String(decoding: self[(start + 1)..<end], as: UTF8.self)
    }
}

/// A problem with an index.
struct IndexFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
