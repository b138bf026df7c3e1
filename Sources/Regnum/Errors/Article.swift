extension String {
    /// The name with its indefinite article, for messages: "a Dog", "an Owner".
    var withArticle: String {
        guard let first, "AEIOaeio".contains(first) else { return "a \(self)" }
        return "an \(self)"
    }
}

/// Returns the name of a type with its indefinite article, for messages.
func withArticle(_ type: Any.Type) -> String { "\(type)".withArticle }
