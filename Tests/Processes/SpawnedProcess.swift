import Foundation
import Glibc
import RegnumTestSupport

/// A newly started process, with the driver's ends of its standard streams, which no other child
/// inherits. It starts with the default signal actions and no blocked signals.
struct SpawnedProcess {
    let pid: pid_t
    let input: Int32
    let output: Int32
    let errors: Int32

    init(_ path: String, _ arguments: [String]) throws {
        let input = try Self.pipe()
        let output = try Self.pipe()
        let errors = try Self.pipe()
        defer { for end in [input[1], output[1], errors[1]] { close(end) } }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input[1], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        let argumentPointers = ([path] + arguments).map { strdup($0) } + [nil]
        let environmentPointers = environment.map { strdup($0) } + [nil]
        defer { for pointer in argumentPointers + environmentPointers { free(pointer) } }
        var pid: pid_t = 0
        let result = posix_spawn(
            &pid, path, &actions, &attributes, argumentPointers, environmentPointers)
        guard result == 0 else {
            for end in [input[0], output[0], errors[0]] { close(end) }
            throw ChildFailure("Cannot start \(path): \(String(cString: strerror(result)))")
        }
        self.pid = pid
        self.input = input[0]
        self.output = output[0]
        self.errors = errors[0]
    }

    /// Returns the two ends of a stream. Uses sockets, since these can be created close-on-exec
    /// atomically, even if another process is started concurrently, and writing to a child that has
    /// exited raises no signal.
    private static func pipe() throws -> [Int32] {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw ChildFailure("Cannot make a pipe: \(String(cString: strerror(errno)))")
        }
        return ends
    }
}
