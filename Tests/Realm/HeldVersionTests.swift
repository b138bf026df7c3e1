import Foundation
import Glibc
import Regnum
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The socket at which other processes ask for the versions that a process holds.
@Suite struct HeldVersionTests {
    /// Another process may have the name, for example one with the same id in another container.
    @Test func socketThatCouldNotBeOpenedIsTriedAgain() async {
        // in a process of its own, which has one socket
        await #expect(processExitsWith: .exitCode(7)) {
            let folder = try RealmFolder()
            func isAnswering() async -> Bool {
                await ProcessSocket.ask(
                    [UInt32(getpid())], "held-versions", timeoutNanoseconds: 60_000_000_000
                )[0] != nil
            }
            var realms: [Realm] = []
            func open(_ names: String...) async throws {
                for name in names {
                    realms.append(try await Realm.open(folder.configuration(name)))
                }
            }
            let taken = ProcessSocket.listen("held-versions")
            // watching the files of the second one begins after the attempt of the first one
            try await open("a", "b")
            close(taken)
            let isMissing = await !isAnswering()
            try await open("c", "d")
            let isThere = await isAnswering()
            for realm in realms { await realm.close() }
            try FileManager.default.removeItem(at: folder.url)
            exit(taken >= 0 && isMissing && isThere ? 7 : 8)
        }
    }
}
