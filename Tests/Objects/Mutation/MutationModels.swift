import Foundation
import Regnum

@testable import RegnumTestModels

// Models for the random mutation test, with every kind of property.

enum NodeGrade: Int, PersistableEnum {
    case low = 1
    case middle = 5
    case high = 9
}

/// A class with a primary key. Not final: a subclass must not be used in its place.
class GraphNode: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var label: String
    @Persisted(indexed: true) var small: Int8
    @Persisted var ratio: Double
    @Persisted var weight: Float
    @Persisted var isOn: Bool
    @Persisted var date = Date(timeIntervalSinceReferenceDate: 0)
    @Persisted var data: Data
    @Persisted var grade: NodeGrade
    @Persisted var oldGrade: NodeGrade?
    @Persisted(indexed: true) var maybe: Int?
    @Persisted var next: GraphNode?
    @Persisted var note: GraphNote?
    @Persisted var nodes: List<GraphNode>
    @Persisted var notes: List<GraphNote>
    @Persisted var tags: List<String>
    @Persisted var scores: List<Int?>
    @Persisted var box: GraphBox?
    @Persisted var boxes: List<GraphBox>
    @Persisted(originProperty: "next") var previous: LinkingObjects<GraphNode>
    @Persisted(originProperty: "nodes") var holders: LinkingObjects<GraphNode>
    @Persisted(originProperty: "about") var comments: LinkingObjects<GraphNote>
    @Persisted(originProperty: "node") var boxedIn: LinkingObjects<GraphBox>
}

final class DerivedNode: GraphNode {}

/// A class without a primary key; each `number` is used only once.
final class GraphNote: Object {
    @Persisted var number: Int
    @Persisted var text: String
    @Persisted var about: GraphNode?
    @Persisted(originProperty: "note") var nodes: LinkingObjects<GraphNode>
    @Persisted(originProperty: "notes") var lists: LinkingObjects<GraphNode>
}

final class GraphBox: EmbeddedObject {
    @Persisted var color = "white"
    @Persisted var size: Int
    @Persisted var lid: GraphLid?
    @Persisted var node: GraphNode?
    @Persisted(originProperty: "box") var owners: LinkingObjects<GraphNode>
}

final class GraphLid: EmbeddedObject {
    @Persisted var text: String
    @Persisted var marks: List<Int>
}

let graphClasses: [ObjectBase.Type] = [
    GraphNode.self, GraphNote.self, GraphBox.self, GraphLid.self,
]
