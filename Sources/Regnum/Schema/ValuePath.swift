/// The path of a value within the values that an object is created from: `friends[3].dog`.
final class ValuePath {
    /// The position of an element in its collection.
    enum Position {
        case index(Int)
        case key(String)
    }

    private let outer: ValuePath?
    private let property: String
    private let position: Position?

    /// - Parameter outer: The path of the object that has the property; `nil` for the root object.
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
            case .key(let key):
                // a key can be megabytes long
                let shown = String(key.unicodeScalars.prefix(100))
                let rest = shown.utf8.count < key.utf8.count ? "…" : ""
                steps.append("\(step.property)[\"\(shown)\(rest)\"]")
            }
            place = step.outer
        }
        return steps.reversed().joined(separator: ".")
    }
}

extension ObjectBase {
    /// Returns whether the object's class is a proper subclass of `type`.
    final func isDerived(from type: ObjectBase.Type) -> Bool {
        sequence(first: Mirror(reflecting: self), next: \.superclassMirror).dropFirst()
            .contains { $0.subjectType == type }
    }
}

extension Realm.Error {
    /// Returns the error with its path nested in a property, or in an element of one.
    func nested(in property: String, _ position: ValuePath.Position?) -> Realm.Error {
        var error = self
        let inner = (valuePath ?? self.property).map { ".\($0)" } ?? ""
        error.valuePath = ValuePath(nil, property, position).text + inner
        return error
    }
}
