package import Foundation

/// The repository that the running tests were built from.
package enum Repository {
    /// The folder of `Package.swift`.
    package static let root = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in
        path.deletingLastPathComponent()
    }

    /// The folder beside the repository with the data and documents that are not part of it.
    package static let shared = root.appending(path: "../shared").standardizedFileURL
}
