import Foundation
import RegnumTestSupport
import Testing

/// `Docs/Guides/Questions.md` is a program that answers what the page says of the whole index, and
/// what is known about a small one.
@Suite struct QuestionsPageTests {
    /// The most objects and index entries that a question may read.
    private static let maximumReadCount = 5_000

    private func page() throws -> TutorialPage {
        let file = Repository.root.appending(path: "Docs/Guides/Questions.md")
        return TutorialPage(text: try String(contentsOf: file, encoding: .utf8))
    }

    @Test func theProgramAnswersWhatThePageSays() throws {
        let page = try page()
        let folder = FileManager.default.temporaryDirectory.appending(path: "index-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let small = folder.appending(path: "small.tsv")
        let whole = folder.appending(path: "whole.tsv")
        try Data(Self.sample.utf8).write(to: small)
        // The second run finds the realm that the first one has filled.
        var arguments = [[small.path], [small.path]]
        let isWhole =
            try Effort.isSoak
            && UnpackedIndex.write(
                to: whole, orSkip: "the questions are only put to a sample of packages")
        if isWhole { arguments.append([whole.path]) }
        let outputs = try SwiftCompiler.output(
            of: page.program, with: TutorialPage.files, arguments: arguments,
            isOptimized: isWhole)
        let answers = outputs[0].split(separator: "\n").filter { $0.hasPrefix("Answer: ") }
            .map { String($0.dropFirst(8)) }
        expectEqual(answers, Self.answers)
        expectEqual(outputs[1], outputs[0])
        if isWhole { expectEqual(outputs[2], page.outputs.joined()) }
    }

    /// The outputs on the page are those of the program, so their counters are, too.
    @Test func noQuestionReadsManyObjects() throws {
        let outputs = try page().outputs
        expectEqual(outputs.count, 10)
        for output in outputs {
            let work = try requireValue(
                output.firstMatch(of: /Examined (\d+) objects? and (\d+) index entr/))
            let count = try requireValue(Int(work.1)) + requireValue(Int(work.2))
            expectTrue(count <= Self.maximumReadCount, "\(output)")
            expectTrue(!output.contains("Scans all"), "\(output)")
        }
    }

    private static let answers = [
        "3 in 3 sections, 1 of them in libdevel", "1: postfix-pcre",
        "2: exim4 2000 KiB, postfix 4000 KiB", "1, such as ceph", "1 of 2",
        "3 MiB, 1536 KiB each, the largest is fonts-a", "node-a",
        "2, first of all tiny, nano", "python3-astlib",
        #"["big1", "big2", "big3"], then ["big4"]"#,
    ]

    /// An index of packages that the questions find, and of some that they must not find.
    private static let sample = "header\n" + lines.joined()

    private static let lines = [
        line("libgdbm6", "libs", 100, "GNU dbm database routines"),
        line("perl", "perl", 700, "Practical Extraction", needs: "libgdbm6 (>= 1.21)"),
        line("python3-gdbm", "python", 60, "GNU dbm for Python 3", needs: "libgdbm6 (>= 1.16)"),
        line("libgdbm-dev", "libdevel", 300, "development files", needs: "libgdbm6 (= 1.23-3)"),
        line("postfix", "mail", 4_000, "mail server", provides: "mail-transport-agent"),
        line("exim4", "mail", 2_000, "mail server", provides: "mail-transport-agent"),
        line("nullmailer", "net", 500, "relay-only mail server", provides: "mail-transport-agent"),
        line("postfix-pcre", "mail", 50, "PCRE map support", needs: "postfix (= 3.7)"),
        line("mailman3", "mail", 900, "mailing lists", needs: "postfix | mail-transport-agent"),
        line("libsnappy1v5", "libs", 60, "fast compression library"),
        line("libleveldb1d", "libs", 400, "fast key-value storage library", needs: "libsnappy1v5"),
        line("ceph", "admin", 70, "distributed storage", needs: "libleveldb1d, libold2"),
        line("bitcoind", "utils", 9_000, "network daemon", needs: "libleveldb1d, libsnappy1v5"),
        line("libold1", "oldlibs", 10, "transitional package"),
        line("libold2", "oldlibs", 10, "transitional package"),
        line("fonts-a", "fonts", 2_048, "a font"),
        line("fonts-b", "fonts", 1_024, "another font"),
        line("node-a", "javascript", 10, "a module", needs: "exim4, node-b | node-c"),
        line("node-d", "javascript", 10, "a module", needs: "missing | exim4"),
        line("node-e", "javascript", 10, "a module", needs: "mail-transport-agent"),
        line("nano", "editors", 10, "simple text editor"),
        line("tiny", "editors", 10, "simple, simpler text editor"),
        line("jed", "editors", 10, "text editor"),
        line("turned", "editors", 10, "simple editor of text"),
        line("libedit", "libs", 10, "simple text editor library"),
        line("python3-numpy", "python", 10, "fast arrays"),
        line("python3-astlib", "python", 10, "tools for astronomy", needs: "python3-numpy"),
        line(
            "python3-photutils", "python", 10, "Astropy photometry",
            needs: "python3-numpy, python3-astropy"),
        line("astrolog", "misc", 10, "astrology"),
        line("big1", "misc", 5_000_000, "data"),
        line("big3", "misc", 2_500_000, "data"),
        line("big-dbg", "debug", 4_500_000, "debug symbols"),
        line("big2", "misc", 4_000_000, "data"),
        line("big4", "misc", 1_900_000, "data"),
    ]

    private static func line(
        _ name: String, _ section: String, _ size: Int, _ summary: String, needs: String = "",
        provides: String = ""
    ) -> String {
        [
            name, "1-1", "all", section, "optional", "\(size)", "1", needs, "", provides, summary,
        ].joined(separator: "\t") + "\n"
    }
}
