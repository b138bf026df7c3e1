internal import RegnumEngine

extension FrozenSections: CustomStringConvertible {
    /// The keys with the numbers of objects, one per line, at most 100.
    public var description: String {
        ReadScope.describe(name) {
            sectioning.describe(name)
        }
    }
}

extension SectionedResults: CustomStringConvertible {
    /// The keys with the numbers of objects, one per line, at most 100.
    public var description: String {
        isInvalidated ? "\(name) [invalidated]" : current.sectioning.describe(name)
    }
}

extension Sectioning {
    fileprivate func describe(_ name: String) -> String {
        var lines = keys.prefix(ObjectPrinter.maximumElementCount).enumerated().map {
            "    [\($0.offset)] \($0.element): \(layout.rowCount(in: $0.offset))"
        }
        if keys.count > lines.count { lines.append("    … \(keys.count - lines.count) more") }
        return ([name + " ("] + lines + [")"]).joined(separator: "\n")
    }
}

extension SectionChangeSet: CustomStringConvertible {
    /// The positions and paths, the version and the origins, on one line.
    public var description: String {
        "SectionChangeSet(sectionDeletions: \(sectionDeletions), "
            + "sectionInsertions: \(sectionInsertions), deletions: \(deletions), "
            + "insertions: \(insertions), modifications: \(modifications), "
            + "newModifications: \(newModifications), version: \(version), origins: \(origins))"
    }
}
