import RegnumSimulation
import RegnumTestSupport

/// Draws random transactions and applies them to a world.
struct StreamDraw {
    var random: SeededRandom
    var world: MirrorWorld
    var commit = MirrorCommit()
    private(set) var edits: [StreamEdit] = []
    private let theme: StreamTheme?

    init(_ world: MirrorWorld, _ random: SeededRandom, _ theme: StreamTheme? = nil) {
        self.world = world
        self.random = random
        self.theme = theme
    }

    private mutating func make(_ edit: StreamEdit) {
        world.make(edit, &commit)
        edits.append(edit)
    }

    /// Draws the transaction that fills an empty realm.
    mutating func fill(_ count: Int) {
        // Each class is stored from the first commit on.
        for kind in [MirrorClass.person, .dog, .toy] { add(kind) }
        for _ in 0..<count { add() }
        for _ in 0..<count { editLinks() }
        for _ in 0..<count { editList() }
        for _ in 0..<count / 2 { editNote() }
    }

    /// Like `fill`, with more rows than a step examines one by one for each query of one value.
    mutating func crowd(_ count: Int) {
        fill(count)
        for _ in 0..<40 { add(.person) }
        for _ in 0..<20 { add(.toy) }
    }

    /// Draws one of the later transactions.
    mutating func transaction() {
        if random.oneIn(12) { return }
        if random.oneIn(3) { sweep() }
        for _ in 0...random.below(random.oneIn(3) ? 7 : 2) { step() }
    }

    /// Deletes or changes the newest object.
    private mutating func touchNewest() {
        guard let row = world.serials(anyClass()).last.flatMap({ world[$0] }) else { return }
        if random.oneIn(2) { make(.delete(row.serial)) } else { set(row) }
    }

    private mutating func step() {
        if let theme, random.oneIn(2) { return edit(theme) }
        switch random.below(28) {
        case 24, 25: touchNewest()
        case 0, 1, 26: add()
        case 2: delete()
        case 3: upsert()
        case 4: box()
        case 5: savepoint()
        case 6..<10: editLinks()
        case 10: editNote()
        case 11..<17: editList()
        default: set()
        }
    }

    /// Edits the property that the history is about, on an object that is followed.
    private mutating func edit(_ theme: StreamTheme) {
        guard let key = Self.followedKey(theme.kind, &random),
            let row = world.row(theme.kind, key: key)
        else { return add(theme.kind) }
        let kind = theme.kind.properties[theme.property].kind
        if kind == .any {
            noteEdit(row, theme.property).map { make(.note(row.serial, $0)) }
        } else if kind.target == .box, random.oneIn(2) {
            box(row, theme.property)
        } else if kind.isCollection {
            editList(row, theme.property)
        } else {
            editLink(row, theme.property)
        }
    }

    private mutating func anyClass() -> MirrorClass {
        [.person, .person, .dog, .toy][random.below(4)]
    }

    private mutating func anyRow(_ kind: MirrorClass? = nil) -> MirrorRow? {
        let kind = kind ?? anyClass()
        if random.oneIn(2), let key = Self.followedKey(kind, &random),
            let row = world.row(kind, key: key)
        {
            return row
        }
        return random.pick(world.serials(kind)).flatMap { world[$0] }
    }

    /// Returns the key of an object that many streams follow and that changes often.
    static func followedKey(_ kind: MirrorClass, _ random: inout SeededRandom) -> MirrorValue? {
        switch kind {
        case .person: .int(random.below(followedPersonCount))
        case .dog: .text(followedDog)
        case .toy, .box: nil
        }
    }

    static let followedPersonCount = 2
    static let followedDog = "Ada"

    private mutating func values(_ kind: MirrorClass) -> [Int: MirrorValue] {
        var values: [Int: MirrorValue] = [:]
        for (index, property) in kind.properties.enumerated() {
            if case .value(let content) = property.kind { values[index] = content.draw(&random) }
        }
        return values
    }

    private mutating func key(_ kind: MirrorClass) -> MirrorValue {
        if random.oneIn(3), let key = Self.followedKey(kind, &random) { return key }
        return kind == .person
            ? .int(random.below(24))
            : .text(["Ada", "Bo", "Cy", "Di", "Eb", "Fay"][random.below(6)])
    }

    private mutating func add(_ kind: MirrorClass? = nil) {
        let kind = kind ?? anyClass()
        var values = values(kind)
        if let property = kind.key {
            let key = key(kind)
            guard world.row(kind, key: key) == nil else { return }
            values[property] = key
        }
        make(.add(kind, serial: world.newIdentity(), values: values))
    }

    private mutating func upsert() {
        let kind: MirrorClass = random.oneIn(2) ? .person : .dog
        guard let property = kind.key else { return }
        let key = key(kind)
        let old = world.row(kind, key: key)
        var values = values(kind)
        if let old {
            for index in Array(values.keys).sorted() {
                if random.oneIn(2) { values[index] = nil }
                if random.oneIn(4) { values[index] = old.value(index) }
            }
        }
        values[property] = key
        let serial = old?.serial ?? world.newIdentity()
        make(
            .upsert(
                kind, serial: serial, isNew: old == nil, values: values,
                isAll: random.oneIn(2)))
    }

    private mutating func delete() {
        guard let row = anyRow() else { return }
        make(.delete(row.serial))
        // The key is reused by another object.
        guard let property = row.kind.key, random.oneIn(2) else { return }
        var values = values(row.kind)
        values[property] = row.value(property)
        make(.add(row.kind, serial: world.newIdentity(), values: values))
    }

