import RegnumSimulation
import RegnumStore

@testable import EngineOracle
@testable import RegnumEngine

/// A hub without a coordinator: the test decides when commits are published and processed.
final class HubFixture {
    let hub: CommitHub
    /// The newest published root, on which the next commit is made.
    private(set) var head: DatabaseRoot

    init(maximumByteCount: Int = 16 << 20, maximumQueueByteCount: Int = 16 << 20) throws {
        head = try ChatFixture.makeRoot()
        hub = CommitHub(
            head, maximumByteCount: maximumByteCount, maximumQueueByteCount: maximumQueueByteCount)
    }

    func subscribe(_ interest: Interest, buffering: BufferingPolicy = .merged) -> Subscription {
        hub.subscribe(buffering) { _ in interest }
    }

    /// Publishes a commit without processing it.
    @discardableResult
    func publish(
        origin: String? = nil, _ body: (EngineTransaction) throws -> Void
    ) throws -> Commit {
        let commit = try ChatFixture.commit(on: head, origin: origin, body)
        head = commit.root
        _ = hub.publish(commit.root, [.commit(commit.summary, commit.root)])
        return commit
    }

    /// Publishes and processes a commit.
    @discardableResult
    func commit(
        origin: String? = nil, _ body: (EngineTransaction) throws -> Void
    ) throws -> Commit {
        let commit = try publish(origin: origin, body)
        hub.process()
        return commit
    }

    /// Publishes the same content in a different tree, as after a reload.
    func move() throws {
        let old = head
        let copy = DatabaseRoot(
            version: old.version, content: old.content, stamp: old.content.context.store.nextStamp()
        )
        head = copy
        _ = hub.publish(copy, [.moved(copy)])
    }

    /// Publishes a commit without a summary of its changes, as after a gap in the log.
    func leap(_ body: (EngineTransaction) throws -> Void) throws {
        let commit = try ChatFixture.commit(on: head, body)
        head = commit.root
        _ = hub.publish(commit.root, [.gap(commit.root)])
    }
}
