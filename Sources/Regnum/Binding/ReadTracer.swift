internal import RegnumEngine
internal import RegnumStore

/// Records which properties are read from recorders, or from an object with a row, to find out what
/// a key path refers to. Used for a single evaluation, on objects private to it.
///
/// A link of a recorder returns another recorder as long as the reads form a *chain*: each one
/// reads a property of the newest recorder. Once the chain is broken, a path follows the same link
/// only once, and at most `Limits.maximumKeyPathLinkCount` links in total; after that, links return
/// `nil`, so that computations that follow links terminate.
///
/// If collections are followed, they aren't empty, so that computations can unwrap or subscript
/// what they find: a list, set, map or inverse of objects, and results, have one object, at any
/// position and for any key; a list of values has `valueCount` samples, a map of values one for any
/// key. Objects are found only once on each path, except by position. Collections of a projected
/// type are empty, because its conversion may not accept a sample.
final class ReadTracer {
    /// The reads in order, each the number of a recorder and the index of a property.
    private(set) var reads: [Read] = []
    /// Whether the reads form a chain.
    private(set) var isChain = true
    /// Whether the chain has more than the maximum number of links.
    private(set) var isTooLong = false
    /// The newest recorder.
    private(set) weak var newest: ObjectBase?
    /// The last collection of values that was read.
    private weak var values: AnyObject?
    /// The classes of the recorders, by number.
    private var schemas: [ClassSchema] = []
    /// The number of the read that led to each recorder; `nil` for the first one.
    private var origins: [Int?] = []
    private let probe: (read: Read, value: Value)?
    private let nilLink: Int?
    /// Whether the collections of a recorder have elements.
    let followsCollections: Bool
    /// The samples to use for properties whose types are stored as embedded objects.
    let round: Int

    /// The number of recorders after which links of branches return `nil`.
    private static let maximumRecorderCount = 256
    /// The number of reads after which a computation is assumed never to end on samples.
    private static let maximumReadCount = 100_000
    /// The number of values in a list of a recorder.
    static let valueCount = 16

    struct Read: Hashable {
        let recorder: Int
        let property: Int
    }

    /// - Parameters:
    ///   - probe: The value to return for one property. All others return their defaults.
    ///   - nilLink: The number of the read, of a link, that returns `nil`.
    ///   - followsCollections: Whether collections have elements.
    ///   - round: The samples to use for properties whose types are stored as embedded objects.
    init(
        probe: (read: Read, value: Value)? = nil, nilLink: Int? = nil,
        followsCollections: Bool = false, round: Int = 0
    ) {
        self.round = round
        self.probe = probe
        self.nilLink = nilLink
        self.followsCollections = followsCollections
    }

    /// The properties that were read, if the reads form a chain.
    var path: PropertyPath? {
        guard isChain, !reads.isEmpty else { return nil }
        return PropertyPath(
            properties: reads.map { schemas[$0.recorder].properties[$0.property] },
            first: reads[0].property)
    }

    /// The path of each read, including the links that led to its recorder.
    var paths: [PropertyPath] {
        var known: Set<Read> = []
        let numbers = reads.indices.filter { known.insert(reads[$0]).inserted }
        return numbers.map { propertyPath(to: $0) }
    }

    /// Returns the path of the last read of a recorder's property, or `nil` if it wasn't read.
    func path(of recorder: Int, _ property: Int) -> PropertyPath? {
        lastRead(of: recorder, property).map { propertyPath(to: $0) }
    }

    private func propertyPath(to number: Int) -> PropertyPath {
        let path = path(to: number)
        return PropertyPath(
            properties: path.map { schemas[$0.recorder].properties[$0.property] },
            first: path[0].property)
    }

    private func lastRead(of recorder: Int, _ property: Int) -> Int? {
        reads.lastIndex(of: Read(recorder: recorder, property: property))
    }

    /// Returns a read after those of the links that led to its recorder.
    private func path(to number: Int) -> [Read] {
        var path = [reads[number]]
        while let origin = origins[path[path.count - 1].recorder] { path.append(reads[origin]) }
        return path.reversed()
    }

    /// Creates a recorder: an instance of a class without a row, whose reads are recorded. For a
    /// projection, creates one that projects a recorder.
    ///
    /// - Parameter read: The number of the read that leads to it; `nil` for the last one.
    func recorder<T: ObjectBase>(_ type: T.Type, after read: Int? = nil) -> T {
        let schema = ClassSchema.of(type)
        if type != schema.type, let projection = projection(type) { return projection }
        let object = type.init()
        if let read, read != reads.count - 1 { isChain = false }
        schemas.append(schema)
        origins.append(read ?? reads.indices.last)
        ClassBinding(recording: schema, self, number: schemas.count - 1).attach(object, row: 0)
        newest = object
        return object
    }

