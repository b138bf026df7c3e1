internal import RegnumEngine

/// Notes which properties of recorders, or of the object of a row, are read, so that a key path can be
/// told from what it reads. Used by one call, on objects private to it.
///
/// A link of a recorder leads to another recorder as long as what is read is a *chain*: each read is
/// one of the newest recorder. After a read that is not, and after `linkCountMax` links, links are
/// nil, so that a computation that follows links ends.
final class ReadTracer {
    /// The longest chain of links.
    static let linkCountMax = 16

    /// What was read, in order: the number of the recorder and the position of the property.
    private(set) var reads: [Read] = []
    /// Whether the reads are a chain.
    private(set) var isChain = true
    /// The newest recorder.
    private(set) weak var newest: ObjectBase?
    /// The classes of the recorders, by number.
    private var schemas: [ClassSchema] = []
    private let probe: (read: Read, value: Value)?
    private let nilLink: Int?
    /// Whether an element of a list or inverse of a recorder is another recorder, whatever its
    /// position; else they are empty.
    let followsCollections: Bool
    /// Which samples properties have that are made of embedded objects.
    let round: Int

    struct Read: Equatable {
        let recorder: Int
        let property: Int
    }

    /// - Parameters:
    ///   - probe: the value of one property; others have their defaults.
    ///   - nilLink: the number of the read, a link, that gives nil.
    ///   - followsCollections: whether key paths lead through elements of lists and inverses.
    ///   - round: which samples properties have that are made of embedded objects.
    init(
        probe: (read: Read, value: Value)? = nil, nilLink: Int? = nil,
        followsCollections: Bool = false, round: Int = 0
    ) {
        self.round = round
        self.probe = probe
        self.nilLink = nilLink
        self.followsCollections = followsCollections
    }

    /// The properties that were read, if the reads are a chain.
    var path: PropertyPath? {
        guard isChain, !reads.isEmpty else { return nil }
        return PropertyPath(
            reads.map { schemas[$0.recorder].properties[$0.property] }, first: reads[0].property)
    }

    /// Each read, with the links that led to its recorder.
    var paths: [PropertyPath] {
        reads.map { read in
            // the recorder of a number was made by that many reads, a chain
            let chain = reads[..<read.recorder] + [read]
            return PropertyPath(
                chain.map { schemas[$0.recorder].properties[$0.property] },
                first: chain[0].property)
        }
    }

    /// A new recorder: an instance of a class without a row, whose reads are noted. Of a projection one
    /// that projects a recorder.
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

    /// The value of a property that is being read.
    func value(_ recorder: Int, _ property: Int) -> Value {
        note(recorder, property)
        if let probe, probe.read == reads[reads.count - 1] { return probe.value }
        return schemas[recorder].properties[property].defaultValue
    }

    /// What a link that is being read leads to.
    func link<T: ObjectBase>(_ type: T.Type, _ recorder: Int, _ property: Int) -> T? {
        note(recorder, property)
        guard isChain, reads.count <= Self.linkCountMax, reads.count - 1 != nilLink else {
            return nil
        }
        return self.recorder(type)
    }

    /// An element of the list or inverse that was read last; nil if those are empty.
    func element<T: ObjectBase>(_ type: T.Type) -> T? {
        guard followsCollections, isChain, reads.count <= Self.linkCountMax else { return nil }
        return self.recorder(type)
    }
}
