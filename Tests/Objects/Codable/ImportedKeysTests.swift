import RegnumEngine
import RegnumTestSupport
import Testing

@testable import RegnumJSON

/// The rows of imported objects by their keys in the text.
@Suite struct ImportedKeysTests {
    /// Keys in a forged text can have any value and order.
    @Test(arguments: [
        [UInt64.max, 0], [UInt64.max, 0, 1], [0, UInt64.max], [5, 6, 7, 3, 8], [7, 7],
        [1, 2, 4, 3],
    ])
    func everyKeyIsFound(keys: [UInt64]) {
        var imported = ImportedKeys()
        var expected: [UInt64: UInt64] = [:]
        for (row, key) in keys.enumerated() {
            imported.add(key, ObjectKey(rawValue: UInt64(row)))
            expected[key] = UInt64(row)
        }
        for (key, row) in expected { expectEqual(imported[key]?.rawValue, row, "\(key)") }
        expectNil(imported[9])
    }
}
