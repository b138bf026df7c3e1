internal import RegnumEngine
internal import RegnumStore

extension FrozenResults {
    public var _realm: _QueryRealm {
        _QueryRealm(core: table.snapshot.realm, schema: table.schema, problem: query.problem)
    }

    public func _ask<Answer>(_ question: _Question<Answer>) -> Answer {
        query.run(question.placeholder(), through: question.classes) { state throws(StoreError) in
            try question.run(_plan.plan, state)
        }
    }
}

extension LiveResults {
    public var _realm: _QueryRealm {
        _QueryRealm(
            core: realm, schema: entry.schema,
            problem: _plan.firstProblem(in: realm.coordinator.published.schema))
    }

    public func _ask<Answer>(_ question: _Question<Answer>) -> Answer { current._ask(question) }
}
