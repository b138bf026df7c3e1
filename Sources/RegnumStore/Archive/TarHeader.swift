/// The header of a file in a tar archive, as IEEE Std 1003.1-1988 (ustar) defines it: what an
/// archive needs that contains nothing but a few regular files in one directory.
///
/// Sizes of 8 GiB and more, for which that standard has no field, are in base 256, as GNU tar and
/// bsdtar write and read them.
struct TarHeader: Equatable {
    /// The size of a header, and of the blocks to which files are padded with zeros.
    static let byteCount = 512
    /// The maximum number of bytes of a name.
    static let maximumNameByteCount = 100

    /// The name, without directories.
    var name: String
    /// The size of the file.
    var fileByteCount: UInt64
    /// When the file was written, in seconds since 1970.
    var seconds: UInt64 = 0

    /// The number of zeros that follow the file.
    var paddingByteCount: UInt64 {
        let byteCount = UInt64(Self.byteCount)
        return (byteCount - fileByteCount % byteCount) % byteCount
    }

    private static let size = 124..<136
    private static let time = 136..<148
    private static let checksum = 148..<156
    private static let magic = Array("ustar\u{0}00".utf8)

    init(name: String, fileByteCount: UInt64, seconds: UInt64 = 0) {
        self.name = name
        self.fileByteCount = fileByteCount
        self.seconds = seconds
    }

    func encoded() -> [UInt8] {
        precondition(Self.isName(name.utf8), "a name that has no place in the header")
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        bytes.replaceSubrange(0..<name.utf8.count, with: name.utf8)
        Self.store(0o600, in: &bytes, 100..<108)
        Self.store(0, in: &bytes, 108..<116)
        Self.store(0, in: &bytes, 116..<124)
        Self.store(fileByteCount, in: &bytes, Self.size)
        Self.store(min(seconds, 1 << 33 - 1), in: &bytes, Self.time)
        bytes[156] = UInt8(ascii: "0")  // a regular file
        bytes.replaceSubrange(257..<265, with: Self.magic)
        Self.store(Self.sum(bytes), in: &bytes, Self.checksum)
        return bytes
    }

    /// Decodes a header; `nil` if the bytes aren't one of a regular file without a directory.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, Array(bytes[257..<265]) == Self.magic,
            bytes[156] == UInt8(ascii: "0"), bytes[345..<500].allSatisfy({ $0 == 0 }),
            Self.load(bytes[Self.checksum]) == Self.sum(bytes),
            let fileByteCount = Self.load(bytes[Self.size]),
            let seconds = Self.load(bytes[Self.time])
        else { return nil }
        let name = bytes[..<Self.maximumNameByteCount].prefix { $0 != 0 }
        guard Self.isName(name), let text = String(validating: name, as: UTF8.self) else {
            return nil
        }
        self.init(name: text, fileByteCount: fileByteCount, seconds: seconds)
    }

    private static func isName(_ name: some Collection<UInt8>) -> Bool {
        !name.isEmpty && name.count <= maximumNameByteCount
            && !name.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }

    /// The sum of all bytes, with spaces in place of the checksum.
    private static func sum(_ bytes: [UInt8]) -> UInt64 {
        bytes.indices.reduce(0) { $0 + UInt64(checksum.contains($1) ? 32 : bytes[$1]) }
    }

    /// Stores octal digits that end with a zero byte, or the number in base 256 after a byte 0x80.
    private static func store(_ number: UInt64, in bytes: inout [UInt8], _ field: Range<Int>) {
        let digitCount = field.count - 1
        let isOctal = number >> (3 * UInt64(digitCount)) == 0
        var rest = number
        for index in field.dropLast(isOctal ? 1 : 0).reversed() {
            bytes[index] = isOctal ? 0x30 + UInt8(rest & 7) : UInt8(truncatingIfNeeded: rest)
            rest >>= isOctal ? 3 : 8
        }
        if !isOctal { bytes[field.lowerBound] = 0x80 }
    }

    /// Loads a number below 2^63; `nil` if the field has none.
    private static func load(_ field: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        if field.first == 0x80 {
            for byte in field.dropFirst() {
                guard number < 1 << 55 else { return nil }
                number = number << 8 | UInt64(byte)
            }
            return number
        }
        let digits = field.prefix { (0x30...0x37).contains($0) }
        guard !digits.isEmpty, field[digits.endIndex...].allSatisfy({ $0 == 0 || $0 == 32 })
        else { return nil }
        for digit in digits { number = number << 3 | UInt64(digit - 0x30) }
        return number
    }
}
