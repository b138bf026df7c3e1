import Regnum

final class RuleCustomer: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "customer") var orders: LinkingObjects<RuleOrder>
}

final class RuleOrder: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(onDelete: .deny) var customer: RuleCustomer?
    @Persisted(onDelete: .cascade) var lines: List<RuleLine>
    @Persisted(onDelete: .nullify) var agent: RuleCustomer?
}

final class RuleLine: Object {
    @Persisted var text: String
    @Persisted var place: RulePlace?
}

final class RulePlace: EmbeddedObject {
    @Persisted(onDelete: .deny) var keeper: RuleCustomer?
}

/// Links, lists, sets and maps with each rule.
final class RuleNode: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var plain: RuleNode?
    @Persisted var plainList: List<RuleNode>
    @Persisted var plainMap: Map<String, RuleNode?>
    @Persisted(onDelete: .cascade) var child: RuleNode?
    @Persisted(onDelete: .cascade) var children: List<RuleNode>
    @Persisted(onDelete: .cascade) var group: MutableSet<RuleNode>
    @Persisted(onDelete: .cascade) var named: Map<String, RuleNode?>
    @Persisted(onDelete: .deny) var needs: RuleNode?
    @Persisted(onDelete: .deny) var needsList: List<RuleNode>
    @Persisted(onDelete: .deny) var needsSet: MutableSet<RuleNode>
    @Persisted(onDelete: .deny) var needsMap: Map<String, RuleNode?>
    @Persisted var part: RulePart?
}

final class RulePart: EmbeddedObject {
    @Persisted(onDelete: .deny) var holds: RuleNode?
}

final class RuleBadPart: EmbeddedObject {
    @Persisted(onDelete: .cascade) var node: RuleNode?
}

final class RuleBadOwner: Object {
    @Persisted var part: RuleBadPart?
}

let ruleClasses: [ObjectBase.Type] = [
    RuleCustomer.self, RuleOrder.self, RuleLine.self, RulePlace.self, RuleNode.self,
    RulePart.self,
]
