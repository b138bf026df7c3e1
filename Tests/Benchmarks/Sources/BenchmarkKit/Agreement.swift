internal import Synchronization

/// The engines' answers to the same questions. A disagreement is an error, since it means that one
/// of them did different work.
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

    /// Records the first answer to a question, and compares later ones with it.
    ///
    /// - Throws: `Disagreement` if the answer differs.
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
