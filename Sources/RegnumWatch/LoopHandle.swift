internal import CLibuv

/// A libuv handle with its own memory. Confined to the loop thread.
///
/// libuv keeps a pointer to the memory until the close callback, so the handle retains itself from
/// `init` to that callback.
class LoopHandle {
    let memory: UnsafeMutableRawPointer

    init<Handle>(of type: Handle.Type) {
        let pointer = UnsafeMutablePointer<Handle>.allocate(capacity: 1)
        memory = UnsafeMutableRawPointer(pointer)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Handle>.size)
    }

    final func adopt() {
        uv_handle_set_data(handle, Unmanaged.passRetained(self).toOpaque())
    }

    fileprivate var handle: UnsafeMutablePointer<uv_handle_t> {
        memory.assumingMemoryBound(to: uv_handle_t.self)
    }

    static func owner(of handle: UnsafeMutableRawPointer?) -> LoopHandle? {
        guard let handle,
            let data = uv_handle_get_data(handle.assumingMemoryBound(to: uv_handle_t.self))
        else { return nil }
        return Unmanaged<LoopHandle>.fromOpaque(data).takeUnretainedValue()
    }

    /// Closes the handle. None of its callbacks runs after this call.
    func close() {
        guard uv_is_closing(handle) == 0 else { return }
        uv_close(handle) { closed in
            guard let data = uv_handle_get_data(closed) else { return }
            Unmanaged<LoopHandle>.fromOpaque(data).release()
        }
    }

    deinit { memory.deallocate() }
}

/// A watch that calls a closure when the file `fileName` of a directory is written.
final class DirectoryWatch: LoopHandle {
    private let fileName: String
    private let hint: @Sendable () -> Void

    /// Starts the watch. Throws libuv's error after closing the handle.
    init(
        loop: UnsafeMutablePointer<uv_loop_t>, path: String, fileName: String,
        hint: @escaping @Sendable () -> Void
    ) throws(WatchError) {
        self.fileName = fileName
        self.hint = hint
        super.init(of: uv_fs_event_t.self)
        let event = memory.assumingMemoryBound(to: uv_fs_event_t.self)
        var status = uv_fs_event_init(loop, event)
        // The loop doesn't know the handle yet, so there is nothing to close.
        guard status == 0 else { throw WatchError(status: status, path: path) }
        adopt()
        let callback: uv_fs_event_cb = { event, name, _, _ in
            guard let watch = LoopHandle.owner(of: event) as? DirectoryWatch,
                DirectoryWatch.concerns(name, watch.fileName)
            else { return }
            watch.hint()
        }
        // Watches the file instead of its directory: every write to another file would wake the
        // loop thread, and the log is written for every commit
        // (Docs/Decisions/005-watch-the-lock-file.md).
        status = uv_fs_event_start(event, callback, path + "/" + fileName, 0)
        guard status == 0 else {
            close()
            throw WatchError(status: status, path: path)
        }
    }

    /// Returns whether an event may be for the watched file. Events without a name may be.
    static func concerns(_ name: UnsafePointer<CChar>?, _ fileName: String) -> Bool {
        name.map { String(cString: $0) == fileName } ?? true
    }
}

/// A repeating timer, which fires until it is closed.
final class IntervalTimer: LoopHandle {
    private let fire: () -> Void

    init(
        loop: UnsafeMutablePointer<uv_loop_t>, intervalMilliseconds: UInt64,
        fire: @escaping () -> Void
    ) {
        self.fire = fire
        super.init(of: uv_timer_t.self)
        let timer = memory.assumingMemoryBound(to: uv_timer_t.self)
        // Neither call can fail, since a timer needs no system resources.
        uv_timer_init(loop, timer)
        adopt()
        uv_timer_start(
            timer, { (LoopHandle.owner(of: $0) as? IntervalTimer)?.fire() }, intervalMilliseconds,
            intervalMilliseconds)
    }
}
