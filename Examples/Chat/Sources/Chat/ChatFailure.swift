/// A failure that the user is told in one sentence; the exit code is 1.
struct ChatFailure: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// The reader of standard output went away: there is nobody left to tell anything.
struct OutputClosed: Error {}
