/// The 12 bytes of an ObjectId, big-endian, so that comparing the numbers compares the bytes.
package struct ObjectIdBytes: Hashable, Comparable, Sendable {
    /// Bytes 0 to 7; byte 0 is the most significant.
    package var high: UInt64
    /// Bytes 8 to 11; byte 8 is the most significant.
    package var low: UInt32

    package init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }

    package static func < (a: ObjectIdBytes, b: ObjectIdBytes) -> Bool {
        a.high != b.high ? a.high < b.high : a.low < b.low
    }
}
