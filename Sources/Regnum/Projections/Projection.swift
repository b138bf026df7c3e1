internal import RegnumEngine

/// The base class of view models: a class that shows chosen properties of a model, under names of its
/// own. A *class projection*.
///
///     class PersonProjection: Projection<Person> {
///         @Projected(\Person.firstName) var firstName
///         @Projected(\Person.address?.city) var homeCity
///         @Projected(\Person.friends.projectTo.firstName) var names: ProjectedCollection<String>
///     }
///
/// It is used wherever its model is read, in all three views:
///
///     tx.objects(PersonProjection.self)           // confined: reads and assignments go to the person
///     snapshot.objects(PersonProjection.self)     // FrozenResults of Frozen<PersonProjection>
///     realm.objects(PersonProjection.self).changes    // told only of what the projection names
///     PersonProjection(projecting: Person())      // a person that is in no realm will do
///
/// A projection is stored nowhere: a property of a model cannot hold one. Two projections of one class
/// are equal if they project the same object. A subclass that declares initialisers of its own has to
/// declare both that are required.
open class Projection<Root: ObjectBase>: ObjectBase {
    /// The object that is projected.
    public final let rootObject: Root

    /// The projection of an object, managed or not.
    public required init(projecting object: Root) {
        rootObject = object
        super.init()
    }

    /// The projection of a new unmanaged object.
    public required init() {
        rootObject = Root()
        super.init()
    }

    override var _storedObject: ObjectBase { rootObject._storedObject }

    override class var _storedType: ObjectBase.Type { Root._storedType }
}

/// What all classes derived from ``Projection`` are, for generic code.
///
/// The library conforms ``Projection``; do not conform types of your own.
public protocol ClassProjection<Root>: ObjectBase {
    /// The class of the objects that are projected.
    associatedtype Root: ObjectBase
    /// The object that is projected.
    var rootObject: Root { get }
    /// The projection of an object.
    init(projecting object: Root)
}

extension Projection: ClassProjection {}

extension ClassBinding {
    /// The projection of an accessor of a row, if `type` is one.
    @inline(never)
    func projection<T: ObjectBase>(_ type: T.Type, row: ObjectKey) -> T? {
        func make<P: ClassProjection>(_ type: P.Type) -> ObjectBase {
            P(projecting: accessor(P.Root.self, row: row))
        }
        return (type as? any ClassProjection.Type).flatMap { make($0) as? T }
    }
}

extension ReadTracer {
    /// The projection of a new recorder, if `type` is one.
    func projection<T: ObjectBase>(_ type: T.Type) -> T? {
        func make<P: ClassProjection>(_ type: P.Type) -> ObjectBase {
            P(projecting: recorder(P.Root.self))
        }
        return (type as? any ClassProjection.Type).flatMap { make($0) as? T }
    }
}
