internal import RegnumEngine

extension LinkingObjects: ObjectCollection {
    public var _results: Results<Element>? {
        guard let handle, let origins = handle.origins(Element.self) else { return nil }
        if isInvalidated {
            handle.binding.failMissing(handle.property, of: handle.row.rawValue)
        }
        return Results(origins, plan: _Plan(plan: handle.plan()))
    }

    public var _name: String { "LinkingObjects<\(Element.self)>" }
}
