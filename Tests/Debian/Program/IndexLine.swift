import Foundation

/// A line of the index of packages: eleven fields with tabs between them.
struct IndexLine: Sendable {
    /// An entry of `Depends`: its text, and the names that satisfy it.
    struct Requirement: Sendable {
        let text: String
        let alternatives: [String]
    }

    let name: String
    let version: String
    let section: String
    let priority: Priority
    let installedKiB: Int?
    let requirements: [Requirement]
    let provides: [String]
    let summary: String

    init(_ line: some Collection<UInt8>) throws {
        let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard fields.count == 11, let priority = Priority(rawValue: Self.text(fields[4])) else {
            throw IndexFailure("This is no line of the index: \(Self.text(line))")
        }
        name = Self.text(fields[0])
        version = Self.text(fields[1])
        section = Self.text(fields[3])
        self.priority = priority
        installedKiB = Int(Self.text(fields[5]))
        requirements = Self.entries(fields[7]).map { entry in
            let alternatives = entry.split(separator: UInt8(ascii: "|")).map(Self.name)
            return Requirement(text: Self.text(entry), alternatives: alternatives)
        }
        provides = Self.entries(fields[9]).map(Self.name)
        summary = Self.text(fields[10])
    }

    /// All lines of an index but the first, which names the fields.
    static func all(of index: Data) throws -> [IndexLine] {
        try index.split(separator: UInt8(ascii: "\n")).dropFirst().map { try IndexLine($0) }
    }

    /// The entries of a list with commas.
    private static func entries<Text: Collection<UInt8>>(_ list: Text) -> [Text.SubSequence] {
        list.split(separator: UInt8(ascii: ",")).map { $0.drop { $0 == UInt8(ascii: " ") } }
    }

    /// The name in "libc6 (>= 2.34)" or "python3:any".
    private static func name(_ entry: some Collection<UInt8>) -> String {
        let ends = Set(" (:".utf8)
        return text(entry.drop { $0 == UInt8(ascii: " ") }.prefix { !ends.contains($0) })
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}

/// Something about an index that is not as it should be.
struct IndexFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
