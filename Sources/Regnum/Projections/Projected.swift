/// Marks a property of a ``Projection`` as one of the object that it projects.
///
///     @Projected(\Person.firstName) var firstName                  // as it is
///     @Projected(\Person.lastName) var familyName                  // under another name
///     @Projected(\Person.address?.city) var homeCity               // of a linked or embedded object
///     @Projected(\Person.fullName) var fullName                    // computed of stored properties
///     @Projected(\Person.friends.projectTo.firstName) var names: ProjectedCollection<String>
///
/// What the class does not name it does not show, and streams of the class do not tell of. The key path
/// has to lead to something that is stored: see ``Projection``.
@propertyWrapper
public struct Projected<Root: ObjectBase, Value> {
    let keyPath: KeyPath<Root, Value>

    /// A property that shows what the key path leads to.
    public init(_ keyPath: KeyPath<Root, Value>) {
        self.keyPath = keyPath
    }

    /// Use the property through its projection: the wrapper alone has no value.
    @available(*, unavailable, message: "@Projected works only as a property of a Projection class")
    public var wrappedValue: Value {
        get { fatalError("@Projected works only as a property of a Projection class.") }
        // swift-format-ignore
        set { fatalError("@Projected works only as a property of a Projection class.") }
    }

    /// The value of the property of the projected object. The compiler calls this; you write
    /// `projection.name`.
    ///
    /// - Precondition: as for the property of the object itself; for an assignment also that the key
    ///   path can be written: `\.name` and `\.dog!.name` can, `\.dog?.name`, computed properties
    ///   without a setter and `projectTo` cannot.
    public static subscript<Enclosing: Projection<Root>>(
        _enclosingInstance projection: Enclosing,
        wrapped wrapped: ReferenceWritableKeyPath<Enclosing, Value>,
        storage storage: ReferenceWritableKeyPath<Enclosing, Self>
    ) -> Value {
        get { projection.rootObject[keyPath: projection[keyPath: storage].keyPath] }
        set {
            let keyPath = projection[keyPath: storage].keyPath
            guard let writable = keyPath as? ReferenceWritableKeyPath<Root, Value> else {
                trapReadOnly(projection, keyPath)
            }
            projection.rootObject[keyPath: writable] = newValue
        }
    }

    private static func trapReadOnly(_ projection: ObjectBase, _ keyPath: AnyKeyPath) -> Never {
        let schema = ProjectionSchema.of(type(of: projection))
        let property = schema?.properties.first {
            $0.field.keyPath(in: projection, at: $0.offset) == keyPath
        }
        fatalError(
            "\(type(of: projection)).\(property?.name ?? "property") was assigned to, but shows "
                + "\(property?.shown ?? "something") of \(Root.self), which can only be read: its key "
                + "path leads through `?`, or to something that is computed.")
    }
}

/// What the library knows of a `@Projected` wrapper without knowing its types.
protocol ProjectedField: SendableMetatype {
    /// The key path of a property of a projection.
    static func keyPath(in projection: ObjectBase, at offset: Int) -> AnyKeyPath
    /// The stored properties that the property of a projection shows or is computed of; none if nothing
    /// of it is stored.
    static func paths(in projection: ObjectBase, at offset: Int) -> [PropertyPath]
    /// Whether the property shows one stored property of the object as it is.
    static func isStoredProperty(in projection: ObjectBase, at offset: Int) -> Bool
    /// The value of the property.
    static func value(in projection: ObjectBase, at offset: Int) -> Any
}

extension Projected: ProjectedField {
    private static func keyPath(_ projection: ObjectBase, _ offset: Int) -> KeyPath<Root, Value> {
        projection.projectedField(at: offset, as: Self.self).keyPath
    }

    static func keyPath(in projection: ObjectBase, at offset: Int) -> AnyKeyPath {
        keyPath(projection, offset)
    }

    static func paths(in projection: ObjectBase, at offset: Int) -> [PropertyPath] {
        ClassSchema.of(Root.self).projectedPaths(keyPath(projection, offset))
    }

    static func isStoredProperty(in projection: ObjectBase, at offset: Int) -> Bool {
        ClassSchema.of(Root.self).observedPath(of: keyPath(projection, offset))?.properties.count
            == 1
    }

    static func value(in projection: ObjectBase, at offset: Int) -> Any {
        guard let object = (projection as? Projection<Root>)?.rootObject else {
            preconditionFailure("\(type(of: projection)) is no projection of \(Root.self).")
        }
        return object[keyPath: keyPath(projection, offset)]
    }
}
