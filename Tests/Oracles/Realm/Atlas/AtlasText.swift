import RegnumSimulation
import RegnumTestSupport

// Concise but complete descriptions, for the report of a failing sequence.

extension AtlasValue: CustomStringConvertible {
    var description: String {
        switch self {
        case .null: "nil"
        case .bool(let flag): "\(flag)"
        case .int(let number): "\(number)"
        case .float(let bits): "\(Float(bitPattern: bits))f"
        case .double(let bits): "\(Double(bitPattern: bits))"
        case .date(let bits): "\(Double(bitPattern: bits))s"
        case .decimal(let text): "\(text)d"
        case .text(let text): "\(text)"
        case .bytes(let bytes): "x\(bytes)"
        case .uuid(let bytes): "u\(bytes)"
        case .objectId(let bytes): "o\(bytes)"
        case .spot(let x, let y): "(\(x) \(y))"
        case .sign(let text, let spot): "sign \(text) \(spot)"
        case .link(let number): "#\(number)"
        case .kin(let number): "@\(number)"
        case .box(let box): "\(box)"
        case .items(let items): "\(items)"
        case .entries(let entries): "<\(entries)>"
        }
    }
}

extension AtlasBoxValue: CustomStringConvertible {
    var description: String {
        let links =
            (node.map { " #\($0)" } ?? "") + (lid.map { " lid \($0)" } ?? "")
            + (content == .null ? "" : " any \(content)")
        return "{\(size) \(text) \(marks) \(colors) \(pairs)\(links)}"
    }
}

extension AtlasEntry: CustomStringConvertible {
    var description: String { "\(key): \(value)" }
}

extension AtlasState: CustomStringConvertible {
    var description: String {
        switch self {
        case .value(let value): "\(value)"
        case .list(let values): "\(values)"
        case .set(let values): "set\(values)"
        case .map(let entries): "map\(entries)"
        }
    }
}

extension AtlasEdit: CustomStringConvertible {
    var description: String {
        switch self {
        case .add(let type, let number, let states, let route):
            "\(route) \(type).\(number) \(states)"
        case .update(let type, let number, let states, let isAll):
            "update\(isAll ? " all" : "") \(type).\(number) "
                + "\(states.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })"
        case .change(let type, let number, let slot, let edit):
            "\(type).\(number).\(slot) "
                + "\(edit)".replacing("RegnumTests.", with: "").replacing("Atlas", with: "")
        case .delete(let type, let number): "delete \(type).\(number)"
        case .deleteClass(let type): "deleteClass \(type)"
        case .deleteAll: "deleteAll"
        case .addTaken(let type, let number): "addTaken \(type).\(number)"
        case .savepoint(let edits, let end): "savepoint \(end) {\(edits)}"
        }
    }
}

extension AtlasTransaction: CustomStringConvertible {
    var description: String {
        "side \(side), \(end):" + edits.map { "\n    \($0)" }.joined()
    }
}
