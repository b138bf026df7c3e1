#if Encryption
    internal import Crypto
    internal import FoundationEssentials
    internal import RegnumStore

    /// AES-256-GCM, implemented by swift-crypto (`Docs/Decisions/070-encryption.md`).
    struct AESCipherSuite: CipherSuite {
        func wrappingCipher(_ key: [UInt8]) -> any Cipher {
            AESCipher(
                key: HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: key),
                    info: Array("Regnum 1: keys of files".utf8), outputByteCount: 32))
        }

        func fileCipher(_ key: [UInt8]) -> any Cipher {
            AESCipher(key: SymmetricKey(data: key))
        }
    }

    private struct AESCipher: Cipher {
        let key: SymmetricKey

        func seal(
            _ bytes: UnsafeRawBufferPointer, nonce: [UInt8], authenticating data: [UInt8]
        ) -> [UInt8] {
            guard let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.seal(bytes, using: key, nonce: nonce, authenticating: data)
            else { preconditionFailure("AES-GCM can't encrypt \(bytes.count) bytes.") }
            var sealed: [UInt8] = []
            sealed.reserveCapacity(bytes.count + EncryptionKey.tagByteCount)
            sealed.append(contentsOf: box.ciphertext)
            sealed.append(contentsOf: box.tag)
            return sealed
        }

        func open(
            _ sealed: UnsafeRawBufferPointer, nonce: [UInt8], authenticating data: [UInt8]
        ) -> [UInt8]? {
            let count = sealed.count - EncryptionKey.tagByteCount
            guard count >= 0, let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: UnsafeRawBufferPointer(rebasing: sealed[..<count]),
                    tag: UnsafeRawBufferPointer(rebasing: sealed[count...])),
                let content = try? AES.GCM.open(box, using: key, authenticating: data)
            else { return nil }
            return Array(content)
        }
    }
#endif
