internal import Glibc

/// Runs a call that writes to a pipe. If nobody reads the pipe, returns `-EPIPE`, without the
/// SIGPIPE that would end a process that doesn't handle it.
///
/// The signal's disposition belongs to the program and isn't changed: the signal is blocked for the
/// calling thread and consumed, unless one was already pending.
func writingToPipe(_ write: () -> Int) -> Int {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    var pending = sigset_t()
    sigpending(&pending)
    if sigismember(&pending, SIGPIPE) == 1 { return write() }  // so the thread blocks it
    var outer = sigset_t()
    pthread_sigmask(SIG_BLOCK, &signals, &outer)
    defer { pthread_sigmask(SIG_SETMASK, &outer, nil) }
    let result = write()
    if result == -Int(EPIPE) {
        var noTime = timespec()
        _ = repeated { sigtimedwait(&signals, nil, &noTime) }
    }
    return result
}
