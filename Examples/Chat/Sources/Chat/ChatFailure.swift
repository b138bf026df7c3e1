import ChatKit

/// A failure that is reported to the user as a one-sentence message; the exit code is 1.
struct ChatFailure: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }

    static func noRoom(_ name: String) -> ChatFailure {
        ChatFailure("There is no room \(printable(name)).")
    }
}

/// The reader of standard output is gone, so there's nobody left to print for.
struct OutputClosed: Error {}
