import Foundation
import Regnum
import RegnumTestSupport
import Testing

// Lists, embedded objects and deletions.

extension MutationDriver {
    mutating func editList(_ tx: Transaction) throws {
        guard let (key, node) = try anyNode(tx), let plain = world.nodes[key] else { return }
        switch random.number(0..<6) {
        case 0:
            let tags = try edit(node.tags, plain.tags) { driver in
                let word = "tag \(driver.random.number(0..<9))"
                return (word, word)
            }
            world.nodes[key]?.tags = tags
        case 1:
            let scores = try edit(node.scores, plain.scores) { driver in
                let score = driver.random.percent(30) ? nil : driver.random.number(0..<9)
                return (score, score)
            }
            world.nodes[key]?.scores = scores
        case 2, 3:
            let nodes = try edit(node.nodes, plain.nodes) { driver in
                let target = try driver.target(tx)
                return (target?.node ?? node, target?.key ?? key)
            }
            world.nodes[key]?.nodes = nodes
        case 4:
            let notes = try edit(node.notes, plain.notes) { driver in
                let target = try driver.noteTarget(tx)
                return (target.note, target.number)
            }
            world.nodes[key]?.notes = notes
        default:
            let targets = keys
            let boxes = try edit(node.boxes, plain.boxes) { driver in
                let box = driver.randomBox(targets)
                let node = try box.node.map { try driver.node($0, tx) }
                return (box.made(node), box)
            }
            world.nodes[key]?.boxes = boxes
        }
    }

    /// Makes one change of a list; returns its new content.
    private mutating func edit<Element, Plain>(
        _ list: List<Element>, _ old: [Plain],
        _ make: (inout MutationDriver) throws -> (Element, Plain)
    ) throws -> [Plain] {
        var plain = old
        let count = plain.count
        let at = random.number(0..<count + 1)
        let end = random.number(at..<count + 1)
        switch random.number(0..<15) {
        case 0, 1:
            let (element, value) = try make(&self)
            list.append(element)
            plain.append(value)
        case 2:
            let (element, value) = try make(&self)
            list.insert(element, at: at)
            plain.insert(value, at: at)
        case 3:
            let first = try make(&self)
            // A new object isn't stored until the insertion, so no other lookup is possible before.
            let isShared = Element.self is AnyClass && Plain.self != PlainBox.self
            let second = isShared ? first : try make(&self)
            list.insert(contentsOf: [first.0, second.0], at: at)
            plain.insert(contentsOf: [first.1, second.1], at: at)
        case 4 where at < count:
            list.remove(at: at)
            plain.remove(at: at)
        case 5:
            list.removeSubrange(at..<end)
            plain.removeSubrange(at..<end)
        case 6:
            let (element, value) = try make(&self)
            list.replaceSubrange(at..<end, with: [element])
            plain.replaceSubrange(at..<end, with: [value])
        case 7:
            list.removeFirst(at)
            plain.removeFirst(at)
        case 8:
            list.removeLast(count - at)
            plain.removeLast(count - at)
        case 9 where at < count:
            let to = random.number(0..<count)
            list.move(from: at, to: to)
            plain.insert(plain.remove(at: at), at: to)
        case 10 where at < count:
            let other = random.number(0..<count)
            list.swapAt(at, other)
            plain.swapAt(at, other)
        case 11 where at < count:
            let (element, value) = try make(&self)
            if random.percent(50) {
                list[at] = element
            } else {
                list.replace(index: at, object: element)
            }
            plain[at] = value
        case 12:
            let offsets = plain.indices.filter { _ in random.percent(40) }
            list.remove(atOffsets: offsets)
            plain = plain.indices.filter { !offsets.contains($0) }.map { plain[$0] }
        case 13:
            let offsets = plain.indices.filter { _ in random.percent(40) }
            list.move(fromOffsets: offsets, toOffset: at)
            let rest = plain.indices.filter { !offsets.contains($0) }
            plain =
                rest.filter { $0 < at }.map { plain[$0] } + offsets.map { plain[$0] }
                + rest.filter { $0 >= at }.map { plain[$0] }
        default:
            if Plain.self == PlainBox.self || random.percent(60) {
                if random.percent(30) {
                    list.removeAll()
                    plain = []
                }
            } else if count < 8 {
                list.append(objectsIn: list)
                plain += plain
            }
        }
        try #require(list.count == plain.count)
        return plain
    }

