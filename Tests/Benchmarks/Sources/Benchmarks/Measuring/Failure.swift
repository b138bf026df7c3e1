/// A benchmark that can't continue, with the reason as a message.
struct Failure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
