package import FoundationEssentials
package import RegnumStore

extension EncryptionKey {
    /// Returns the engine's form of a key and of former ones, or `nil` if there is none.
    ///
    /// Throws `.invalidInput` if one doesn't have 32 or 64 bytes, if there are only former keys,
    /// and without the package trait `Encryption`.
    package static func make(
        _ data: Data?, former: [Data] = []
    ) throws(Realm.Error) -> EncryptionKey? {
        guard let data else {
            if former.isEmpty { return nil }
            throw Realm.Error(
                .invalidInput, "Former encryption keys were given without the key of the realm.")
        }
        try check(data, "An encryption key")
        for key in former { try check(key, "A former encryption key") }
        #if Encryption
            let suite = AESCipherSuite()
            let formerKeys = former.map { EncryptionKey(Array($0), suite) }
            return EncryptionKey(Array(data), suite, former: formerKeys)
        #else
            throw Realm.Error(
                .invalidInput,
                "This program can't use encrypted realms: enable the trait Encryption where it "
                    + "depends on the package regnum.")
        #endif
    }

    private static func check(_ key: Data, _ subject: String) throws(Realm.Error) {
        if key.count == 32 || key.count == 64 { return }
        throw Realm.Error(
            .invalidInput, "\(subject) has 32 or 64 bytes, not \(key.count).")
    }
}
