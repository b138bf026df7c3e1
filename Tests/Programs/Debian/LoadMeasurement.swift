import Foundation
import Regnum

/// The cost of loading an index and querying it.
struct LoadMeasurement: Codable {
    var packages = 0
    var dependencies = 0
    var dependents = 0
    /// Reading and parsing the file.
    var parsingSeconds = 0.0
    /// The transaction, until it is durable.
    var writingSeconds = 0.0
    /// The processor time of both, in all threads.
    var loadingProcessorSeconds = 0.0
    /// The query, confined and frozen.
    var confinedSeconds = 0.0
    var frozenSeconds = 0.0
    /// Opening the closed realm again, and one read.
    var openingSeconds = 0.0
    /// The peak resident size of the process so far, after each step. Mapped files count.
    var parsedByteCount = 0
    var loadedByteCount = 0
    var peakByteCount = 0
    var fileByteCount = 0

    init(ofIndex file: String, realm directory: String) async throws {
        let clock = ContinuousClock()
        var start = clock.now
        func lap() -> Double {
            defer { start = clock.now }
            return start.duration(to: clock.now) / .seconds(1)
        }

        var configuration = Realm.Configuration(location: .file(URL(filePath: directory)))
        configuration.objectTypes = [Package.self, Dependency.self]
        let index = try PackageIndex(IndexFile.contents(ofFile: file))
        parsingSeconds = lap()
        parsedByteCount = try Self.peakMemory()
        let realm = try await Realm.open(configuration)
        try await realm.load(index)
        writingSeconds = lap()
        loadingProcessorSeconds = Self.processorSeconds()
        loadedByteCount = try Self.peakMemory()
        packages = index.underestimatedCount
        dependencies = index.reduce(0) { $0 + $1.requirements.count }

        start = clock.now
        let confined = try await realm.read { tx in
            let package = tx.object(Package.self, forPrimaryKey: "libc6")
            return package.map { RegnumDebian.dependents(of: $0) } ?? []
        }
        confinedSeconds = lap()
        let package = realm.snapshot().object(Package.self, forPrimaryKey: "libc6")
        let frozen = package.map { RegnumDebian.dependents(of: $0) } ?? []
        frozenSeconds = lap()
        guard confined == frozen else {
            throw IndexFailure("The confined and the frozen result differ.")
        }
        dependents = frozen.count
        await realm.close()

        start = clock.now
        let again = try await Realm.open(configuration)
        guard again.snapshot().object(Package.self, forPrimaryKey: "libc6")?.name == package?.name
        else { throw IndexFailure("The reopened realm has different content.") }
        openingSeconds = lap()
        await again.close()
        peakByteCount = try Self.peakMemory()
        fileByteCount = try Self.size(ofDirectory: directory)
    }

    /// Returns the peak resident size of this process so far, in bytes.
    private static func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let line, let size = line.split(whereSeparator: \.isWhitespace).dropFirst().first,
            let kibibytes = Int(size)
        else { throw IndexFailure("/proc/self/status does not contain the peak memory.") }
        return kibibytes * 1_024
    }

    /// Returns the processor time of this process so far, all threads together.
    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func size(ofDirectory path: String) throws -> Int {
        let files = FileManager.default
        return try files.subpathsOfDirectory(atPath: path).reduce(0) { sum, name in
            let attributes = try files.attributesOfItem(atPath: path + "/" + name)
            return sum + (attributes[.size] as? Int ?? 0)
        }
    }
}
