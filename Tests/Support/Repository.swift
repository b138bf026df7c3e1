package import Foundation

/// The repository from which the running tests were built.
package enum Repository {
    /// The directory that contains `Package.swift`.
    package static let root = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in
        path.deletingLastPathComponent()
    }

    /// The directory next to the repository, with data and documents that aren't part of it.
    package static let shared = root.appending(path: "../shared").standardizedFileURL
}
