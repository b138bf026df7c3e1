/// A property wrapper that exposes a property of the projected object in a ``Projection``.
///
///     @Projected(\Person.firstName) var firstName                  // as it is
///     @Projected(\Person.lastName) var familyName                  // under another name
///     @Projected(\Person.address?.city) var homeCity               // linked or embedded object
///     @Projected(\Person.fullName) var fullName                    // computed property
///     @Projected(\Person.friends.projectTo.firstName) var names: ProjectedCollection<String>
///
/// Properties that the projection doesn't declare are not visible through it, and its streams don't
/// report changes to them. The key path must lead to a stored property, or to a property computed
/// from stored properties; see ``Projection``.
@propertyWrapper
public struct Projected<Root: ObjectBase, Value> {
    let keyPath: KeyPath<Root, Value>

    /// Declares a property that exposes the value at a key path.
    public init(_ keyPath: KeyPath<Root, Value>) {
        self.keyPath = keyPath
    }

    /// Unavailable: the value can only be accessed through the enclosing projection.
    @available(*, unavailable, message: "@Projected can only be used in a Projection subclass")
    public var wrappedValue: Value {
        get { fatalError("@Projected can only be used in a Projection subclass.") }
        // swift-format-ignore
        set { fatalError("@Projected can only be used in a Projection subclass.") }
    }

    /// The value of the projected object's property. Called by the compiler for `projection.name`.
    ///
    /// - Precondition: The same as for the projected property. In addition, assignments require a
    ///   writable key path: `\.name` and `\.dog!.name` are writable; `\.dog?.name`, computed
    ///   properties without a setter and `projectTo` are not.
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
            "\(type(of: projection)).\(property?.name ?? "property") cannot be assigned to: it "
                + "shows \(property?.shown ?? "something") of \(Root.self) through a read-only key "
                + "path (with `?` or a computed property).")
    }
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
            preconditionFailure("\(type(of: projection)) is not a projection of \(Root.self).")
        }
        return object[keyPath: keyPath(projection, offset)]
    }
}
