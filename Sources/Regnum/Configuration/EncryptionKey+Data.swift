package import FoundationEssentials
package import RegnumStore

extension EncryptionKey {
    /// Returns the engine's form of a key, or `nil` if there is none.
    ///
    /// Throws `.invalidInput` if it doesn't have 32 or 64 bytes, and without the package trait
    /// `Encryption`.
    package static func make(_ data: Data?) throws(Realm.Error) -> EncryptionKey? {
        guard let data else { return nil }
        guard data.count == 32 || data.count == 64 else {
            throw Realm.Error(
                .invalidInput, "An encryption key has 32 or 64 bytes, not \(data.count).")
        }
        #if Encryption
            return EncryptionKey(Array(data), AESCipherSuite())
        #else
            throw Realm.Error(
                .invalidInput,
                "This program can't use encrypted realms: enable the trait Encryption where it "
                    + "depends on the package regnum.")
        #endif
    }
}
