import Foundation
import Regnum
import RegnumWorkers

/// The job of scaling an image down.
final class Thumbnail: Job {
    /// The name of the file to write, without its extension. A job always writes the same file with
    /// the same contents, so running it again does no harm.
    @Persisted var name: String
    /// The path of the image.
    @Persisted var source: String
    @Persisted var width: Int
}

extension Frozen<Thumbnail> {
    /// Returns the file to write.
    func file(in folder: URL) -> URL { folder.appending(path: "\(self.name).ppm") }

    /// Reads the image.
    func image() async throws -> Pixmap {
        let path = self.source
        return try await blocking {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw Failure("Can't read \(path).")
            }
            return try Pixmap(ppm: Array(data))
        }
    }
}
