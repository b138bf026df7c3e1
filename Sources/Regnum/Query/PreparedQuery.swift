internal import RegnumEngine

/// A condition that is built once and used with different values.
///
///     enum Queries {
///         static let inRoom = PreparedQuery<Message, String, Date> { message, room, start in
///             message.room == room && message.sentAt >= start
///         }
///     }
///     let count = realm.objects(Message.self).where(Queries.inRoom, "general", yesterday).count
///
/// The type parameters are the class and the types of the values. The closure builds the condition
/// like the closure of `where`, and receives the values as expressions. A value can be compared
/// with a stored property of its type, possibly that of a linked object or of the objects of a
/// collection, and strings can be searched for it; a value of type `Bool` is a condition itself.
///
/// A prepared query avoids building the condition for each use, which otherwise takes most of the
/// time of a `count` or `first` that an index answers. It doesn't depend on a realm, and gives the
/// same results as a closure that contains the values.
public struct PreparedQuery<Model: ObjectBase, each Argument: ScalarValue>: Sendable {
    private let build: @Sendable (Query<Model>, repeat Query<each Argument>) -> Query<Bool>
    private let prepared: PreparedCondition

    /// Creates a prepared query from a closure, which is called once and builds the condition. If
    /// the closure compares with a captured object, which belongs to one realm, it is called for
    /// each use as well.
    ///
    /// A value in a place where it can't be used, such as in a comparison with a count or another
    /// value, is an error (`.invalidQuery`), which is reported when the query is used.
    public init(
        _ condition:
            @escaping @Sendable (Query<Model>, repeat Query<each Argument>) -> Query<Bool>
    ) {
        build = condition
        let scope = QueryScope(realm: nil, root: ClassSchema.of(Model.self))
        let found = condition(
            Query<Model>(.objects([]), scope), repeat scope.parameter((each Argument).self))
        prepared = PreparedCondition(found, scope)
    }

    /// Returns the condition for a realm and a class: `Model`, or the subclass of a metatype's
    /// value.
    func condition(for schema: ClassSchema, _ realm: RealmCore?) -> PreparedCondition {
        // whether captured objects belong to the realm is checked when the condition is built
        if schema.type == Model.self, prepared.operands.isEmpty { return prepared }
        let scope = QueryScope(realm: realm, root: schema)
        let found = build(
            Query<Model>(.objects([]), scope), repeat scope.parameter((each Argument).self))
        return PreparedCondition(found, scope)
    }
}

/// A condition with parameters.
struct PreparedCondition: Sendable {
    let predicate: Predicate
    /// The error of a condition that can't be used.
    let problem: Realm.Error?
    /// The classes of the objects that the condition compares with.
    let operands: Set<OperandClass>

    init(_ found: Query<Bool>, _ scope: QueryScope) {
        predicate = scope.predicate(of: found)
        if predicate.hasMisplacedParameter {
            scope.refuse(
                "A value of a prepared query can only be compared with a stored property, or "
                    + "searched for in a string property.")
        }
        problem = scope.problem
        operands = scope.operands
    }
}

extension QueryScope {
    /// Returns the expression for the next value of a prepared query.
    func parameter<T: ScalarValue>(_ type: T.Type) -> Query<T> {
        let column = ColumnReference.parameter(parameterCount, T._storage.valueType)
        parameterCount += 1
        return Query<T>(.column([], column), self)
    }
}

extension Query {
    /// Whether the expression is a value of a prepared query.
    var isParameter: Bool {
        if case .column(_, let column) = node { column.parameter != nil } else { false }
    }

    /// Compares with a value of a prepared query. Its scope may enclose this one.
    func compare(_ comparison: Comparison, withParameter other: Query) -> Query<Bool> {
        switch (node, other.node) {
        case (.column(let hops, let column), .column(_, let parameter)):
            return condition(.exists(hops, .compareColumns(column, comparison, parameter)))
        default:
            scope.refuse(
                "A count, minimum, maximum, sum, average or entry of a map, or a value in an "
                    + "AnyRealmValue, can't be compared with a value of a prepared query.")
            return condition(.constant(false))
        }
    }
}

extension Queryable {
    /// Returns the objects that match a prepared query with the given values, preserving their
    /// order.
    ///
    /// - Complexity: O(1). The query is evaluated when the result is used.
    public func `where`<each Argument: ScalarValue>(
        _ query: PreparedQuery<Model, repeat each Argument>, _ arguments: repeat each Argument
    ) -> Self {
        let realm = _realm
        let condition = query.condition(
            for: realm.schema ?? ClassSchema.of(Model.self), realm.core)
        var plan = _plan
        plan.problem = plan.problem ?? condition.problem
        plan.operands.formUnion(condition.operands)
        var values: [Value] = []
        for argument in repeat each arguments {
            values.append(plan.operand(argument, realm.core))
        }
        plan.plan.add(condition.predicate.bound(to: values))
        return _with(plan)
    }
}

extension _Plan {
    /// Returns the operand of a condition in its stored form.
    fileprivate mutating func operand<T: ScalarValue>(_ operand: T, _ realm: RealmCore?) -> Value {
        guard T.self == AnyRealmValue.self else { return operand.engineValue }
        let scope = QueryScope(realm: realm, rootName: plan.tableName)
        defer { add(scope) }
        return scope.operand(operand)
    }
}
