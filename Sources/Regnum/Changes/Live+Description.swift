extension Live: CustomStringConvertible {
    /// The description of ``current``; `nil` if there is no object.
    public var description: String {
        ReadScope.describe("Live<\(entry.schema.name)>") { current?.description ?? "nil" }
    }
}

extension LiveResults: CustomStringConvertible {
    /// The class, and up to 100 of the current objects.
    public var description: String { current.description.asLive }
}

extension LiveValues: CustomStringConvertible {
    /// The type, and up to 100 of the current values.
    public var description: String { current.description.asLive }
}

extension LiveMap: CustomStringConvertible {
    /// The types, and up to 100 of the current entries.
    public var description: String { current.description.asLive }
}

extension String {
    /// The description of a frozen collection, with the name of the live one.
    fileprivate var asLive: String { "Live\(dropFirst("Frozen".count))" }
}

extension Changes: CustomStringConvertible {
    /// The type of the sequence.
    public var description: String { "\(Self.self)" }
}

extension CommitSequence: CustomStringConvertible {
    /// The type of the sequence.
    public var description: String { "\(Self.self)" }
}
