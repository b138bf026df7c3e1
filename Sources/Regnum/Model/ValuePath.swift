/// Where a value stands among those that an object is made of: `friends[3].dog`.
final class ValuePath {
    /// The place of an element in its collection.
    enum Position {
        case index(Int)
        case key(String)
    }

    private let outer: ValuePath?
    private let property: String
    private let position: Position?

    /// - Parameter outer: where the object is that has the property, nil for the outermost one.
    init(_ outer: ValuePath?, _ property: String, _ position: Position?) {
        self.outer = outer
        self.property = property
        self.position = position
    }

    var text: String {
        var steps: [String] = []
        var place: ValuePath? = self
        while let step = place {
            switch step.position {
            case nil: steps.append(step.property)
            case .index(let index): steps.append("\(step.property)[\(index)]")
            case .key(let key): steps.append("\(step.property)[\"\(key)\"]")
            }
            place = step.outer
        }
        return steps.reversed().joined(separator: ".")
    }
}

extension ObjectBase {
    /// Whether the class of the object has another one among its superclasses.
    final func isDerived(from type: ObjectBase.Type) -> Bool {
        sequence(first: Mirror(reflecting: self), next: \.superclassMirror).dropFirst()
            .contains { $0.subjectType == type }
    }
}

extension Realm.Error {
    /// The error of a value within the one that a property, or an element of it, was given.
    func nested(in property: String, _ position: ValuePath.Position?) -> Realm.Error {
        var error = self
        let inner = (valuePath ?? self.property).map { ".\($0)" } ?? ""
        error.valuePath = ValuePath(nil, property, position).text + inner
        return error
    }
}
