import Foundation
import Testing

/// The page of the board, in a browser.
extension BoardProcessTests {
    /// Writes a picture of a page to the path in `BOARD_SCREENSHOT`.
    @Test(
        .enabled(if: Browser.isInstalled, "Debian's package chromium isn't installed."),
        .timeLimit(.minutes(10)))
    func pagesOfTwoServersShowTheSame() async throws {
        let (first, second) = try await startTwo()
        let client = BoardClient(address: first.address)
        try await client.createRoom("release-7")
        let browser = try Browser(profile: folder.url.appending(path: "profile"))
        let ann = RoomPage(page: try await browser.open("\(first.address)/#news"))
        let bob = RoomPage(page: try await browser.open("\(second.address)/#news"))
        for page in [ann, bob] { try await eventually { try await page.state() == "live" } }

        var texts: [String] = []
        for (page, author, text) in [
            (ann, "Ann", "Good morning! Is the release out?"),
            (bob, "Bob", "Almost. The tests of the last fix are still running."),
            (bob, "Bob", "You are on another server, by the way. Same realm, though."),
            (ann, "Ann", "I can tell only by the port: <b>nothing</b> else differs."),
        ] {
            try await page.post(text, as: author)
            texts.append(text)
            for page in [ann, bob] { try await eventually { try await page.texts() == texts } }
        }

        // A change set edits the page's array, while a reset replaces it.
        let _: Bool = try await ann.page.evaluate("(window.former = messages, true)")
        await first.end(with: SIGKILL)
        try await eventually { try await ann.state() != "live" }
        texts.append("Your server was killed just now. This was posted at mine.")
        try await bob.post(texts[4], as: "Bob")
        try await eventually { try await bob.texts() == texts }
        #expect(try await ann.texts() == Array(texts.dropLast()))
        let restarted = try await BoardProcess(realm: folder.realm, port: first.port)
        try await eventually { try await ann.texts() == texts }
        #expect(try await ann.page.evaluate("window.former === messages", as: Bool.self))

        texts.append("Back, and nothing is missing or doubled. And the release is out!")
        try await ann.post(texts[5], as: "Ann")
        for page in [ann, bob] { try await eventually { try await page.texts() == texts } }
        #expect(try await client.messages(in: "news").map(\.text) == texts)
        let picture = try await ann.page.screenshot()
        #expect(picture.starts(with: [0x89] + Array("PNG".utf8)))
        if let path = ProcessInfo.processInfo.environment["BOARD_SCREENSHOT"] {
            try picture.write(to: URL(filePath: path))
        }
        for server in [restarted, second] { #expect(await server.end(with: SIGTERM) == 0) }
    }
}

/// The page of a room, as its user sees and operates it.
private struct RoomPage {
    let page: BrowserPage

    func state() async throws -> String {
        try await page.evaluate("document.getElementById('state')?.textContent ?? ''")
    }

    /// The texts of the messages, without the times and authors.
    func texts() async throws -> [String] {
        try await page.evaluate(
            "[...document.querySelectorAll('#messages li')].map(li => li.lastChild.textContent)")
    }

    func post(_ text: String, as author: String) async throws {
        let _: Bool = try await page.evaluate(
            """
            document.getElementById('author').value = '\(author)';
            document.getElementById('text').value = '\(text)';
            document.getElementById('post').requestSubmit();
            true
            """)
    }
}
