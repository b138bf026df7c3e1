/// A benchmark that cannot go on, with the reason as a sentence.
struct Failure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
