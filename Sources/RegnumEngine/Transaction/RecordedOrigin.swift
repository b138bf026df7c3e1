internal import RegnumStore

/// The origin in the record of a commit: the label that was passed to `write` and, after a mark,
/// the trace context of the write, if its program was traced.
package struct RecordedOrigin: Sendable {
    package let label: String?
    package let trace: String?

    private static let mark = "\u{0}trace:"

    /// - Parameter trace: The trace context, without a NUL character.
    package init(label: String?, trace: String? = nil) {
        self.label = label
        self.trace = trace
    }

    /// Divides the origin of a record.
    package init(text: String?) {
        guard let text, let end = text.utf8.lastIndex(of: 0),
            text.utf8[end...].starts(with: Self.mark.utf8)
        else {
            self.init(label: text)
            return
        }
        let trace = text.utf8[end...].dropFirst(Self.mark.utf8.count)
        self.init(
            label: end == text.startIndex ? nil : String(text[..<end]),
            trace: trace.isEmpty ? nil : String(Substring(trace)))
    }

    /// The origin as it is recorded. It lacks the trace context if both together would be too long,
    /// or if the label is empty. A label that contains the mark is followed by another one.
    package var text: String? {
        if let trace, label != "" {
            let text = (label ?? "") + Self.mark + trace
            if text.utf8.count <= Limits.maximumOriginByteCount { return text }
        }
        guard let label, RecordedOrigin(text: label).label != label else { return label }
        return label + Self.mark
    }
}
