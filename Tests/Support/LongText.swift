/// A text of the letter x with a given number of bytes.
///
/// `String(repeating:count:)` appends one character at a time, which takes over 50 ms for the
/// longest texts.
package func longText(_ byteCount: Int) -> String {
    String(decoding: [UInt8](repeating: UInt8(ascii: "x"), count: byteCount), as: UTF8.self)
}
