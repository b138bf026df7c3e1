import FoundationEssentials
import Regnum
import RegnumSimulation
import RegnumTestSupport

/// Applies the edits of the oracle in a transaction.
struct StreamWriter {
    private struct Undone: Error {}

    private let tx: Transaction
    private var persons: [Int: StreamPerson] = [:]
    private var dogs: [Int: StreamDog] = [:]
    private var toys: [Int: StreamToy] = [:]

    init(_ tx: Transaction) {
        self.tx = tx
        for person in tx.objects(StreamPerson.self) { persons[person.serial] = person }
        for dog in tx.objects(StreamDog.self) { dogs[dog.serial] = dog }
        for toy in tx.objects(StreamToy.self) { toys[toy.serial] = toy }
    }

    /// The object exists according to the oracle.
    private func person(_ serial: Int) -> StreamPerson { persons[serial]! }
    private func dog(_ serial: Int) -> StreamDog { dogs[serial]! }
    func toy(_ serial: Int) -> StreamToy { toys[serial]! }

    /// Returns the view model of a person; `nil` for other objects.
    private func card(_ serial: Int) -> StreamCard? {
        persons[serial].flatMap { tx.object(StreamCard.self, forPrimaryKey: $0.id) }
    }

    private func object(_ serial: Int) -> Object {
        persons[serial] ?? dogs[serial] ?? toys[serial]!
    }

    mutating func make(_ edit: StreamEdit) throws {
        switch edit {
        case .add(let kind, let serial, let values):
            try create(kind, serial, values, .error)
        case .set(let serial, let property, let value):
            set(serial, property, value)
        case .link(let serial, let property, let target):
            link(serial, property, target)
        case .box(let owner, let property, let at, let key, let serial, let size, let toy):
            let box = StreamBox()
            box.serial = serial
            box.size = size
            box.label = "box"
            box.toy = toy.map { self.toy($0) }
            switch property {
            case 14: person(owner).box = box
            case 15: person(owner).boxes.insert(box, at: at)
            default: person(owner).crates[key] = .some(box)
            }
        case .setBox(let owner, let serial, let property, let value):
            let owner = person(owner)
            let inMap = owner.crates.values.compactMap(\.self)
            for box in [owner.box].compactMap({ $0 }) + Array(owner.boxes) + inMap
            where box.serial == serial {
                switch property {
                case 1: box.size = value.int ?? 0
                case 2: box.label = value.text ?? ""
                default: box.toy = value.int.map { toy($0) }
                }
            }
        case .list(let serial, let property, let edit):
            list(serial, property, edit)
        case .members(let serial, let property, let edit):
            let dog = dog(serial)
            if property == 7 {
                members(edit, dog.colors, { $0.int }, assign: { dog.colors = $0 })
            } else {
                members(edit, dog.pals, { person($0.int!) }, assign: { dog.pals = $0 })
            }
        case .entries(let serial, let property, let edit):
            let person = person(serial)
            switch property {
            case 16:
                let pet = { (value: MirrorValue) in value.int.map { dog($0) } }
                entries(edit, person.pets, pet, assign: { person.pets = $0 })
            case 17: entries(edit, person.marks, { $0.int }, assign: { person.marks = $0 })
            default: entries(edit, person.crates, { _ in nil }, assign: { person.crates = $0 })
            }
        case .note(let serial, let edit):
            note(edit, of: dog(serial))
        case .delete(let serial):
            if serial.isMultiple(of: 2), let card = card(serial) {
                tx.delete(card)
            } else {
                tx.delete(object(serial))
            }
            persons[serial] = nil
            dogs[serial] = nil
            toys[serial] = nil
        case .upsert(let kind, let serial, let isNew, let values, let isAll):
            try create(kind, isNew ? serial : nil, values, isAll ? .all : .modified)
        case .savepoint(let edits):
            var inner = self
            do {
                try tx.savepoint {
                    for edit in edits { try inner.make(edit) }
                    throw Undone()
                }
            } catch is Undone {}
        }
    }

    private mutating func create(
        _ kind: MirrorClass, _ serial: Int?, _ values: [Int: MirrorValue],
        _ policy: Realm.UpdatePolicy
    ) throws {
        var dictionary: [String: Any?] = [:]
        for (property, value) in values {
            dictionary.updateValue(value.any, forKey: kind.properties[property].name)
        }
        if let serial { dictionary["serial"] = serial }
        switch kind {
        case .person:
            let made = try tx.create(StreamPerson.self, value: dictionary, update: policy)
            if let serial { persons[serial] = made }
        case .dog:
            let made = try tx.create(StreamDog.self, value: dictionary, update: policy)
            if let serial { dogs[serial] = made }
        case .toy:
            let made = try tx.create(StreamToy.self, value: dictionary)
            if let serial { toys[serial] = made }
        case .box: break
        }
    }

    private func set(_ serial: Int, _ property: Int, _ value: MirrorValue) {
        if let person = persons[serial] {
            switch property {
            case 2: person.group = value.int ?? 0
            case 3: card(serial)?.years = value.int
            case 4: card(serial)?.title = value.text ?? ""
            case 5: person.score = value.double ?? 0
            case 8: person.mood = StreamMood(rawValue: value.text ?? "") ?? .calm
            default: person[MirrorClass.person.properties[property].name] = value.any
            }
        } else if let dog = dogs[serial] {
            if property == 2 { dog.age = value.int ?? 0 } else { dog.weight = value.double }
        } else if property == 1 {
            toy(serial).price = value.int ?? 0
        } else {
            toy(serial).label = value.text
        }
    }

    private func link(_ serial: Int, _ property: Int, _ target: Int?) {
        if let person = persons[serial] {
            switch property {
            case 9: person.boss = target.map { self.person($0) }
            case 10: person.dog = target.map { dog($0) }
            default: person.box = nil
            }
        } else if let dog = dogs[serial] {
            dog.toy = target.map { toy($0) }
        } else {
            toy(serial).dog = target.map { dog($0) }
        }
    }

    private func list(_ serial: Int, _ property: Int, _ edit: StreamListEdit) {
        if let person = persons[serial] {
            switch property {
            case 11: make(edit, person.dogs) { dog($0.int!) }
            case 12: make(edit, person.friends) { self.person($0.int!) }
            case 13: make(edit, person.tags) { $0.text ?? "" }
            default: make(edit, person.boxes) { _ in StreamBox() }
            }
        } else if let dog = dogs[serial] {
            if property == 5 {
                make(edit, dog.toys) { toy($0.int!) }
            } else {
                make(edit, dog.numbers) { $0.int }
            }
        }
    }

    private func make<T>(
        _ edit: StreamListEdit, _ list: List<T>, _ element: (MirrorValue) -> T
    ) {
        switch edit {
        case .insert(let values, let position):
            list.insert(contentsOf: values.map(element), at: position)
        case .append(let value): list.append(element(value))
        case .remove(let range):
            if range.count == 1 {
                list.remove(at: range.lowerBound)
            } else if range == 0..<list.count {
                list.removeAll()
            } else {
                list.removeSubrange(range)
            }
        case .move(let source, let destination): list.move(from: source, to: destination)
        case .swap(let first, let second): list.swapAt(first, second)
        case .set(let position, let value): list[position] = element(value)
        case .replace(let range, let values):
            list.replaceSubrange(range, with: values.map(element))
        case .refill:
            let all = Array(list)
            list.removeAll()
            list.append(objectsIn: all)
        }
    }
}
