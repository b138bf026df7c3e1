internal import CLibuv

/// A libuv handle in memory of its own. Confined to the loop thread.
///
/// libuv keeps a pointer to the memory until the close callback, so the handle holds a reference to
/// itself from `init` to that callback.
class LoopHandle {
    fileprivate let memory: UnsafeMutableRawPointer

    fileprivate init<Handle>(of type: Handle.Type) {
        let pointer = UnsafeMutablePointer<Handle>.allocate(capacity: 1)
        memory = UnsafeMutableRawPointer(pointer)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Handle>.size)
    }

    fileprivate func adopt() {
        uv_handle_set_data(handle, Unmanaged.passRetained(self).toOpaque())
    }

    fileprivate var handle: UnsafeMutablePointer<uv_handle_t> {
        memory.assumingMemoryBound(to: uv_handle_t.self)
    }

    fileprivate static func owner(of handle: UnsafeMutableRawPointer?) -> LoopHandle? {
        guard let handle,
            let data = uv_handle_get_data(handle.assumingMemoryBound(to: uv_handle_t.self))
        else { return nil }
        return Unmanaged<LoopHandle>.fromOpaque(data).takeUnretainedValue()
    }

    /// Ends the handle: no callback of it runs after this call.
    final func close() {
        guard uv_is_closing(handle) == 0 else { return }
        uv_close(handle) { closed in
            guard let data = uv_handle_get_data(closed) else { return }
            Unmanaged<LoopHandle>.fromOpaque(data).release()
        }
    }

    deinit { memory.deallocate() }
}

/// Hints when the file `fileName` of a directory is written.
final class DirectoryWatch: LoopHandle {
    private let fileName: String
    private let hint: @Sendable () -> Void

    /// Starts the watch. Throws what libuv reports, after closing the handle again.
    init(
        loop: UnsafeMutablePointer<uv_loop_t>, path: String, fileName: String,
        hint: @escaping @Sendable () -> Void
    ) throws(WatchError) {
        self.fileName = fileName
        self.hint = hint
        super.init(of: uv_fs_event_t.self)
        let event = memory.assumingMemoryBound(to: uv_fs_event_t.self)
        var status = uv_fs_event_init(loop, event)
        // Not yet known to the loop: nothing to close.
        guard status == 0 else { throw WatchError(status: status, path: path) }
        adopt()
        let callback: uv_fs_event_cb = { event, name, _, _ in
            guard let watch = LoopHandle.owner(of: event) as? DirectoryWatch,
                DirectoryWatch.concerns(name, watch.fileName)
            else { return }
            watch.hint()
        }
        // The file itself, not its directory: each write to a neighbour would wake the loop thread,
        // and the log is written for every commit (Docs/Decisions/005-watch-the-lock-file.md).
        status = uv_fs_event_start(event, callback, path + "/" + fileName, 0)
        guard status == 0 else {
            close()
            throw WatchError(status: status, path: path)
        }
    }

    /// Whether an event may concern our file: one without a name may.
    static func concerns(_ name: UnsafePointer<CChar>?, _ fileName: String) -> Bool {
        name.map { String(cString: $0) == fileName } ?? true
    }
}

/// Fires again and again until it is closed.
final class IntervalTimer: LoopHandle {
    private let fire: @Sendable () -> Void

    init(
        loop: UnsafeMutablePointer<uv_loop_t>, intervalMilliseconds: UInt64,
        fire: @escaping @Sendable () -> Void
    ) {
        self.fire = fire
        super.init(of: uv_timer_t.self)
        let timer = memory.assumingMemoryBound(to: uv_timer_t.self)
        // Neither call can fail: a timer needs nothing from the system.
        uv_timer_init(loop, timer)
        adopt()
        uv_timer_start(
            timer, { (LoopHandle.owner(of: $0) as? IntervalTimer)?.fire() }, intervalMilliseconds,
            intervalMilliseconds)
    }
}
