internal import RegnumStore

/// Reloading: switching to a newer checkpoint releases the memory of everything that is in its
/// nodes file. The checkpoint is loaded, and the log since then replayed, into a new lineage,
/// concurrently with everything else. Turns then wait until the last few commits are replayed and
/// the new root has replaced the published one.
extension Coordinator {
    /// Starts a job that loads the checkpoint and replays the log. A pump step.
    func beginReload(_ lease: consuming LogLease, _ reference: CheckpointReference) {
        let log = lease.log
        let replay = log.replay(from: reference)
        let nodes = log.nodes
        let end = log.durableEnd
        let seed = published.content.context.seed
        let schema = published.schema
        let (isHealing, healed) = release(lease) {
            ($0.checkpoint.isHealing, $0.checkpoint.healedDamage)
        }
        let damaged = isHealing ? published : nil
        let known = isHealing ? nil : published.damagedImages
        IOPool.shared.submitLong {
            self.continueReload(reference) { () throws(StoreError) in
                let root = try CheckpointLoader.load(
                    reference, from: nodes, seed: seed, knownSchema: schema,
                    acceptsDamage: known?.offsets.isEmpty == false)
                // The only leaf of an index is read at once. The current tree may have it too.
                if let damage = root.damage {
                    guard damage.isPermanentDamage, let known, root.isDamaged(onlyIn: known)
                    else { throw damage }
                }
                // Another process may have made it without reading the damaged image. The next one
                // of this process has the content. (The same as in `IncomingCommits.begin`.)
                if !isHealing, let healed, root.refers(to: healed) {
                    throw Self.knownDamage(reference, nodes)
                }
                let reloaded = ReloadedRoot(
                    reference, IncomingCommits(root, nodes, keepsSteps: false), replay)
                try reloaded.read(through: max(end, reference.position))
                if let damaged, reloaded.incoming.root.hasSameDamage(as: damaged) {
                    throw self.sharedDamage(damaged)
                }
                return reloaded
            }
        }
    }

    /// Reloads from the older checkpoint and the log since then after damage was found in the tree
    /// (`DatabaseRoot.damage`). Returns immediately; data read earlier is unaffected.
    ///
    /// This helps if the damaged leaf was written by the newest checkpoint, which is then
    /// skipped. Older leaves are shared by both, so reloading wouldn't change anything.
    package func heal() {
        let runsPump = state.withLock { $0.phase == .open ? $0.claimPump() : false }
        if runsPump { startPump() }
    }

    /// Starts a job that replays what has been committed since. A pump step that does not use the
    /// log.
    func startReplay(_ reloaded: ReloadedRoot, through end: LogPosition) {
        IOPool.shared.submitLong {
            self.continueReload(reloaded.reference) { () throws(StoreError) in
                try reloaded.read(through: end)
                return reloaded
            }
        }
    }

    static func knownDamage(
        _ reference: CheckpointReference, _ nodes: NodesDirectory
    ) -> StoreError {
        let path = nodes.path(ofFile: reference.file)
        return StoreError(
            .invalidDatabase,
            "The checkpoint of version \(reference.version) refers to an image in \(path) that was "
                + "found damaged before.", path: path)
    }

    private func sharedDamage(_ root: DatabaseRoot) -> StoreError {
        var error =
            root.content.context.source?.permanentDamage ?? StoreError(.invalidDatabase, "")
        error.message =
            "The older checkpoint has the same damage. \(error.message) \(StoreError.advice)"
        return error
    }

    private func continueReload(
        _ reference: CheckpointReference, _ body: () throws(StoreError) -> ReloadedRoot
    ) {
        do throws(StoreError) {
            let reloaded = try body()
            wakePump { if $0.phase == .open { $0.checkpoint.reload = .near(reloaded) } }
        } catch {
            abandonReload(reference, error)
        }
    }

    /// Keeps the current tree.
    ///
    /// - Parameter error: What went wrong; `nil` if another process has yet to sync its commits.
    private func abandonReload(_ reference: CheckpointReference, _ error: StoreError?) {
        let next = wakePump { state in  // for the retry
            state.failReload(reference, error, options.checkpoint)
            return state.nextTurn(options.store)
        }
        next?.resume()
        // A newer checkpoint in the meantime isn't a failure.
        if let error, error.code != .historyTrimmed { options.report(.checkpointFailed(error)) }
    }

    /// Replaces the published root with the reloaded one of the same version. A pump step that
    /// requires that no turn is taken and nothing is staged.
    func swap(_ lease: consuming LogLease, _ reloaded: ReloadedRoot) {
        let log = lease.log
        makeDurable(lease)
        let old = published
        do throws(StoreError) {
            guard log.durableEnd >= log.position else {
                release(lease)
                return abandonReload(reloaded.reference, nil)
            }
            try reloaded.read(through: log.position)
            if let damage = reloaded.incoming.root.inheritedDamage {
                release(lease)
                return abandonReload(reloaded.reference, damage)
            }
            guard reloaded.incoming.root.version == old.version else {
                throw StoreError(
                    .invalidDatabase,
                    "The checkpoint of version \(reloaded.reference.version) and the log of "
                        + "\(log.path) lead to version \(reloaded.incoming.root.version), not "
                        + "\(old.version).", path: log.path)
            }
        } catch {
            release(lease)
            return abandonReload(reloaded.reference, error)
        }
        let root = reloaded.incoming.root
        selfCheck.release()
        publish(root, [.moved(root)])
        let (isHealed, damaged) = state.withLock {
            ($0.checkpoint.isHealing, $0.checkpoint.damagedVersion)
        }
        // The next checkpoint then keeps the intact one as its predecessor, not the damaged one.
        if isHealed, let damaged { log.skipCheckpoint(of: damaged) }
        let next = release(lease) { state in
            if isHealed { state.checkpoint.healedDamage = old.damagedImages }
            state.head = root
            state.checkpoint.baseVersion = reloaded.reference.version
            state.checkpoint.reload = .none
            state.checkpoint.isHealing = false
            state.checkpoint.reloadRetry = nil
            state.statistics.reloads += 1
            return state.nextTurn(options.store)
        }
        next?.resume()
        // Freeing a whole tree takes time. Streams of unchanged classes also switch to the new tree
        // and release the old one.
        IOPool.shared.submitLong {
            withExtendedLifetime(old) {}
            self.hub.process()
        }
    }
}
