import Foundation
import Glibc
import RegnumStore
import RegnumTestSupport
import Testing

/// Names of processes in messages and on terminals.
@Suite struct ProcessNameTests {
    /// In two containers that share a realm, the processes usually have the same id.
    @Test func anIDThatIsAlsoThisProcessesIsNotTakenForIt() {
        expectEqual(processDescription(UInt32(getpid())), "process \(getpid())")
    }

    /// A process can choose its name. A thread stands for one here, which has such a file too.
    @Test func namesCannotControlATerminal() async throws {
        let found = await withCheckedContinuation { continuation in
            IOPool.elastic.submit {
                let path = "/proc/thread-self/comm"
                let thread = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/thread-self")
                let id = thread.flatMap { UInt32($0.split(separator: "/").last ?? "") }
                let name = FileManager.default.contents(atPath: path) ?? Data()
                Self.write(Array("x\u{1B}[31m\u{202E}\t".utf8), to: path)
                let description = id.map { processDescription($0) }
                Self.write(Array(name.prefix { $0 != 10 }), to: path)
                continuation.resume(returning: (id, description))
            }
        }
        let id = try requireValue(found.0)
        expectEqual(found.1, #"process \#(id) (x\u{1B}[31m\u{202E}\u{9})"#)
    }

    private static func write(_ bytes: [UInt8], to path: String) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        _ = Glibc.write(descriptor, bytes, bytes.count)
        close(descriptor)
    }

    @Test func longTextsAreCutAndReadableOnesKept() {
        for text in ["", "server", "Müller 漢字 🦊", "a\\b"] {
            expectEqual(text.printable, text)
        }
        expectEqual("a\r\nb\u{2028}\u{85}".printable, #"a\u{D}\u{A}b\u{2028}\u{85}"#)
        let long = String(repeating: "n", count: 200)
        expectEqual(long.printable, long)
        expectEqual((long + "n").printable, long + "…")
        let marks = "e" + String(repeating: "\u{301}", count: 60_000)
        expectEqual(marks.printable.unicodeScalars.count, 201)
    }
}
