internal import RegnumEngine
internal import RegnumStore

/// Records which properties are read from recorders, or from an object with a row, to find out what
/// a key path refers to. Used for a single evaluation, on objects private to it.
///
/// A link of a recorder returns another recorder as long as the reads form a *chain*: each one
/// reads a property of the newest recorder. Once the chain is broken or has more than
/// `Limits.keyPathLinkCountMax` links, links return `nil`, so that computations that follow links
/// terminate.
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
    private let probe: (read: Read, value: Value)?
    private let nilLink: Int?
    /// Whether lists and inverses of a recorder return another recorder at every index.
    /// Otherwise they are empty.
    let followsCollections: Bool
    /// The samples to use for properties whose types are stored as embedded objects.
    let round: Int

    struct Read: Equatable {
        let recorder: Int
        let property: Int
    }

    /// - Parameters:
    ///   - probe: The value to return for one property. All others return their defaults.
    ///   - nilLink: The number of the read, of a link, that returns `nil`.
    ///   - followsCollections: Whether key paths may go through elements of lists and inverses.
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
        reads.map { read in
            // Recorder n was created by the first n reads, which form a chain.
            let chain = reads[..<read.recorder] + [read]
            return PropertyPath(
                properties: chain.map { schemas[$0.recorder].properties[$0.property] },
                first: chain[0].property)
        }
    }

    /// Creates a recorder: an instance of a class without a row, whose reads are recorded. For a
    /// projection, creates one that projects a recorder.
    func recorder<T: ObjectBase>(_ type: T.Type) -> T {
        let schema = ClassSchema.of(type)
        if type != schema.type, let projection = projection(type) { return projection }
        let object = type.init()
        for (index, property) in schema.properties.enumerated() {
            object.bindField(at: property.offset, to: Int32(index))
        }
        schemas.append(schema)
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
        guard isChain, canFollowLink, reads.count - 1 != nilLink else { return nil }
        return self.recorder(type)
    }

    /// Whether the last read can lead to another recorder.
    private var canFollowLink: Bool {
        if reads.count > Limits.keyPathLinkCountMax { isTooLong = true }
        return !isTooLong
    }

    /// Returns an element of the list or inverse that was last read; `nil` if it is empty.
    func element<T: ObjectBase>(_ type: T.Type) -> T? {
        guard followsCollections, isChain else { return nil }
        guard canFollowLink else {  // a subscript of a key path can't return nil
            fatalError(
                "A key path of \(schemas[0].name) follows more than \(Limits.keyPathLinkCountMax) "
                    + "links, the maximum.")
        }
        return self.recorder(type)
    }
}
