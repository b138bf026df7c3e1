import ChatKit
import Testing

struct JoinInputTests {
    static let id = "65f0c0ffee0123456789abcd"

    @Test(arguments: [
        ("hello / there", JoinInput.message("hello / there")), ("", .nothing), ("  ", .nothing),
        ("//slash", .message("/slash")), ("/quit", .quit), ("/rooms", .rooms), ("/help", .help),
        ("/topic", .topic(nil)), ("/topic  the news", .topic("the news")),
        ("/delete", .delete(id: nil)), ("/delete \(id)", .delete(id: id)),
        ("/edit better words", .edit(id: nil, text: "better words")),
        ("/edit \(id) better words", .edit(id: id, text: "better words")),
    ])
    func linesAreRead(line: String, meaning: JoinInput) {
        #expect(JoinInput(line: line) == meaning)
    }

    @Test(arguments: ["/nonsense", "/edit", "/edit \(id)", "/delete that"])
    func mistakesAreExplained(line: String) throws {
        guard case .mistake(let sentence) = JoinInput(line: line) else {
            Issue.record("\(line) was accepted")
            return
        }
        #expect(sentence.hasSuffix("."))
    }
}
