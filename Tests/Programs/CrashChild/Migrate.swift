import Regnum

/// Migrates a realm to the classes of the later program. Prints "in block" when the block begins,
/// and the number of messages once the realm is open.
func migrate(_ path: String) async throws {
    StandardInput.exitAtEnd()
    var configuration = Later.configuration(path)
    configuration.migration = { migration, oldVersion in
        printLine("in block")
        try Later.migration(migration, oldVersion)
    }
    let realm = try await Realm.open(configuration)
    printLine("\(realm.snapshot().objects(Later.Message.self).count) messages")
    await realm.close()
}

/// Opens a realm with the classes of the later program, deleting it if it has the earlier ones, and
/// creates a room.
func replace(_ path: String, room: String) async throws {
    var configuration = Later.configuration(path)
    configuration.deleteRealmIfMigrationNeeded = true
    let realm = try await Realm.open(configuration)
    try await realm.write { tx in try tx.create(Later.Room.self, value: ["name": room]) }
    await realm.close()
}
