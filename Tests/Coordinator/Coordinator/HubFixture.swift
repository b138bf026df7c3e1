import RegnumSimulation
import RegnumStore

@testable import EngineOracle
@testable import RegnumEngine

/// A hub without a coordinator: commits are published and looked at when the test says so.
final class HubFixture {
    let hub: CommitHub
    /// What the next commit is made on: the newest published root.
    private(set) var head: DatabaseRoot

    init(byteCountMax: Int = 16 << 20, queueByteCountMax: Int = 16 << 20) throws {
        head = try ChatFixture.makeRoot()
        hub = CommitHub(head, byteCountMax: byteCountMax, queueByteCountMax: queueByteCountMax)
    }

    func subscribe(_ interest: Interest, keeps: Keeps = .merged) -> Subscription {
        hub.subscribe(keeps) { _ in interest }
    }

    /// Publishes a commit; nobody has looked at it.
    @discardableResult
    func publish(
        origin: String? = nil, _ body: (EngineTransaction) throws -> Void
    ) throws -> Commit {
        let commit = try ChatFixture.commit(on: head, origin: origin, body)
        head = commit.root
        _ = hub.publish(commit.root, [.commit(commit.summary, commit.root)])
        return commit
    }

    /// Publishes a commit and looks at it.
    @discardableResult
    func commit(
        origin: String? = nil, _ body: (EngineTransaction) throws -> Void
    ) throws -> Commit {
        let commit = try publish(origin: origin, body)
        hub.look()
        return commit
    }

    /// Publishes the same content in another tree, as after a reload.
    func move() throws {
        let old = head
        let copy = DatabaseRoot(
            version: old.version, content: old.content, stamp: old.content.context.store.nextStamp()
        )
        head = copy
        _ = hub.publish(copy, [.moved(copy)])
    }

    /// Publishes a commit without telling what it changed, as after a gap in the log.
    func leap(_ body: (EngineTransaction) throws -> Void) throws {
        let commit = try ChatFixture.commit(on: head, body)
        head = commit.root
        _ = hub.publish(commit.root, [.gap(commit.root)])
    }
}
