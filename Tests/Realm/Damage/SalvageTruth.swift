import Regnum

/// What the properties of salvaged crates may be.
///
/// Those that the report doesn't name are as in its version or, if commits are missing, as the
/// other commits leave them. A collection then has the elements from before missing commits, except
/// those of deleted objects, and perhaps later values; or the elements in the version of the
/// report, if the object is newer than the missing commits. Collections that the report names have
/// no elements that they never had.
struct SalvageTruth {
    /// The parts of an object's text, except the number of objects of the same name.
    typealias Parts = [Substring]

    private let source: DamagedSource
    private let report: SalvageReport
    /// By version, up to that of the report.
    private let contents: [UInt64: [Int: Parts]]
    /// The versions whose elements a collection may have if commits are missing.
    private let known: Set<UInt64>
    private let changed: Set<[String]>

    init(_ source: DamagedSource, _ report: SalvageReport) {
        self.source = source
        self.report = report
        contents = source.contents.filter { $0.key <= report.version }.mapValues { texts in
            texts.mapValues(Self.parts)
        }
        known = Set(report.missingCommits.map { $0.first - 1 } + [report.version])
        changed = Set(report.changedProperties.map { [$0.key ?? "", $0.property] })
    }

    static func parts(_ text: String) -> Parts { text.split(separator: "|").dropLast() }

    /// Returns whether a saved object may have the value of a property.
    func allows(_ parts: Parts, _ index: Int, of id: Int) -> Bool {
        let part = parts[index]
        let property = CrateText.properties[index]
        let isCollection = ["tags", "numbers", "marks", "others"].contains(property)
        if changed.contains(["\(id)", property]) {
            if !isCollection { return property == "value" || property == "next" && part == "nil" }
            let past = Set(values(index, of: id, since: 0).flatMap(Self.elements))
            return past.isSuperset(of: Self.elements(part))
        }
        if report.missingCommits.isEmpty {
            return contents[report.version]?[id]?[index] == part
        }
        if !isCollection { return values(index, of: id, since: 0).contains(part) }
        return known.contains { version in
            guard let value = contents[version]?[id]?[index] else { return false }
            switch property {
            case "marks":
                let later = Set(values(index, of: id, since: version).flatMap(Self.elements))
                return Self.keys(part) == Self.keys(value)
                    && later.isSuperset(of: Self.elements(part))
            case "others":
                return Self.elements(part)
                    == Self.elements(value).filter { !isDeleted($0, since: version) }
            default: return part == value
            }
        }
    }

    private func values(_ index: Int, of id: Int, since version: UInt64) -> [Substring] {
        contents.compactMap { $0.key >= version ? $0.value[id]?[index] : nil }
    }

    /// Returns whether a commit that can be read deleted the object that had a key at a version.
    private func isDeleted(_ key: Substring, since version: UInt64) -> Bool {
        guard let id = Int(key), version < report.version else { return false }
        let end = (version + 1...report.version).first {
            source.deletions[$0]?.contains(id) ?? false
        }
        guard let end else { return false }
        return !report.missingCommits.contains { $0.first <= end && end <= $0.last ?? .max }
    }

    /// Returns the elements of a collection, none of which contains a comma.
    private static func elements(_ part: Substring) -> [Substring] {
        part.dropFirst().dropLast().split(separator: ", ")
    }

    private static func keys(_ part: Substring) -> [Substring] {
        elements(part).map { $0.prefix { $0 != "=" } }
    }
}
