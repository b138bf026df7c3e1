internal import RegnumEngine

/// The terms of a condition that `&&` or `||` has built.
///
/// A longer chain is usually built from the previous one, and shares its array: adding a term to
/// each of n chains in turn takes O(n), not O(n²).
struct ConditionChain {
    /// Confined to the call of the closure, like the scope of the condition.
    private final class Buffer {
        var terms: [Predicate]

        init(_ terms: [Predicate]) { self.terms = terms }
    }

    /// Whether all terms must hold, or only one.
    let isAll: Bool
    private let buffer: Buffer
    /// The number of terms in the buffer that belong to this chain. Others follow if a longer chain
    /// was built from it.
    private let count: Int

    init(_ terms: [Predicate], isAll: Bool) {
        self.init(Buffer(terms), isAll: isAll)
    }

    private init(_ buffer: Buffer, isAll: Bool) {
        self.buffer = buffer
        self.isAll = isAll
        count = buffer.terms.count
    }

    private var terms: [Predicate] {
        count == buffer.terms.count ? buffer.terms : Array(buffer.terms[..<count])
    }

    var predicate: Predicate { isAll ? .and(terms) : .or(terms) }

    /// Returns a chain that also has the terms of another one.
    func adding(_ other: ConditionChain) -> ConditionChain {
        let added = other.terms
        let buffer = count == buffer.terms.count ? buffer : Buffer(terms)
        buffer.terms += added
        return ConditionChain(buffer, isAll: isAll)
    }
}
