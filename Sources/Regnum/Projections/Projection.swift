internal import RegnumEngine

/// The base class of class projections: view models that expose selected properties of a model,
/// under names of their own.
///
///     class PersonProjection: Projection<Person> {
///         @Projected(\Person.firstName) var firstName
///         @Projected(\Person.address?.city) var homeCity
///         @Projected(\Person.friends.projectTo.firstName) var names: ProjectedCollection<String>
///     }
///
/// A projection can be used wherever its model is read, in all three views:
///
///     tx.objects(PersonProjection.self)           // accesses the person directly
///     snapshot.objects(PersonProjection.self)     // FrozenResults of Frozen<PersonProjection>
///     realm.objects(PersonProjection.self).changes    // reports changes to exposed properties
///     PersonProjection(projecting: Person())      // unmanaged objects work too
///
/// A computed property is evaluated once on a sample object to determine its dependencies. The
/// values of the sample are defaults (`nil` for optionals), its links lead to further samples, and
/// its collections and queries have elements. So a computed property may use `boss!`,
/// `scores.max()!`, `tags[0]`, `prices["EUR"]!` and `friends.where { … }.first!` if its objects
/// always have these. Everything else must be unwrapped with `?`, `??` or `guard`, because a trap
/// on the sample can't be caught: optional values, a link that the path has already followed (as in
/// `boss?.boss`), the result of a search by content such as `friends.first { $0.age > 60 }`,
/// conversions, and elements of a projected type.
///
/// Streams follow the properties that are read from the sample. A property that is read only for
/// other values, such as the name in `friends.first { $0.isBest }?.name`, isn't followed: expose it
/// as well, or create the stream with a key path to it.
///
/// Projections are not stored, so a property of a model cannot hold one. Two projections of the
/// same class are equal if they project the same object. A subclass that declares its own
/// initializers must declare both required ones.
open class Projection<Root: ObjectBase>: ObjectBase {
    /// The projected object.
    public final let rootObject: Root

    /// Creates a projection of a managed or unmanaged object.
    public required init(projecting object: Root) {
        rootObject = object
        super.init()
    }

    /// Creates a projection of a new, unmanaged object.
    public required init() {
        rootObject = Root()
        super.init()
    }

    override var _storedObject: ObjectBase { rootObject._storedObject }

    override class var _storedType: ObjectBase.Type { Root._storedType }
}

/// A class derived from ``Projection``, for use in generic code.
///
/// Implemented by ``Projection``; do not conform your own types.
public protocol ClassProjection<Root>: ObjectBase {
    /// The class of the projected objects.
    associatedtype Root: ObjectBase
    /// The projected object.
    var rootObject: Root { get }
    /// Creates a projection of an object.
    init(projecting object: Root)
}

extension Projection: ClassProjection {}

extension ClassBinding {
    /// Returns a projection of an accessor of the row, if `type` is a projection.
    @inline(never)
    func projection<T: ObjectBase>(_ type: T.Type, row: ObjectKey) -> T? {
        func make<P: ClassProjection>(_ type: P.Type) -> ObjectBase {
            P(projecting: accessor(P.Root.self, row: row))
        }
        return (type as? any ClassProjection.Type).flatMap { make($0) as? T }
    }
}

extension ReadTracer {
    /// Returns a projection of a new recorder, if `type` is a projection.
    func projection<T: ObjectBase>(_ type: T.Type) -> T? {
        func make<P: ClassProjection>(_ type: P.Type) -> ObjectBase {
            P(projecting: recorder(P.Root.self))
        }
        return (type as? any ClassProjection.Type).flatMap { make($0) as? T }
    }
}
