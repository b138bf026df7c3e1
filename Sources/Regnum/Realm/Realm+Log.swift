internal import Logging
internal import RegnumEngine
internal import RegnumStore

extension Logger {
    /// Logs an event of the coordinator: normal work at `debug`, failures at `warning` and `error`.
    func log(_ event: CoordinatorEvent, realm: String) {
        let metadata: Logger.Metadata = ["realm": "\(realm)"]
        switch event {
        case .opened(let report):
            let version: Logger.Metadata = ["version": "\(report.version)"]
            log(Realm.Recovery(report), "opened", metadata.merging(version) { $1 })
        case .recovered(let report): log(Realm.Recovery(report), "recovered", metadata)
        case .closed: debug("closed", metadata: metadata)
        case .waiting(let notice): warning("\(notice.message)", metadata: metadata)
        case .writingFailed(let failure):
            error("writing failed: \(Realm.Error(failure))", metadata: metadata)
        case .checkpointFailed(let failure):
            warning("a checkpoint failed: \(Realm.Error(failure))", metadata: metadata)
        case .damageFound(let damage):
            error(
                "damage was found: \(IntegrityReport.Damage(Realm.Error(damage)))",
                metadata: metadata)
        case .scrubbed(let findings):
            debug(
                "scrubbed: \(findings.byteCount) bytes, \(findings.damages.count) damaged places",
                metadata: metadata)
        case .scrubFailed(let failure):
            warning("the files couldn't be scrubbed: \(Realm.Error(failure))", metadata: metadata)
        case .followingDelayed(let failure):
            warning(
                "another process's commits cannot be read yet: \(Realm.Error(failure))",
                metadata: metadata)
        case .followingFailed(let failure):
            error(
                "another process's commits cannot be read: \(Realm.Error(failure))",
                metadata: metadata)
        }
    }

    private func log(_ recovery: Realm.Recovery, _ event: String, _ metadata: Logger.Metadata) {
        guard !recovery.isClean else { return debug("\(event)", metadata: metadata) }
        let level: Level = recovery.isLossy ? .warning : .notice
        log(level: level, "\(event): \(recovery)", metadata: metadata)
    }
}
