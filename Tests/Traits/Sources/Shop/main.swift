import Foundation
import Logging
import Regnum
import RegnumService
import RegnumWorkers
import ServiceLifecycle
import UnixSignals

final class Order: Object {
    @Persisted(primaryKey: true) var number: Int
}

final class Mail: Job {
    @Persisted var recipient: String
}

let logger = Logger(label: "shop")
var configuration = Realm.Configuration(location: .file(URL(filePath: "shop.realm")))
configuration.objectTypes = [Order.self, Mail.self] + Workers.models
let realm = try await Realm.open(configuration)
try await realm.write { tx in
    try tx.enqueue(Mail(value: ["recipient": "ann@example.org"]))
}

let group = ServiceGroup(
    services: [
        RealmService(realm),
        RealmMetrics(realm),
        JobService(JobQueue(of: Mail.self, in: realm)) { run in
            logger.info("sending a mail to \(run.job.recipient)")
        },
        ConsumerService(Order.self, as: "index", in: realm) { batch in
            logger.info("indexing \(batch.inserted.count) orders")
        },
        // and the server
    ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
try await group.run()
