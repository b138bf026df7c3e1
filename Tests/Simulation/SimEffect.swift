package import RegnumStore
import RegnumTestSupport

/// The calls that the simulation counts and can make fail.
package enum EffectKind: String, Sendable, CaseIterable {
    // Effects: they change what a crash leaves behind, and each is reported to `onEffect`.
    case makeDirectory, create, write, sync, rename, unlink, syncDirectory, storeControl, syncLock
    case wake
    // Calls that change nothing on disk.
    case openDirectory, open, names, size, read, map, lock

    /// Whether the call changes the disk, the control page or what other processes are notified of.
    package var isEffect: Bool {
        switch self {
        case .openDirectory, .open, .names, .size, .read, .map, .lock: false
        default: true
        }
    }
}

/// A planned failure of a call. `storeControl` can't fail; a failing `wake` is lost silently.
package struct SimFailure: Sendable {
    /// The frequency of the failure.
    package enum Times: Sendable { case once, forever }

    /// The kind of call, or `nil` for every kind that can fail.
    package var kind: EffectKind?
    /// Which call of that kind fails, counted from `inject`; 1 is the next one.
    package var nth: Int
    /// The code of the error that is thrown.
    package var code: StoreError.Code
    /// The `errno` of the error, if it is to have one.
    package var errno: Int32?
    /// `.forever` fails the nth call and all later ones of the kind.
    package var times: Times
    /// Only for `write`: the maximum number of bytes written before the error.
    package var writtenByteCount: Int
    /// Only for `sync` of a file: dirty data are marked clean, as on Linux. A later sync succeeds
    /// without writing them, a crash may lose them, and after `dropCaches()` reads show the loss.
    package var losesDirtyData: Bool
    /// The number of calls of the kind since `inject`.
    var seen = 0

    package init(
        _ kind: EffectKind?, nth: Int = 1, code: StoreError.Code = .ioFailed,
        errno: Int32? = nil, times: Times = .once, writtenByteCount: Int = 0,
        losesDirtyData: Bool = false
    ) {
        self.kind = kind
        self.nth = nth
        self.code = code
        self.errno = errno
        self.times = times
        self.writtenByteCount = writtenByteCount
        self.losesDirtyData = losesDirtyData
    }

    func error(_ call: EffectKind, _ path: String) -> StoreError {
        StoreError(
            code, "Injected failure of \(call.rawValue) on \"\(path)\".", path: path, errno: errno)
    }
}
