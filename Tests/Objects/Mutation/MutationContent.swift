import Foundation
import Regnum

@testable import RegnumTestModels

// Reads the content of a realm through the library, confined and frozen, in the same way.

extension GraphContent {
    init(_ tx: Transaction) {
        for node in tx.objects(GraphNode.self) {
            nodes.append(
                Node(
                    key: node.key, node: PlainNode(node), previous: node.previous.map(\.key),
                    holders: node.holders.map(\.key), comments: node.comments.map(\.number),
                    boxedIn: node.boxedIn.map(\.size).sorted(),
                    boxOwners: node.box?.owners.map(\.key) ?? []))
        }
        for note in tx.objects(GraphNote.self) {
            notes.append(
                Note(
                    number: note.number, note: PlainNote(text: note.text, about: note.about?.key),
                    nodes: note.nodes.map(\.key), lists: note.lists.map(\.key)))
        }
    }

    init(_ snapshot: Snapshot) {
        for node in snapshot.objects(GraphNode.self) {
            nodes.append(
                Node(
                    key: node.key, node: PlainNode(node), previous: node.previous.map { $0.key },
                    holders: node.holders.map { $0.key },
                    comments: node.comments.map { $0.number },
                    boxedIn: node.boxedIn.map { $0.size }.sorted(),
                    boxOwners: node.box?.owners.map { $0.key } ?? []))
        }
        for note in snapshot.objects(GraphNote.self) {
            notes.append(
                Note(
                    number: note.number, note: PlainNote(text: note.text, about: note.about?.key),
                    nodes: note.nodes.map { $0.key }, lists: note.lists.map { $0.key }))
        }
    }
}

extension PlainNode {
    init(_ node: GraphNode) {
        label = node.label
        small = node.small
        ratio = node.ratio.bitPattern
        weight = node.weight.bitPattern
        isOn = node.isOn
        seconds = Int(node.date.timeIntervalSinceReferenceDate)
        data = Array(node.data)
        grade = node.grade
        oldGrade = node.oldGrade
        maybe = node.maybe
        next = node.next?.key
        note = node.note?.number
        nodes = node.nodes.map(\.key)
        notes = node.notes.map(\.number)
        tags = Array(node.tags)
        scores = Array(node.scores)
        box = node.box.map { PlainBox($0) }
        boxes = node.boxes.map { PlainBox($0) }
    }

    init(_ node: Frozen<GraphNode>) {
        label = node.label
        small = node.small
        ratio = node.ratio.bitPattern
        weight = node.weight.bitPattern
        isOn = node.isOn
        seconds = Int(node.date.timeIntervalSinceReferenceDate)
        data = Array(node.data)
        grade = node.grade
        oldGrade = node.oldGrade
        maybe = node.maybe
        next = node.next?.key
        note = node.note?.number
        nodes = node.nodes.map { $0.key }
        notes = node.notes.map { $0.number }
        tags = Array(node.tags)
        scores = Array(node.scores)
        box = node.box.map { PlainBox($0) }
        boxes = node.boxes.map { PlainBox($0) }
    }

    /// The part that a stream of the class reports: everything except the content of embedded
    /// objects.
    var told: PlainNode {
        var told = self
        told.box = box.map { _ in PlainBox() }
        told.boxes = boxes.map { _ in PlainBox() }
        return told
    }
}

extension PlainBox {
    init(_ box: GraphBox) {
        color = box.color
        size = box.size
        lid = box.lid.map { PlainLid(text: $0.text, marks: Array($0.marks)) }
        node = box.node?.key
    }

    init(_ box: Frozen<GraphBox>) {
        color = box.color
        size = box.size
        lid = box.lid.map { PlainLid(text: $0.text, marks: Array($0.marks)) }
        node = box.node?.key
    }

    /// Returns a new object with these values.
    func made(_ node: GraphNode?) -> GraphBox {
        let box = GraphBox()
        box.color = color
        box.size = size
        box.lid = lid?.made
        box.node = node
        return box
    }
}

extension PlainLid {
    var made: GraphLid {
        let made = GraphLid()
        made.text = text
        made.marks.append(objectsIn: marks)
        return made
    }
}
