internal import RegnumEngine

/// A limited number of open realms, opened when they are needed and closed when they were idle for
/// a while: for services with a realm for each user or tenant.
///
///     let pool = RealmPool(maximumOpenCount: 200) { tenant in
///         Realm.Configuration(location: .file(folder.appending(path: "\(tenant).realm")))
///     }
///     let count = try await pool.withRealm("acme") { realm in
///         realm.snapshot().objects(Order.self).count
///     }
///
/// An open realm takes a few file descriptors, and memory for what isn't in its last checkpoint;
/// opening one reads what was committed after that checkpoint.
///
/// A pool closes its realms for every owner in the process, so use them only through the pool.
public actor RealmPool {
    private typealias Continuation = CheckedContinuation<Void, Never>
    private typealias Waiter = (number: UInt64, name: String, continuation: Continuation)

    /// A realm that is open, being opened or being closed.
    private final class Slot {
        /// `nil` while the realm is being opened.
        var realm: Realm?
        /// Why it couldn't be opened.
        var error: (any Error)?
        var isClosing = false
        /// The calls that use the realm or wait until it is open.
        var userCount = 0
        /// When the last of them left.
        var lastUse: UInt64 = 0
        /// The task that opens the realm.
        var opening: Task<Void, Never>?
        /// Closes the realm when it has been idle for long enough.
        var timer: Task<Void, Never>? { didSet { oldValue?.cancel() } }
        /// Those that wait until the realm is open, or closed, by their numbers.
        var waiters: [UInt64: Continuation] = [:]

        var isIdle: Bool { realm != nil && !isClosing && userCount == 0 }

        deinit { timer?.cancel() }
    }

    /// The maximum number of realms that are open at the same time.
    public nonisolated let maximumOpenCount: Int
    /// The time after which a realm that nobody uses is closed.
    public nonisolated let idleTime: Duration

    private let clock: any Clock<Duration>
    private let configuration: @Sendable (String) throws -> Realm.Configuration
    private var slots: [String: Slot] = [:]
    /// Those that wait until another realm can be opened, in the order in which they came.
    private var waiters: [Waiter] = []
    /// The numbers of those that were woken because they can open another realm now, and its name,
    /// until they do so or leave. Later calls must not take their places.
    private var granted: [UInt64: String] = [:]
    private var isClosed = false
    private var lastNumber: UInt64 = 0

    /// Creates a pool without open realms.
    ///
    /// - Parameters:
    ///   - maximumOpenCount: The maximum number of realms that are open at the same time, at least
    ///     1. Beyond that, the realm that has been idle for the longest time is closed; if none is
    ///     idle, ``withRealm(_:_:)`` waits.
    ///   - idleTime: The time after which a realm that nobody uses is closed.
    ///   - clock: The clock that measures this time.
    ///   - configuration: Returns the configuration of the realm with a name, and is called each
    ///     time that realm is opened. Different names must lead to different realms.
    public init(
        maximumOpenCount: Int = 100, idleTime: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock(),
        configuration: @escaping @Sendable (_ name: String) throws -> Realm.Configuration
    ) {
        self.maximumOpenCount = max(maximumOpenCount, 1)
        self.idleTime = idleTime
        self.clock = clock
        self.configuration = configuration
    }

    /// The number of realms that are open, or being opened or closed.
    public var openCount: Int { slots.count }

    /// Calls `body` with the realm of that name, opening it if necessary, and returns the result.
    ///
    /// The realm stays open until `body` returns, unless it or the pool is closed. Snapshots and
    /// frozen values remain valid after that; streams end when the pool closes the realm, so
    /// iterate over them in `body`. If the realm's files were moved, or commits of other processes
    /// can't be read, the next call closes it and opens it again. Don't nest calls with different
    /// names: if every open realm is in use by a call that waits for another realm, none of them
    /// can proceed.
    ///
    /// - Throws: `.closed` if the pool is closed; `CancellationError` if the task is cancelled
    ///   while it waits; the errors of the pool's `configuration`, of ``Realm/open(_:)`` and of
    ///   `body`.
    public nonisolated func withRealm<R>(
        _ name: String, _ body: (Realm) async throws -> R
    ) async throws -> R {
        let realm = try await enter(name)
        do {
            let result = try await body(realm)
            await leave(name, realm)
            return result
        } catch {
            await leave(name, realm)
            throw error
        }
    }

    /// Closes all realms of the pool, as ``Realm/close()`` does: streams end, and writes that have
    /// begun are finished. If a realm is being opened, that is cancelled, including a migration.
    /// Calls of ``withRealm(_:_:)`` that wait throw `.closed`, and so do later ones.
    public func close() async {
        isClosed = true
        for waiter in waiters { waiter.continuation.resume() }
        waiters = []
        for (name, slot) in slots where !slot.isClosing {
            if slot.realm == nil {
                slot.opening?.cancel()
                resumeWaiters(of: slot)
            } else {
                startClosing(slot, name)
            }
        }
        while let slot = slots.values.first {
            await withCheckedContinuation { slot.waiters[newNumber()] = $0 }
        }
    }

    // MARK: Using realms

    private func enter(_ name: String) async throws -> Realm {
        let number = newNumber()
        defer {
            granted[number] = nil
            serveWaiters()
        }
        while true {
            let isGranted = granted.removeValue(forKey: number) != nil
            try Task.checkCancellation()
            if isClosed { throw Realm.Error(.closed, "The pool of realms was closed.") }
            if let slot = slots[name] {
                serveWaiters()  // one of them can have the place that this one was granted
                if slot.isClosing {
                    await waitForChange(of: name, number)
                } else if let realm = try await realm(of: slot, name, number) {
                    return realm
                }
            } else if isGranted || hasRoom {
                let slot = Slot()
                slots[name] = slot
                slot.opening = Task { await self.open(name) }
                resumeWaiters(for: name)
            } else {
                await waitForChange(of: name, number)
            }
        }
    }

    /// Returns the realm once it is open, and counts the caller as a user. Returns `nil` if the
    /// realm was closed, or the caller shouldn't wait any longer.
    private func realm(of slot: Slot, _ name: String, _ number: UInt64) async throws -> Realm? {
        slot.userCount += 1
        slot.timer = nil
        while slot.realm == nil, slot.error == nil, !isClosed, !Task.isCancelled {
            await waitForChange(of: name, number)
        }
        if let realm = slot.realm, !slot.isClosing, realm.isUsable { return realm }
        if let error = slot.error, !isClosed { throw error }
        end(slot, name)
        return nil
    }

    private func leave(_ name: String, _ realm: Realm) {
        guard let slot = slots[name], slot.realm === realm else { return }
        end(slot, name)
    }

    /// Ends one use of a realm.
    private func end(_ slot: Slot, _ name: String) {
        slot.userCount -= 1
        settle(slot, name)
    }

    /// Closes the realm if it can't be used any longer. Starts the timer that closes it if it is
    /// idle.
    private func settle(_ slot: Slot, _ name: String) {
        if let realm = slot.realm, !realm.isUsable, !slot.isClosing {
            startClosing(slot, name)
        } else if slot.isIdle {
            let number = newNumber()
            slot.lastUse = number
            slot.timer = Task { [weak self, clock, idleTime] in
                do {
                    try await clock.sleep(for: min(idleTime, Deadline.maximumDuration))
                    await self?.closeIfIdle(name, since: number)
                } catch {}  // it is in use again
            }
        }
        serveWaiters()
    }

    // MARK: Opening and closing

    private func open(_ name: String) async {
        let outcome: Result<Realm, any Error>
        do {
            outcome = .success(try await Realm.open(configuration(name)))
        } catch {
            outcome = .failure(error)
        }
        // Nobody removes the slot of a realm that is being opened.
        guard let slot = slots[name] else { return }
        switch outcome {
        case .success(let realm):
            slot.realm = realm
            if isClosed {
                startClosing(slot, name)
            } else {
                settle(slot, name)  // nobody may be waiting for it any longer
            }
            resumeWaiters(of: slot)
        case .failure(let error):
            slot.error = error
            remove(slot, name)
        }
    }

    private func closeIfIdle(_ name: String, since number: UInt64) {
        guard let slot = slots[name], slot.isIdle, slot.lastUse == number else { return }
        startClosing(slot, name)
    }

    /// Closes a realm in a task of its own, because that can take longer than those who wait for it
    /// want to wait.
    private func startClosing(_ slot: Slot, _ name: String) {
        slot.isClosing = true
        slot.timer = nil
        Task {
            await slot.realm?.close()
            remove(slot, name)
        }
    }

    private func remove(_ slot: Slot, _ name: String) {
        if slots[name] === slot { slots[name] = nil }
        resumeWaiters(of: slot)
        serveWaiters()
    }

    private var longestIdle: (name: String, slot: Slot)? {
        let oldest = slots.lazy.filter { $0.value.isIdle }.min {
            $0.value.lastUse < $1.value.lastUse
        }
        return oldest.map { ($0.key, $0.value) }
    }

    // MARK: Waiting

    /// Waits until the realm is open or closed; if it is neither being opened nor closed, until it
    /// can be opened, or another call opens it. Waits at most until the task is cancelled.
    private func waitForChange(of name: String, _ number: UInt64) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Continuation) in
                if Task.isCancelled {
                    continuation.resume()
                } else if let slot = slots[name] {
                    slot.waiters[number] = continuation
                } else {
                    let index = waiters.firstIndex { $0.number > number } ?? waiters.endIndex
                    waiters.insert((number, name, continuation), at: index)
                    serveWaiters()
                }
            }
        } onCancel: {
            Task { await self.endWait(of: name, number) }
        }
    }

    private func endWait(of name: String, _ number: UInt64) {
        if let slot = slots[name] {
            slot.waiters.removeValue(forKey: number)?.resume()
        } else if let index = waiters.firstIndex(where: { $0.number == number }) {
            waiters.remove(at: index).continuation.resume()
        }
    }

    private func resumeWaiters(of slot: Slot) {
        let waiters = slot.waiters
        slot.waiters = [:]
        for continuation in waiters.values { continuation.resume() }
    }

    /// Wakes those that wait until they can open a realm that another call now opens.
    private func resumeWaiters(for name: String) {
        let sharing = waiters.filter { $0.name == name }
        if sharing.isEmpty { return }
        waiters.removeAll { $0.name == name }
        for waiter in sharing { waiter.continuation.resume() }
    }

    /// Whether another realm can be opened, in addition to those for which that was granted.
    private var hasRoom: Bool { slots.count + granted.count < maximumOpenCount }

    /// Wakes those that wait until another realm can be opened: the first for each of as many
    /// realms as can be opened now. For each of the other realms, closes an idle one.
    private func serveWaiters() {
        if waiters.isEmpty || (!hasRoom && longestIdle == nil) { return }
        var names = Set(granted.values)
        let firsts = waiters.filter { names.insert($0.name).inserted }
        let roomCount = max(maximumOpenCount - slots.count - granted.count, 0)
        for waiter in firsts.prefix(roomCount) {
            granted[waiter.number] = waiter.name
            waiter.continuation.resume()
        }
        waiters.removeAll { granted[$0.number] != nil }
        let closingCount = slots.values.count { $0.isClosing }
        for _ in 0..<max(firsts.count - roomCount - closingCount, 0) {
            guard let (name, slot) = longestIdle else { return }
            startClosing(slot, name)
        }
    }

    private func newNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}

extension Realm {
    /// Whether it is open, its files are where they were, and it can follow other processes.
    fileprivate nonisolated var isUsable: Bool {
        !isClosed && (try? core.coordinator.checkReadable()) != nil
    }
}
