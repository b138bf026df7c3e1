import BenchmarkKit
import Foundation

/// The filled stores of a run: one per engine, created when a workload first needs it and shared by
/// all workloads that only read. Workloads that modify a store copy it.
actor Stock {
    private struct Key: Hashable {
        var engine: Engine
        var isIndexed: Bool
    }

    private let directory: URL
    private let objectCount: Int
    private let batch: Int?
    private var filled: [Key: URL] = [:]
    private var opened: [Key: any PeopleStore] = [:]
    private var directoryCount = 0

    init(_ directory: URL, objectCount: Int, batch: Int?) {
        self.directory = directory
        self.objectCount = objectCount
        self.batch = batch
    }

    /// Returns a new, not yet existing directory for a store.
    func newDirectory(_ engine: Engine) -> URL {
        directoryCount += 1
        return directory.appending(path: "\(engine.rawValue)-\(directoryCount)")
    }

    /// Whether there is a store of the engine.
    func has(_ engine: Engine) -> Bool { filled[Key(engine: engine, isIndexed: false)] != nil }

    /// Adopts a closed store, filled as `store` would fill it.
    func adopt(_ engine: Engine, at place: URL) {
        filled[Key(engine: engine, isIndexed: false)] = place
    }

    /// Returns the open store, for reading only.
    func store(_ engine: Engine, isIndexed: Bool = false) async throws -> any PeopleStore {
        let key = Key(engine: engine, isIndexed: isIndexed)
        if let store = opened[key] { return store }
        let place = try await place(of: key)
        let store = try await engine.open(in: place, StoreOptions(isIndexed: isIndexed))
        opened[key] = store
        return store
    }

    /// Returns the directory of the closed store, with its content on disk.
    func closed(_ engine: Engine) async throws -> URL {
        let key = Key(engine: engine, isIndexed: false)
        if let store = opened.removeValue(forKey: key) { try await store.close() }
        return try await place(of: key)
    }

    /// Returns a closed copy of the store.
    func copy(_ engine: Engine) async throws -> URL {
        let source = try await closed(engine)
        let target = newDirectory(engine)
        try FileManager.default.copyItem(at: source, to: target)
        try syncFiles(below: target)
        return target
    }

    /// Closes everything.
    func close() async throws {
        for store in opened.values { try await store.close() }
        opened = [:]
    }

    private func place(of key: Key) async throws -> URL {
        if let place = filled[key] { return place }
        let place = key.isIndexed ? try await makeIndexed(key.engine) : newDirectory(key.engine)
        if !key.isIndexed { try await fill(key.engine, place, isIndexed: false) }
        filled[key] = place
        return place
    }

    /// Creates the indexed store. Regnum is filled with the index, the peers get it afterwards.
    private func makeIndexed(_ engine: Engine) async throws -> URL {
        if engine.isRegnum {
            let place = newDirectory(engine)
            try await fill(engine, place, isIndexed: true)
            return place
        }
        let place = try await copy(engine)
        let store = try await engine.open(in: place, StoreOptions())
        try await store.buildAgeIndex()
        try await store.close()
        return place
    }

    private func fill(_ engine: Engine, _ place: URL, isIndexed: Bool) async throws {
        let options = StoreOptions(isIndexed: isIndexed, batch: batch)
        let store = try await engine.open(in: place, options)
        try await store.insert(0..<objectCount, People.person)
        try await store.close()
    }
}
