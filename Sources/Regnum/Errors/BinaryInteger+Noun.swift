extension BinaryInteger {
    /// The number with a noun in the singular or plural, which is formed with an "s" by default.
    func of(_ noun: String, _ plural: String? = nil) -> String {
        "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
    }
}
