internal import RegnumEngine
internal import RegnumStore

/// Records which properties are read from recorders, or from an object with a row, to find out what
/// a key path refers to. Used for a single evaluation, on objects private to it.
///
/// A link of a recorder returns another recorder as long as the reads form a *chain*: each one
/// reads a property of the newest recorder. Once the chain is broken, a link leads on only once on
/// each path, and after more than `Limits.maximumKeyPathLinkCount` links, links return `nil`, so
/// that computations that follow links terminate.
final class ReadTracer {
    /// The reads in order, each the number of a recorder and the index of a property.
    private(set) var reads: [Read] = []
    /// Whether the reads form a chain.
    private(set) var isChain = true
    /// Whether the chain has more than the maximum number of links.
    private(set) var isTooLong = false
    /// The newest recorder.
    private(set) weak var newest: ObjectBase?
    /// The classes of the recorders, by number.
    private var schemas: [ClassSchema] = []
    /// The number of the read that led to each recorder; `nil` for the first one.
    private var origins: [Int?] = []
    private let probe: (read: Read, value: Value)?
    private let nilLink: Int?
    /// Whether lists and inverses of a recorder return another recorder at every index, although
    /// they are empty.
    let followsCollections: Bool
    /// Whether lists, sets and inverses of a recorder have one element, once on each path.
    private let hasElements: Bool
    /// The samples to use for properties whose types are stored as embedded objects.
    let round: Int

    /// With more recorders than this, links of branches return `nil`.
    private static let maximumRecorderCount = 256

    struct Read: Equatable {
        let recorder: Int
        let property: Int
    }

    /// - Parameters:
    ///   - probe: The value to return for one property. All others return their defaults.
    ///   - nilLink: The number of the read, of a link, that returns `nil`.
    ///   - followsCollections: Whether key paths may go through elements of lists and inverses.
    ///   - hasElements: Whether lists, sets and inverses have one element.
    ///   - round: The samples to use for properties whose types are stored as embedded objects.
    init(
        probe: (read: Read, value: Value)? = nil, nilLink: Int? = nil,
        followsCollections: Bool = false, hasElements: Bool = false, round: Int = 0
    ) {
        self.round = round
        self.probe = probe
        self.nilLink = nilLink
        self.followsCollections = followsCollections
        self.hasElements = hasElements
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
        reads.indices.map { number in
            let path = path(to: number)
            return PropertyPath(
                properties: path.map { schemas[$0.recorder].properties[$0.property] },
                first: path[0].property)
        }
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
        for (index, property) in schema.properties.enumerated() {
            object.bindField(at: property.offset, to: Int32(index))
        }
        schemas.append(schema)
        origins.append(read ?? reads.indices.last)
        ClassBinding(recording: schema, self, number: schemas.count - 1).attach(object, row: 0)
        newest = object
        return object
    }

    func note(_ recorder: Int, _ property: Int) {
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

    /// Whether the path to a read is short enough and hasn't led through the same property before.
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

    /// Returns an element of a recorder's list, set or inverse; `nil` if it is empty.
    func element<T: ObjectBase>(
        _ type: T.Type, of recorder: Int, _ property: Int, at position: Int
    ) -> T? {
        if hasElements {
            guard position == 0, let read = branch(recorder, property) else { return nil }
            return self.recorder(type, after: read)
        }
        guard followsCollections, isChain else { return nil }
        guard canFollowLink else {  // a subscript of a key path can't return nil
            fatalError(
                "A key path of \(schemas[0].name) follows more than "
                    + "\(Limits.maximumKeyPathLinkCount) links, the maximum.")
        }
        return self.recorder(type)
    }

    /// Returns the number of elements of a recorder's list, set or inverse.
    func elementCount(of recorder: Int, _ property: Int) -> Int {
        guard hasElements, schemas.count < ReadTracer.maximumRecorderCount else { return 0 }
        if case .map = schemas[recorder].properties[property].shape { return 0 }
        return branch(recorder, property) == nil ? 0 : 1
    }

    /// Records the reads of all stored properties of a collection's objects, because a query may
    /// read any of them.
    func noteElements<T: ObjectBase>(_ type: T.Type, of recorder: Int, _ property: Int) {
        guard hasElements, element(type, of: recorder, property, at: 0) != nil else { return }
        let number = schemas.count - 1
        let properties = schemas[number].properties
        for index in properties.indices where properties[index].isStored { note(number, index) }
    }

    /// Returns the last read of a collection if it leads to an object.
    private func branch(_ recorder: Int, _ property: Int) -> Int? {
        // a value may not be convertible from an object with default values
        guard !schemas[recorder].properties[property].isProjected,
            let read = reads.lastIndex(of: Read(recorder: recorder, property: property))
        else { return nil }
        return leadsOn(read) ? read : nil
    }
}
