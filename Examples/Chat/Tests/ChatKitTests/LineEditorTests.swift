import ChatKit
import Testing

struct LineEditorTests {
    private func editor(_ input: String) -> LineEditor {
        var editor = LineEditor()
        _ = editor.receive(Array(input.utf8))
        return editor
    }

    @Test func enterSubmitsTheLine() {
        var editor = LineEditor()
        #expect(editor.receive(Array("hello\r".utf8)) == [.submit("hello")])
        #expect(editor.text == "")
        #expect(editor.receive(Array("a\nb\n".utf8)) == [.submit("a"), .submit("b")])
    }

    @Test(arguments: [
        ("abc\u{7F}", "ab"), ("\u{7F}", ""), ("abc\u{1B}[D\u{7F}", "ac"), ("abc\u{1}x", "xabc"),
        ("abc\u{1}\u{5}x", "abcx"), ("abc\u{1}\u{4}", "bc"), ("abc\u{1}\u{1B}[3~", "bc"),
        ("abc\u{2}\u{2}\u{B}", "a"), ("abc\u{2}\u{15}", "c"), ("one two  \u{17}x", "one x"),
        ("ab\u{1B}OHx\u{1B}[4~y", "xaby"), ("a\u{1B}[1;5Cb", "ab"), ("a\u{1B}xb", "ab"),
        ("a\tb", "a b"), ("é漢👍🏽", "é漢👍🏽"), ("é漢👍🏽\u{7F}\u{7F}", "é"), ("e\u{301}\u{7F}", ""),
        ("a\u{9B}b", "ab"), ("abc\u{4}", "abc"),
    ])
    func keysEditTheLine(input: String, text: String) {
        #expect(editor(input).text == text)
    }

    @Test func piecesOfAnySizeMeanTheSame() {
        let input = Array("añ漢👍\u{1B}[D\u{1B}[3~x\u{1B}OHy".utf8)
        var whole = LineEditor()
        _ = whole.receive(input)
        var pieces = LineEditor()
        for byte in input { _ = pieces.receive([byte]) }
        #expect(pieces.text == whole.text)
        #expect(whole.text == "yañ漢x")
    }

    @Test func invalidBytesBecomeAReplacement() {
        var editor = LineEditor()
        _ = editor.receive([0x61, 0xFF, 0xE2, 0x28, 0xA1, 0x62])
        #expect(editor.text.hasPrefix("a\u{FFFD}"))
        #expect(editor.text.hasSuffix("b"))
    }

    @Test func endOfInputCountsOnAnEmptyLineOnly() {
        var editor = LineEditor()
        #expect(editor.receive([0x61, 0x04]) == [])
        #expect(editor.receive([0x7F, 0x04]) == [.end])
    }

    @Test func historyIsRecalled() {
        var editor = LineEditor()
        _ = editor.receive(Array("one\rtwo\rtwo\r".utf8))
        _ = editor.receive(Array("\u{1B}[A".utf8))
        #expect(editor.text == "two")
        _ = editor.receive(Array("\u{10}\u{10}".utf8))
        #expect(editor.text == "one")
        _ = editor.receive(Array("\u{1B}[B\u{1B}[B".utf8))
        #expect(editor.text == "")
    }

    @Test func pictureShowsPromptTextAndCursor() {
        let erase = LineEditor.eraseLine
        #expect(editor("abc").picture(prompt: "> ", columns: 80) == erase + "> abc")
        #expect(
            editor("abc\u{1B}[D\u{1B}[D").picture(prompt: "> ", columns: 80)
                == erase + "> abc\u{1B}[2D")
        // The cursor moves back two columns over a wide character.
        #expect(
            editor("漢\u{1B}[D").picture(prompt: "> ", columns: 80) == erase + "> 漢\u{1B}[2D")
    }

    @Test func pictureNeverExceedsTheColumns() {
        let text = "一二三 four five six 七八九 ten"
        for columns in 1...40 {
            for back in 0...text.count {
                let left = String(repeating: "\u{1B}[D", count: back)
                let picture = editor(text + left).picture(prompt: "> ", columns: columns)
                let shown = picture.dropFirst(LineEditor.eraseLine.count + 2)
                    .prefix { $0 != "\u{1B}" }
                let width = shown.reduce(0) { $0 + columnCount(of: $1) }
                #expect(width <= max(1, columns - 3))
            }
        }
    }
}
