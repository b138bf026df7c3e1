public import FoundationEssentials
internal import RegnumStore

/// A 12-byte identifier: 4 bytes of time in seconds, 5 random bytes per process, 3 bytes of a
/// rising counter, so that ids made by one process rise in byte order.
///
///     @Persisted(primaryKey: true) var id: ObjectId      // a generated id for each new object
///
/// Mind the difference: `@Persisted var id: ObjectId` without an initial value generates, but
/// `ObjectId()` is the id of all zeros.
public struct ObjectId: Hashable, Sendable {
    /// Bytes 0 to 7, the first byte most significant.
    let high: UInt64
    /// Bytes 8 to 11, the first byte most significant.
    let low: UInt32

    init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }

    /// The id whose 12 bytes are zero.
    public init() {
        self.init(high: 0, low: 0)
    }

    /// The id that is written as 24 hexadecimal digits, in either case.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput` for anything else.
    public init(string: String) throws(Realm.Error) {
        guard let id = ObjectId(string) else {
            throw Realm.Error(
                .invalidInput, "\"\(string)\" is not an ObjectId: 24 hexadecimal digits are needed."
            )
        }
        self = id
    }

    /// The id that a literal gives as 24 hexadecimal digits, in either case.
    ///
    ///     @Persisted var id = ObjectId("507f1f77bcf86cd799439011")
    ///
    /// - Precondition: the literal is such an id. For text that is not known before, use
    ///   ``init(string:)``, which throws, or `init(_:)` with a `String`, which gives nil.
    public init(_ literal: StaticString) {
        let text = literal.description
        guard let id = ObjectId(text) else {
            fatalError("\"\(text)\" is not an ObjectId: 24 hexadecimal digits are needed.")
        }
        self = id
    }

    /// A new id, greater than every id that this process has generated before.
    ///
    /// Its first 4 bytes are the time in seconds. More than 16,777,216 ids in one second run ahead
    /// of the clock. Safe to call from every thread.
    public static func generate() -> ObjectId {
        generator.next()
    }

    /// An id of the given parts with the next count of this process.
    ///
    /// - Parameters:
    ///   - timestamp: the time, in whole seconds; what is outside of 1970 to 2106 is clamped.
    ///   - machineId: its low 3 bytes are kept.
    ///   - processId: its low 2 bytes are kept.
    public init(timestamp: Date, machineId: Int, processId: Int) {
        let interval = timestamp.timeIntervalSince1970
        let seconds = interval >= 0 ? UInt32(min(interval, Double(UInt32.max))) : 0
        let machine = UInt64(truncatingIfNeeded: machineId) & 0xFF_FFFF
        let process = UInt32(truncatingIfNeeded: processId) & 0xFFFF
        self.init(
            high: UInt64(seconds) << 32 | machine << 8 | UInt64(process >> 8),
            low: process << 24 | Self.generator.next().low & 0xFF_FFFF)
    }

    /// The time in the first 4 bytes, in whole seconds.
    public var timestamp: Date { Date(timeIntervalSince1970: Double(timestampSeconds)) }

    /// The seconds since 1970 in the first 4 bytes.
    public var timestampSeconds: UInt32 { UInt32(truncatingIfNeeded: high >> 32) }

    private static let generator = ObjectIdGenerator()
}

extension ObjectId: Comparable {
    /// Byte order, which is the order of generation within a process.
    public static func < (left: ObjectId, right: ObjectId) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension ObjectId: LosslessStringConvertible {
    /// The id that is written as 24 hexadecimal digits, nil for anything else.
    ///
    /// A literal is taken by ``init(_:)-(StaticString)``, which does not give an optional.
    @_disfavoredOverload
    public init?(_ description: String) {
        var text = description
        let parsed: (UInt64, UInt32)? = text.withUTF8 { digits in
            guard digits.count == 24 else { return nil }
            var high: UInt64 = 0
            var low: UInt32 = 0
            for (position, digit) in digits.enumerated() {
                let nibble: UInt8
                switch digit {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): nibble = digit &- UInt8(ascii: "0")
                case UInt8(ascii: "a")...UInt8(ascii: "f"): nibble = digit &- UInt8(ascii: "a") + 10
                case UInt8(ascii: "A")...UInt8(ascii: "F"): nibble = digit &- UInt8(ascii: "A") + 10
                default: return nil
                }
                if position < 16 {
                    high = high << 4 | UInt64(nibble)
                } else {
                    low = low << 4 | UInt32(nibble)
                }
            }
            return (high, low)
        }
        guard let parsed else { return nil }
        self.init(high: parsed.0, low: parsed.1)
    }

    /// The id as 24 lower case hexadecimal digits.
    public var description: String {
        func padded(_ digits: String, _ length: Int) -> String {
            String(repeating: "0", count: length - digits.count) + digits
        }
        return padded(String(high, radix: 16), 16) + padded(String(low, radix: 16), 8)
    }

    /// The id as 24 lower case hexadecimal digits.
    public var stringValue: String { description }
}

extension ObjectId: Codable {
    /// Reads 24 hexadecimal digits from a string.
    ///
    /// - Throws: `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = ObjectId(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is not an ObjectId.")
        }
        self = id
    }

    /// Writes the id as a string of 24 hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The source of generated ids: one per process.
private final class ObjectIdGenerator: Sendable {
    /// Time and counter of the last id, as one number of 32 + 24 bits, so that it only ever rises.
    private let last: Guarded<UInt64>
    /// The 5 bytes that tell processes apart.
    private let processBytes: UInt64

    init() {
        processBytes = UInt64.random(in: 0..<(1 << 40))
        last = Guarded(UInt64.random(in: 0..<(1 << 23)))
    }

    func next() -> ObjectId {
        let start = UInt64(max(0, Date().timeIntervalSince1970)) << 24
        let sequence = last.withLock { last in
            let counter = last & 0xFF_FFFF
            last = max(last + 1, start | counter)
            return last
        }
        let seconds = sequence >> 24 & 0xFFFF_FFFF
        let counter = UInt32(truncatingIfNeeded: sequence & 0xFF_FFFF)
        return ObjectId(
            high: seconds << 32 | processBytes >> 8,
            low: UInt32(truncatingIfNeeded: processBytes & 0xFF) << 24 | counter)
    }
}
