import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

@Suite struct IndexKeyTests {
    /// The results of CPython 3.11 (`hash(bytes)` is SipHash-1-3) for the bytes 1, 8, 15, ... with
    /// PYTHONHASHSEED 0 and 12345.
    @Test func hashIsSipHash13() {
        let lengths = [1, 3, 7, 8, 9, 15, 16, 40, 300]
        let expected: [(Identity128, [UInt64])] = [
            (
                Identity128(high: 0, low: 0),
                [
                    0x44bc_103b_1f85_40ed, 0x58c0_4bf1_747a_31b8, 0xb410_12ae_ee05_c7d4,
                    0xd22d_9341_176d_0728, 0x4ec4_2971_d570_753b, 0x566f_711d_32f5_9152,
                    0x7e6b_fb8b_f1d3_6ac4, 0xaf08_005c_1945_0807, 0xcf5d_9b6e_c856_1d64,
                ]
            ),
            (
                Identity128(high: 0x2555_6dc4_6dc3_dca0, low: 0xfc3e_e4db_d06f_6c90),
                [
                    0x2fa2_a562_722d_7e86, 0x803c_9c14_403c_1c31, 0x64af_7146_1176_b0eb,
                    0x774c_3172_df2b_e4f9, 0xc4d9_47ba_817b_7140, 0x2068_ce09_f20c_1095,
                    0x4d44_4fb4_617c_374d, 0x052f_b0a7_8b2c_06f7, 0xcadf_4f43_9171_b54c,
                ]
            ),
        ]
        for (seed, hashes) in expected {
            for (length, hash) in zip(lengths, hashes) {
                let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
                expectEqual(IndexKey.key(.data(bytes), seed: seed), hash)
            }
        }
    }

    @Test func orderedTypesKeepTheirOrder() {
        let seed = Identity128(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))
        let ordered: [[Value]] = [
            [.bool(false), .bool(true)],
            [.int(.min), .int(-1), .int(0), .int(1), .int(.max)],
            [
                .double(.nan), .double(-.infinity), .double(-1.5), .double(-.leastNonzeroMagnitude),
                .double(0), .double(.leastNonzeroMagnitude), .double(2), .double(.infinity),
            ],
            [.date(-.infinity), .date(-2), .date(-0.0), .date(1e-9), .date(5e9)],
        ]
        for values in ordered {
            let keys = values.map { IndexKey.key($0, seed: seed) }
            expectTrue(keys == keys.sorted() && Set(keys).count == keys.count)
        }
        expectEqual(IndexKey.key(.double(-0.0), seed: seed), IndexKey.key(.double(0), seed: seed))
        expectEqual(IndexKey.key(.double(-.nan), seed: seed), 0)
        expectEqual(IndexKey.key(.null, seed: seed), 0x6E75_6C6C)
    }

    @Test func hashesGoByBytesAndSeed() {
        let seed = Identity128(high: 1, low: 2)
        let bytes: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]
        let data = IndexKey.key(.data(bytes), seed: seed)
        expectEqual(IndexKey.key(.uuid(Identity128(high: 1, low: 2)), seed: seed), data)
        let short = IndexKey.key(.data(Array(bytes.prefix(12))), seed: seed)
        expectEqual(IndexKey.key(.objectId(ObjectIdBytes(high: 1, low: 2)), seed: seed), short)
        let text = "a string of more than fifteen bytes"
        expectEqual(
            IndexKey.key(.string(text), seed: seed),
            IndexKey.key(.data(Array(text.utf8)), seed: seed))
        expectEqual(IndexKey.key(.string(""), seed: seed), IndexKey.key(.data([]), seed: seed))
        // Two spellings that are equal in Swift but not here.
        #expect(
            IndexKey.key(.string("\u{E9}"), seed: seed)
                != IndexKey.key(.string("e\u{301}"), seed: seed))
        expectTrue(
            IndexKey.key(.string(text), seed: seed)
                != IndexKey.key(.string(text), seed: Identity128(high: 1, low: 3)))
    }
}