    // MARK: Embedded objects

    mutating func editBox(_ tx: Transaction) throws {
        guard let (key, node) = try anyNode(tx), var plain = world.nodes[key] else { return }
        let choice = random.number(0..<10)
        if choice < 3 {
            let old = node.box
            let box = random.percent(30) ? nil : randomBox(keys)
            let target = try box?.node.map { try self.node($0, tx) }
            node.box = box?.made(target ?? nil)
            plain.box = box
            if let old { try #require(old.isInvalidated) }
        } else if choice == 3, let box = node.box {
            node.box = box  // no change
        } else if choice < 6, let box = node.box, var value = plain.box {
            try edit(box, &value, tx)
            plain.box = value
        } else if choice < 8, let at = random.element(plain.boxes.indices) {
            try edit(node.boxes[at], &plain.boxes[at], tx)
        } else if choice == 8, let box = node.box {
            tx.delete(box)
            plain.box = nil
        } else if let at = random.element(plain.boxes.indices) {
            if random.percent(70) {
                tx.delete(node.boxes[at])
                plain.boxes.remove(at: at)
            } else {
                tx.delete(node.boxes)
                plain.boxes = []
            }
        }
        world.nodes[key] = plain
    }

    private mutating func edit(_ box: GraphBox, _ plain: inout PlainBox, _ tx: Transaction) throws {
        switch random.number(0..<5) {
        case 0:
            plain.size = random.number(0..<100)
            box.size = plain.size
        case 1:
            plain.color = "\(random.number(0..<9))"
            box.color = plain.color
        case 2:
            plain.lid = randomLid()
            box.lid = plain.lid?.made
        case 3:
            let key = random.percent(30) ? nil : random.element(keys)
            box.node = try key.map { try node($0, tx) }
            plain.node = key
        default:
            guard let lid = box.lid, var marks = plain.lid?.marks else { return }
            if random.percent(20) {
                tx.delete(lid)
                plain.lid = nil
                return
            }
            marks = try edit(lid.marks, marks) { driver in
                let mark = driver.random.number(0..<9)
                return (mark, mark)
            }
            plain.lid?.marks = marks
        }
    }

    // MARK: Deletions

    mutating func delete(_ tx: Transaction) throws {
        switch random.number(0..<9) {
        case 0, 1:
            guard let (key, node) = try anyNode(tx) else { return }
            tx.delete(node)
            world.deleteNode(key)
            try #require(node.isInvalidated)
        case 2, 3:
            guard let number = random.element(numbers) else { return }
            tx.delete(try note(number, tx))
            world.deleteNote(number)
        case 4:
            let keys = keys.filter { _ in random.percent(15) }
            let nodes = try keys.map { try node($0, tx) }
            tx.delete(nodes + nodes)
            for key in keys { world.deleteNode(key) }
        case 5:
            let small = random.element([Int8(127), -128, 1]) ?? 1
            tx.delete(tx.objects(GraphNode.self).where { $0.small == small })
            for key in keys where world.nodes[key]?.small == small { world.deleteNode(key) }
        case 6:
            let limit = random.number(0..<6)
            let found = tx.objects(GraphNote.self).sorted(by: \.number)
            if found.count > limit {
                let last = found.dropFirst(limit).map(\.number)
                tx.delete(tx.objects(GraphNote.self).where { $0.number >= last[0] })
                for number in last { world.deleteNote(number) }
            }
        case 7:
            guard let (key, node) = try anyNode(tx), let list = world.nodes[key]?.nodes,
                Set(list).count < 4
            else { return }
            if random.percent(50) {
                tx.delete(node.nodes)
            } else {
                tx.delete(node.nodes.where { $0.key >= 0 })
            }
            for other in Set(list) { world.deleteNode(other) }
        default:
            guard let (key, node) = try anyNode(tx) else { return }
            if random.percent(50) {
                let origins = keys.filter { world.nodes[$0]?.next == key }
                tx.delete(node.previous)
                for other in origins { world.deleteNode(other) }
            } else if let list = world.nodes[key]?.notes {
                tx.delete(node.notes)
                for number in Set(list) { world.deleteNote(number) }
            }
        }
    }
}
