/// A set of members by id, optimized for the common case of one member, which needs no allocation.
struct Members<Member: Sendable>: Sendable {
    private var only: (id: UInt64, member: Member)?
    private var others: [UInt64: Member] = [:]

    var isEmpty: Bool { only == nil && others.isEmpty }

    mutating func insert(_ member: Member, _ id: UInt64) {
        if isEmpty {
            only = (id, member)
        } else if only?.id != id {
            others[id] = member
        }
    }

    mutating func remove(_ id: UInt64) {
        if only?.id == id {
            only = nil
        } else {
            others[id] = nil
        }
    }

    func forEach(_ body: (Member) -> Void) {
        if let only { body(only.member) }
        for member in others.values { body(member) }
    }

    func append(to members: inout [Member]) {
        forEach { members.append($0) }
    }
}
