import ArgumentParser
import Foundation
import Glibc
import Regnum

/// Runs a command and reports its error as a message on standard error and an exit code. An exit
/// code that it throws has no message.
func reportingFailures(_ body: () async throws -> Void) async throws {
    // A closed pipe is reported as an error of `write`.
    signal(SIGPIPE, SIG_IGN)
    do {
        try await body()
    } catch let code as ExitCode {
        throw code
    } catch is OutputStream.Closed {
        throw ExitCode(141)
    } catch let error as Realm.Error {
        try? OutputStream.errors.write("regnum: \(error.message)\n")
        throw ExitCode(exitCode(error.code))
    } catch {
        try? OutputStream.errors.write("regnum: \(error)\n")
        throw ExitCode(70)
    }
}

/// Returns the exit code, as in `sysexits.h`.
private func exitCode(_ code: Realm.Error.Code) -> Int32 {
    switch code {
    case .invalidQuery: 64
    case .fileNotFound, .historyTrimmed: 66
    case .filePermissionDenied: 77
    case .fileExists, .fileAccess: 73
    case .ioFailed, .diskFull, .outcomeUnknown: 74
    case .busy, .alreadyOpen: 75
    case .invalidInput, .invalidValue, .duplicatePrimaryKey, .schemaMismatch, .unsupportedFormat,
        .invalidDatabase, .keyRequired, .wrongKey, .notEncrypted:
        65
    default: 70
    }
}

/// Returns the URL of a path. `URL` would take an empty path for the current directory.
func url(_ path: String) throws -> URL {
    guard !path.isEmpty else { throw ValidationError("The path is empty.") }
    return URL(filePath: path)
}

/// Opens a realm read-only: nothing in its directory changes.
func openForReading(_ url: URL, _ option: KeyOption) async throws -> Realm {
    var configuration = Realm.Configuration(location: .file(url))
    configuration.readOnly = true
    configuration.encryptionKey = try option.key()
    configuration.formerEncryptionKeys = try option.formerKeys()
    return try await Realm.open(configuration, adoptsSchemaVersion: true)
}
