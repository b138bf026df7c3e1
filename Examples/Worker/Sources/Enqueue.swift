import ArgumentParser
import Foundation
import Regnum
import RegnumWorkers

struct Enqueue: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Adds a job for each PPM image in a folder, except those still waiting.")

    @ParentCommand var worker: Worker
    @Argument(help: "The folder with the images.") var folder: String
    @Option(help: ArgumentHelp("Draw this many images into the folder first.", valueName: "n"))
    var samples = 0
    @Option(help: ArgumentHelp("The width of the thumbnails.", valueName: "pixels"))
    var width = 64

    func validate() throws {
        try require(samples, 0...100_000, "--samples")
        try require(width, 1...10_000, "--width")
    }

    func run() async throws {
        let (folder, width) = (URL(filePath: folder), width)
        try drawSamples(in: folder)
        let names = try names(in: folder)
        try await worker.withRealm { realm in
            var newCount = 0
            // 20 jobs in one transaction
            for start in stride(from: 0, to: names.count, by: 20) {
                newCount += try await realm.write { tx in
                    try names[start...].prefix(20).count { name in
                        let source = folder.appending(path: "\(name).ppm").path
                        let job = Thumbnail(value: ["name": name, "source": source, "width": width])
                        return try tx.enqueue(job, uniqueKey: name).isNew
                    }
                }
            }
            let rest = names.count - newCount
            try printNow("Jobs added: \(newCount); already waiting or running: \(rest).\n")
        }
    }

    private func drawSamples(in folder: URL) throws {
        if samples > 0 { try createFolder(folder) }
        for number in 0..<samples {
            let file = folder.appending(path: "\(folder.lastPathComponent)-\(1_000 + number).ppm")
            try replace(file, with: Pixmap.sample(number, width: 320, height: 240).ppm)
        }
    }

    /// Returns the names of the images, without their extension.
    private func names(in folder: URL) throws -> [String] {
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            throw Failure("Can't read the folder \(folder.path).")
        }
        return files.filter { $0.hasSuffix(".ppm") }.map { String($0.dropLast(4)) }.sorted()
    }
}
