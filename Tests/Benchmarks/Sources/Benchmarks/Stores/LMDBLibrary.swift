internal import CLMDB

/// The loaded library.
enum LMDBLibrary {
    /// Whether liblmdb.so.0 was found. A static is initialized once, so that the library is loaded
    /// once.
    static let isInstalled = clmdb_load() == 0

    static func check(_ code: Int32) throws {
        guard code != 0 else { return }
        throw Failure("LMDB: \(String(cString: clmdb_strerror(code)))")
    }
}

/// A person as LMDB's value: age, score, the three lengths, then the three texts. LMDB only aligns
/// values to even addresses.
struct PackedPerson {
    private static let headerByteCount = 24
    let bytes: UnsafeRawPointer

    var age: Int { bytes.loadUnaligned(as: Int.self) }
    var score: Double { bytes.loadUnaligned(fromByteOffset: 8, as: Double.self) }

    var city: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes + Self.headerByteCount + length(16), count: length(18))
    }

    var note: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: bytes + Self.headerByteCount + length(16) + length(18), count: length(20))
    }

    private func length(_ offset: Int) -> Int {
        Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    static func byteCount(_ person: PersonValues) -> Int {
        headerByteCount + person.name.utf8.count + person.city.utf8.count + person.note.utf8.count
    }

    static func write(_ person: PersonValues, to target: UnsafeMutableRawPointer) {
        target.storeBytes(of: person.age, as: Int.self)
        target.storeBytes(of: person.score, toByteOffset: 8, as: Double.self)
        target.storeBytes(of: 0, toByteOffset: 16, as: UInt64.self)
        var place = headerByteCount
        for (index, text) in [person.name, person.city, person.note].enumerated() {
            var text = text
            text.withUTF8 { utf8 in
                if let start = utf8.baseAddress {
                    (target + place).copyMemory(from: start, byteCount: utf8.count)
                }
                place += utf8.count
                let length = UInt16(truncatingIfNeeded: utf8.count)
                target.storeBytes(of: length, toByteOffset: 16 + 2 * index, as: UInt16.self)
            }
        }
    }
}
