internal import Synchronization

/// What the engines answered to the same questions: a disagreement is an error, since then one of
/// them did other work than the others.
public final class Agreement: Sendable {
    /// Two engines, or two rounds of one, that answered a question differently.
    public struct Disagreement: Error, CustomStringConvertible {
        public let description: String
    }

    private struct Answer {
        var value: Int
        var engine: Engine
    }

    private let answers = Mutex<[String: Answer]>([:])

    public init() {}

    /// Keeps the first answer to a question, and compares the others with it.
    ///
    /// - Throws: `Disagreement` if the answer is another one.
    public func check(_ question: String, _ value: Int, by engine: Engine) throws {
        let first = answers.withLock { answers in
            if let first = answers[question] { return first }
            let answer = Answer(value: value, engine: engine)
            answers[question] = answer
            return answer
        }
        guard first.value != value else { return }
        throw Disagreement(
            description: "\(question): \(first.engine) answered \(first.value), "
                + "\(engine) \(value).")
    }
}
