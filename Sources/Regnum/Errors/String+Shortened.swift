extension String {
    /// The first 40 scalars of a long text, for messages. A single character may have any length.
    package var shortened: String {
        utf8.count > 160 ? String(unicodeScalars.prefix(40)) + "…" : self
    }
}
