import ArgumentParser
import Foundation
import Regnum

/// The observer of `ExternalObserver`: prints "ready", then, after it has seen the last version, a
/// line "version nanoseconds" for each change set. Nothing is printed in between, since that would
/// affect the measurement.
struct Observe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    @Argument var realm: String
    @Option var until: UInt64

    func run() async throws {
        Thread.detachNewThread {
            _ = try? FileHandle.standardInput.readToEnd()
            Self.exit(withError: Failure("The measuring process has exited."))
        }
        let opened = try await RegnumStore.open(URL(filePath: realm))
        let sightings = try await observe(opened)
        print(sightings.map { "\($0.version) \($0.nanoseconds)" }.joined(separator: "\n"))
        await opened.close()
    }

    @concurrent
    private func observe(_ realm: Realm) async throws -> [Sighting] {
        var sightings: [Sighting] = []
        sightings.reserveCapacity(4_096)
        for try await change in realm.objects(Person.self).changes {
            switch change {
            case .initial:
                print(ObserverProcess.readyLine)
                fflush(nil)
            case .update(_, let delta):
                let time = monotonicNanoseconds()
                sightings.append(Sighting(version: delta.version, nanoseconds: time))
                if delta.version >= until { return sightings }
            }
        }
        return sightings
    }
}