    private mutating func set(_ given: MirrorRow? = nil) {
        guard let row = given ?? anyRow() else { return }
        guard let property = random.pick(row.kind.valueProperties),
            case .value(let content) = row.kind.properties[property].kind
        else { return }
        let value = random.oneIn(4) ? row.value(property) : content.draw(&random)
        make(.set(row.serial, property, value))
    }

    /// Sets a property of nearly all rows of a class with many rows, so that they leave queries for
    /// one value and come back.
    private mutating func sweep() {
        let kind: MirrorClass = random.oneIn(3) ? .toy : .person
        let serials = world.serials(kind)
        guard serials.count > 16, let property = random.pick(kind.valueProperties),
            case .value(let content) = kind.properties[property].kind
        else { return }
        for serial in serials where !random.oneIn(16) {
            make(.set(serial, property, content.draw(&random)))
        }
    }

    private mutating func editLinks() {
        guard let row = anyRow() else { return }
        let properties = row.kind.properties.indices.filter {
            row.kind.properties[$0].kind.isLink && row.kind.properties[$0].kind.target != .box
        }
        guard let property = random.pick(Array(properties)) else { return }
        editLink(row, property)
    }

    private mutating func editLink(_ row: MirrorRow, _ property: Int) {
        guard let target = row.kind.properties[property].kind.target else { return }
        let serial = random.oneIn(5) ? nil : random.pick(world.serials(target))
        make(.link(row.serial, property, serial))
    }

    private mutating func box() {
        guard let owner = anyRow(.person) else { return }
        if random.oneIn(8) { return make(.link(owner.serial, 14, nil)) }
        box(owner, [14, 15, 18][random.below(3)])
    }

    /// Sets a property of an embedded object, or creates a new one.
    private mutating func box(_ owner: MirrorRow, _ property: Int) {
        if let serial = random.pick(owner.targets(property)), random.oneIn(2) {
            let property = 1 + random.below(3)
            let toy = random.pick(world.serials(.toy))
            let value: MirrorValue =
                [.int(random.below(4)), .text("box \(random.below(3))"), .of(toy)][property - 1]
            return make(
                .setBox(owner: owner.serial, serial: serial, property: property, value))
        }
        make(
            .box(
                owner: owner.serial, property: property,
                at: property == 15 ? random.below(owner.slots(15).count + 1) : 0, key: mapKey(),
                serial: world.newIdentity(), size: random.below(4),
                toy: random.pick(world.serials(.toy))))
    }

    private mutating func editList() {
        guard let row = anyRow() else { return }
        let properties = row.kind.properties.indices.filter {
            row.kind.properties[$0].kind.isCollection
        }
        guard let property = random.pick(Array(properties)) else { return }
        editList(row, property)
    }

    private mutating func editList(_ row: MirrorRow, _ property: Int) {
        let kind = row.kind.properties[property].kind
        if kind.isSet {
            setEdit(row, property).map { make(.members(row.serial, property, $0)) }
            return
        }
        if kind.isMap {
            mapEdit(row, property).map { make(.entries(row.serial, property, $0)) }
            return
        }
        let count = row.slots(property).count
        let at = random.below(count + 1)
        let end = at + random.below(count + 1 - at)
        if kind.target == .box {
            if at < count {
                let edit: StreamListEdit =
                    random.oneIn(2)
                    ? .remove(at..<at + 1) : .move(from: at, to: random.below(count))
                make(.list(row.serial, property, edit))
            }
            return
        }
        func value(_ random: inout SeededRandom) -> MirrorValue? {
            if case .values(let content) = kind { return content.draw(&random) }
            return random.pick(world.serials(kind.target ?? .toy)).map { .int($0) }
        }
        guard let first = value(&random), let second = value(&random) else { return }
        let edit: StreamListEdit
        switch random.below(count > 6 ? 12 : 16) {
        case 0, 1: edit = .remove(at..<end)
        case 2 where at < count, 3 where at < count: edit = .remove(at..<at + 1)
        case 4 where at < count, 5 where at < count: edit = .move(from: at, to: random.below(count))
        case 6 where at < count: edit = .swap(at, random.below(count))
        case 7 where at < count, 8 where at < count:
            edit = .set(at, random.oneIn(3) ? row.slots(property)[at].value : first)
        case 9: edit = .replace(at..<end, random.oneIn(2) ? [first] : [first, second])
        case 10: edit = .refill
        case 11 where random.oneIn(3): edit = .remove(0..<count)
        case 12: edit = .insert([first, second], at: at)
        case 13: edit = .insert([first], at: at)
        default: edit = .append(first)
        }
        make(.list(row.serial, property, edit))
    }

    private mutating func editNote() {
        guard let dog = anyRow(.dog) else { return }
        noteEdit(dog, MirrorClass.note).map { make(.note(dog.serial, $0)) }
    }

    private mutating func savepoint() {
        var inner = StreamDraw(world, random, theme)
        for _ in 0...random.below(3) { inner.step() }
        random = inner.random
        make(.savepoint(inner.edits))
    }
}

extension MirrorClass {
    /// The positions of the value properties, except for keys.
    fileprivate var valueProperties: [Int] {
        properties.indices.filter { if case .value = properties[$0].kind { true } else { false } }
    }
}
