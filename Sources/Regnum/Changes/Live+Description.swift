extension Live: CustomStringConvertible {
    /// The description of ``current``, or "nil" if there is no object. Inside a `write` of the same
    /// realm, only the type.
    public var description: String {
        if ReadScope.write(in: realm) != nil { return "\(Self.self)" }
        return ReadScope.describe("Live<\(entry.schema.name)>") { current?.description ?? "nil" }
    }
}

extension LiveResults: CustomStringConvertible {
    /// The class and up to 100 of the current objects. Inside a `write` of the same realm, only the
    /// type.
    public var description: String { realm.describe(self) { current.description } }
}

extension LiveValues: CustomStringConvertible {
    /// The type and up to 100 of the current values. Inside a `write` of the same realm, only the
    /// type.
    public var description: String { realm.describe(self) { current.description } }
}

extension LiveMap: CustomStringConvertible {
    /// The types and up to 100 of the current entries. Inside a `write` of the same realm, only the
    /// type.
    public var description: String { realm.describe(self) { current.description } }
}

extension RealmCore {
    /// Returns the description of a frozen collection, with the name of the live one; in a `write`
    /// of the realm, in which live values can't be read, the live one's type.
    fileprivate func describe<Handle>(_: Handle, _ frozen: () -> String) -> String {
        if ReadScope.write(in: self) != nil { return "\(Handle.self)" }
        return "Live\(frozen().dropFirst("Frozen".count))"
    }
}

extension Changes: CustomStringConvertible {
    /// The type of the sequence.
    public var description: String { "\(Self.self)" }
}

extension CommitSequence: CustomStringConvertible {
    /// The type of the sequence.
    public var description: String { "\(Self.self)" }
}
