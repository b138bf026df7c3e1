import FoundationEssentials
import Glibc
import Regnum

/// Posts a message and forks. The forked child stops the parent, which may still sync or prepare
/// files, reads the realm and tries to write to it; prints what it got, and whether the files are
/// as they were. Then the parent writes again.
///
/// A forked child has only the thread that forked. It can run async code as long as that neither
/// suspends nor changes the executor, which reading and a refused write don't.
func forkAndWrite(_ path: String) async throws {
    StandardInput.exitAtEnd()
    let realm = try await Realm.child(path)
    try await realm.write { tx in _ = try tx.post(room: "general", author: "parent", text: "1") }
    // Swift doesn't import `fork`.
    guard let symbol = dlsym(nil, "fork") else { return printError("fork is not available") }
    let child = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
    if child == 0 {
        alarm(300)  // ends the child if it waits for something that never happens
        let parent = getppid()
        kill(parent, SIGSTOP)
        while try !isStopped(parent) { sched_yield() }
        let before = try contents(path)
        await attempt("write") {
            try await realm.write { tx in
                printLine("body")
                _ = try tx.post(room: "general", author: "child", text: "2")
            }
        }
        await attempt("snapshot after writing") {
            _ = try await realm.snapshot(afterWriting: { tx in
                _ = try tx.post(room: "general", author: "child", text: "3")
            })
        }
        let messages = realm.snapshot().objects(Message.self)
        printLine("snapshot \(messages.map(\.text))")
        printLine(try contents(path) == before ? "files unchanged" : "files changed")
        kill(parent, SIGCONT)
        _exit(0)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    printLine("child ended with \(status)")
    try await realm.write { tx in _ = try tx.post(room: "general", author: "parent", text: "4") }
    printLine("snapshot \(realm.snapshot().objects(Message.self).map(\.text))")
    await realm.close()
}

/// Returns whether all threads of a process are stopped.
private func isStopped(_ process: pid_t) throws -> Bool {
    let tasks = "/proc/\(process)/task"
    return try FileManager.default.contentsOfDirectory(atPath: tasks).allSatisfy { task in
        // A thread may end in the meantime.
        guard let data = try? Data(contentsOf: URL(filePath: "\(tasks)/\(task)/stat")) else {
            return false
        }
        // The state is the field after the name, which is in parentheses.
        let state = String(decoding: data, as: UTF8.self).split(separator: ")").last
        return state?.first { $0 != " " } == "T"
    }
}

private func attempt(_ name: String, _ body: () async throws -> Void) async {
    do {
        try await body()
        printLine("\(name) done")
    } catch let error as Realm.Error {
        printLine("\(name) \(error.code)")
    } catch {
        printLine("\(name) \(error)")
    }
}

/// Returns the bytes of the files in a directory, by name.
private func contents(_ path: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        contents[name] = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
    }
    return contents
}
