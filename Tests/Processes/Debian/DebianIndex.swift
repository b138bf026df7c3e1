import Foundation
import RegnumTestSupport

@testable import RegnumDebian

/// An index of packages: Debian's, a small one, or a random one.
struct DebianIndex {
    let text: String

    /// The file of Debian's index next to the repository; `nil` if it is absent.
    static let file: URL? = {
        let file = Repository.shared.appending(path: "data/debian-packages.tsv.gz")
        if FileManager.default.fileExists(atPath: file.path) { return file }
        print("\(file.path) is absent: the graph is tested with a sample of 12 packages.")
        return nil
    }()

    /// Returns packages spread evenly over Debian's index, or the sample if it is absent.
    static func part(packageCount: Int) throws -> DebianIndex {
        guard let file else { return sample }
        let contents = String(
            decoding: try IndexFile.contents(ofFile: file.path), as: UTF8.self)
        let lines = contents.components(separatedBy: "\n").dropLast()
        let step = max(1, (lines.count - 1) / packageCount)
        let chosen = [lines[0]] + stride(from: 1, to: lines.count, by: step).map { lines[$0] }
        return DebianIndex(text: chosen.map { $0 + "\n" }.joined())
    }

    /// Packages that depend on each other, a virtual package, a missing one, qualifiers,
    /// alternatives.
    static let sample = DebianIndex([
        Line("libc6", "libgcc-s1"),
        Line("libgcc-s1", "gcc-12-base (= 12.2.0-14), libc6 (>= 2.35)", "libgcc1 (= 1:12.2.0-14)"),
        Line("gcc-12-base"),
        Line("mawk", "libc6 (>= 2.29)", "awk"),
        Line("original-awk", "", "awk"),
        Line("base-files", "awk", "base"),
        Line("debconf", "", "debconf-2.0"),
        Line("cdebconf", "libc6 (>= 2.34), debconf", "debconf-2.0"),
        Line("postfix", "libc6 (>= 2.34), debconf (>= 0.5) | debconf-2.0, netbase"),
        Line("meson", "python3:any (>= 3.7), ninja-build (>= 1.6)"),
        Line("lonely", "nowhere | python3:any"),
        Line("adduser", "passwd | postfix, base"),
    ])

    /// Returns a random index of the packages "p0", "p1" ..., which also refer to missing ones.
    static func random(
        packageCount: Int, using generator: inout some RandomNumberGenerator
    ) -> DebianIndex {
        func some(_ counts: ClosedRange<Int>, from numbers: Range<Int>) -> [String] {
            (0..<Int.random(in: counts, using: &generator)).map { _ in
                "p\(Int.random(in: numbers, using: &generator))"
            }
        }
        let lines = (0..<packageCount).map { number in
            let entries = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                some(1...3, from: 0..<packageCount * 2).joined(separator: " | ")
            }
            let provided = Set(some(0...2, from: packageCount / 2..<packageCount * 2)).sorted()
            return Line(
                "p\(number)", entries.joined(separator: ", "), provided.joined(separator: ", "))
        }
        return DebianIndex(lines)
    }

    private struct Line {
        let text: String

        init(_ name: String, _ depends: String = "", _ provides: String = "") {
            text = [
                name, "1.0-1", "all", "misc", "optional", "\(name.utf8.count)", "1", depends, "",
                provides, "About \(name)",
            ].joined(separator: "\t")
        }
    }

    private init(_ lines: [Line]) {
        text = "Package\tVersion\t...\n" + lines.map { $0.text + "\n" }.joined()
    }

    private init(text: String) {
        self.text = text
    }
}
