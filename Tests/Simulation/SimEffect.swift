package import RegnumStore
import RegnumTestSupport

/// The calls that the simulation counts and can let fail.
package enum EffectKind: String, Sendable, CaseIterable {
    // Effects: they change what a crash leaves behind, and `onEffect` is told of each.
    case makeDirectory, create, write, sync, rename, unlink, syncDirectory, storeControl, wake
    // Calls that change nothing on the disk.
    case openDirectory, open, names, size, read, map, lock

    /// Whether the call changes the disk, the control page or what others are told.
    package var isEffect: Bool {
        switch self {
        case .openDirectory, .open, .names, .size, .read, .map, .lock: false
        default: true
        }
    }
}

/// A call that is to fail. `storeControl` cannot; a `wake` that fails is lost silently.
package struct SimFailure: Sendable {
    /// How often the failure happens.
    package enum Times: Sendable { case once, forever }

    /// The kind of call, or nil for every kind that can fail.
    package var kind: EffectKind?
    /// Which call of that kind fails, counted from `inject`: 1 is the next one.
    package var nth: Int
    /// The code of the error that is thrown.
    package var code: StoreError.Code
    /// The number of the system's error, where it is to be one of those.
    package var errno: Int32?
    /// `.forever`: the nth call and all later ones of the kind.
    package var times: Times
    /// `write` only: how many bytes (at most) are written before the error.
    package var writtenByteCount: Int
    /// `sync` of a file only: the dirty data are marked clean, as Linux does. A later sync succeeds
    /// without writing them, a crash may have lost them, `dropCaches()` makes reads show it.
    package var losesDirtyData: Bool
    /// How many calls of the kind there were since `inject`.
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
