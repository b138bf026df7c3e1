import ChatKit

/// A failure that the user is told in one sentence; the exit code is 1.
struct ChatFailure: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }

    static func noRoom(_ name: String) -> ChatFailure {
        ChatFailure("There is no room \(printable(name)).")
    }
}

/// The reader of standard output went away: there is nobody left to tell anything.
struct OutputClosed: Error {}
