import ChatKit
import Foundation

/// The terminal behind a file descriptor.
struct Terminal {
    let descriptor: CInt

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// The number of columns of the window; 80 if unknown.
    var columns: Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Turns off echo and line editing, so that each key is delivered at once; Ctrl-C remains a
    /// signal. Returns the previous settings, or `nil` if there is no terminal.
    func makeRaw() -> termios? {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return nil }
        let before = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        settings.c_iflag &= ~tcflag_t(ICRNL)
        tcsetattr(descriptor, TCSADRAIN, &settings)
        return before
    }

    func restore(_ settings: termios) {
        var settings = settings
        tcsetattr(descriptor, TCSADRAIN, &settings)
    }
}

/// A progress bar on standard error if that is a terminal; otherwise nothing.
struct TerminalProgress {
    private let bar: ProgressBar?

    init(total: Int) {
        let terminal = Terminal(descriptor: STDERR_FILENO)
        bar = terminal.isTerminal ? ProgressBar(total: total, columns: terminal.columns) : nil
    }

    func show(done: Int) {
        guard let bar else { return }
        write(LineEditor.eraseLine + bar.line(done: done))
    }

    func end() {
        if bar != nil { write("\n") }
    }

    private func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
