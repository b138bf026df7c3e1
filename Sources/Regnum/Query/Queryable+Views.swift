internal import RegnumEngine

extension FrozenResults {
    public var _realm: _QueryRealm { _QueryRealm(core: table.snapshot.realm) }

    public func _ask<Answer>(_ question: _Question<Answer>) -> Answer {
        ask(question.nothing, question.ask)
    }
}

extension LiveResults {
    public var _realm: _QueryRealm { _QueryRealm(core: realm) }

    public func _ask<Answer>(_ question: _Question<Answer>) -> Answer { current._ask(question) }
}
