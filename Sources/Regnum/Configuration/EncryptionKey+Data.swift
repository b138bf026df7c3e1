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
        var formerKeys: [EncryptionKey] = []
        for key in former {
            if let made = try make(key) { formerKeys.append(made) }
        }
        guard data.count == 32 || data.count == 64 else {
            throw Realm.Error(
                .invalidInput, "An encryption key has 32 or 64 bytes, not \(data.count).")
        }
        #if Encryption
            return EncryptionKey(Array(data), AESCipherSuite(), former: formerKeys)
        #else
            throw Realm.Error(
                .invalidInput,
                "This program can't use encrypted realms: enable the trait Encryption where it "
                    + "depends on the package regnum.")
        #endif
    }
}