    func note(_ recorder: Int, _ property: Int) {
        guard reads.count < ReadTracer.maximumReadCount || schemas.isEmpty else {
            fatalError(
                "A computed property of \(schemas[0].name) read more than "
                    + "\(ReadTracer.maximumReadCount) properties of the sample objects on which it "
                    + "is evaluated to find its dependencies: it must terminate for them, too.")
        }
        if recorder != reads.count { isChain = false }
        reads.append(Read(recorder: recorder, property: property))
    }

    /// Returns the value of a property that is being read.
    func value(_ recorder: Int, _ property: Int) -> Value {
        note(recorder, property)
        if let probe, probe.read == reads[reads.count - 1] { return probe.value }
        return schemas[recorder].properties[property].defaultValue
    }

    /// Records the read of a link and returns its target.
    func link<T: ObjectBase>(_ type: T.Type, _ recorder: Int, _ property: Int) -> T? {
        note(recorder, property)
        guard isChain && canFollowLink || isBranch, reads.count - 1 != nilLink else { return nil }
        return self.recorder(type)
    }

    /// Whether the last read leads to another recorder although the reads don't form a chain.
    private var isBranch: Bool {
        schemas.count < ReadTracer.maximumRecorderCount && leadsOn(reads.count - 1)
    }

    /// Returns whether the read may lead to another recorder: its path is short enough and hasn't
    /// gone through the same property before.
    private func leadsOn(_ read: Int) -> Bool {
        let path = path(to: read)
        guard let last = path.last, path.count <= Limits.maximumKeyPathLinkCount else {
            return false
        }
        return !path.dropLast().contains { read in
            read.property == last.property && schemas[read.recorder] === schemas[last.recorder]
        }
    }

    /// Whether the last read can lead to another recorder.
    private var canFollowLink: Bool {
        if reads.count > Limits.maximumKeyPathLinkCount { isTooLong = true }
        return !isTooLong
    }

    // MARK: Collections

    /// Records the collection that the read of a collection of values returns.
    func note(values: AnyObject) { self.values = values }

    /// Returns whether a value is the collection that the last read returned, not a copy of it.
    func isLastRead(_ value: Any?) -> Bool {
        guard let collection = value as? any UnmanagedCollection else { return false }
        guard let list = collection.managed else { return collection === values }
        return list.binding.tracer === self
            && reads.last == Read(recorder: list.binding.recorder, property: list.property)
    }

    /// Returns an element of a recorder's list, set, map or inverse; `nil` if collections aren't
    /// followed. Traps if too many links lead to it, because a subscript can't return `nil`.
    func element<T: ObjectBase>(_ type: T.Type, of recorder: Int, _ property: Int) -> T? {
        guard followsCollections, let read = lastRead(of: recorder, property) else { return nil }
        guard path(to: read).count <= Limits.maximumKeyPathLinkCount else {
            fatalError(
                "A key path of \(schemas[0].name) follows more than "
                    + "\(Limits.maximumKeyPathLinkCount) links, the maximum. A computed property "
                    + "must check the count before it uses the elements of "
                    + "\(schemas[recorder].name).\(schemas[recorder].properties[property].name).")
        }
        return self.recorder(type, after: read)
    }

    /// Returns the number of elements of a recorder's list, set, map or inverse of objects.
    func elementCount(of recorder: Int, _ property: Int) -> Int {
        guard followsCollections, schemas.count < ReadTracer.maximumRecorderCount,
            let read = lastRead(of: recorder, property), leadsOn(read)
        else { return 0 }
        return 1
    }

    // MARK: Queries

    /// Records the reads of all stored properties of a collection's objects, because a query may
    /// read any of them.
    ///
    /// - Returns: The number of the recorder of the objects; `nil` if the collection is empty.
    func noteElements<T: ObjectBase>(_ type: T.Type, of recorder: Int, _ property: Int) -> Int? {
        guard elementCount(of: recorder, property) > 0,
            let read = lastRead(of: recorder, property)
        else { return nil }
        return noteObject(type, after: read)
    }

    /// Records the reads of all stored properties of the objects that a query's hops reach from a
    /// recorder's objects.
    func noteObjects(along hops: Set<Hop>, from number: Int) {
        let schema = schemas[number]
        for (index, property) in schema.properties.enumerated() {
            guard let type = property.shape.objectType,
                let hop = schema.hopsToObjects(through: property).first, hops.contains(hop)
            else { continue }
            note(number, index)
            let read = reads.count - 1
            guard schemas.count < ReadTracer.maximumRecorderCount, leadsOn(read) else { continue }
            noteObjects(along: hops, from: noteObject(type, after: read))
        }
    }

    private func noteObject<T: ObjectBase>(_ type: T.Type, after read: Int) -> Int {
        _ = recorder(type, after: read)
        let number = schemas.count - 1
        let properties = schemas[number].properties
        for index in properties.indices where properties[index].isStored { note(number, index) }
        return number
    }
}
