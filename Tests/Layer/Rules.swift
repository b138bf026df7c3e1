/// The modules that each folder of `Sources` may import, which define the layers of the
/// architecture.
let allowedImports: [String: Set<String>] = [
    "CLibuv": [],
    "CRegnum": [],
    "RegnumStore": ["CRegnum", "Glibc", "Synchronization"],
    "RegnumEngine": ["CRegnum", "RegnumStore", "Glibc", "Synchronization"],
    "RegnumWatch": ["CLibuv", "RegnumStore", "Glibc"],
    "Regnum": [
        "RegnumEngine", "RegnumStore", "RegnumWatch", "Crypto", "Logging", "Foundation",
        "FoundationEssentials", "Dispatch", "Glibc", "Swift", "Synchronization", "Tracing",
    ],
    "RegnumJSON": ["Regnum", "RegnumEngine", "RegnumStore", "Logging", "FoundationEssentials"],
    "RegnumWorkers": ["Regnum", "Logging", "FoundationEssentials", "Synchronization"],
    "RegnumService": [
        "Regnum", "RegnumEngine", "RegnumWorkers", "Configuration", "Foundation",
        "FoundationEssentials", "Logging", "Metrics", "ServiceLifecycle",
    ],
    "RegnumTesting": [
        "Regnum", "RegnumEngine", "RegnumStore", "RegnumWorkers", "FoundationEssentials", "Glibc",
        "Synchronization",
    ],
    "RegnumTool": [
        "Regnum", "RegnumJSON", "ArgumentParser", "Foundation", "Glibc", "Synchronization",
    ],
]

/// The folders of targets whose folders are layers too, lowest first. A file refers only to types
/// declared in its own folder and those before it.
let folderLayers: [String: [String]] = [
    "RegnumStore": ["Interface", "Threads", "Format", "Archive", "Posix", "Nodes", "Log"],
    "RegnumEngine": [
        "Values", "Schema", "Query", "Memory", "Index", "Lists", "Clusters", "Database",
        "Transaction", "Record", "Checkpoint", "Scan", "Changes", "Results", "Hub", "Coordinator",
        "LiveQueries", "Migration", "Salvage",
    ],
    "Regnum": [
        "Errors", "Objects", "Configuration", "Places", "Values", "Schema", "Binding", "Query",
        "Predicates", "Collections", "Projections", "Insertion", "Transaction", "Dynamic",
        "Frozen", "Changes", "Migrations", "Realm", "Generic", "Sections", "Pool",
    ],
]

/// The types of later folders that a file may refer to.
let folderExceptions: [String: Set<String>] = [
    // A managed object or collection refers to its class and transaction. Much of what these need
    // refers to objects and collections in turn.
    "Sources/Regnum/Objects/ObjectBase.swift": ["ClassBinding"],
    "Sources/Regnum/Values/ManagedList.swift": ["BindingPlace", "ClassBinding", "TransactionCore"],
    // The block receives a `Migration`.
    "Sources/Regnum/Configuration/Configuration.swift": ["MigrationBlock"],
    // All callers that open a realm get the same actor.
    "Sources/Regnum/Binding/RealmCore.swift": ["Realm"],
]

/// The folders of `Sources` with public declarations.
let publicTargets: Set<String> = [
    "Regnum", "RegnumJSON", "RegnumService", "RegnumTesting", "RegnumWorkers",
]

/// The allowed contents of the top level of the repository, besides dot files. (`Package.resolved`
/// is written by the package manager and isn't part of the repository.)
let allowedTopLevel: Set<String> = [
    "Package.swift", "Package.resolved", "README.md", "Sources", "Tests", "Examples", "Docs",
]

/// The areas of the tests, and what they share.
let allowedTestFolders: Set<String> = [
    "Benchmarks", "Changes", "Collections", "Compatibility", "Coordinator", "Engine", "Fault",
    "Layer", "Migrations", "Models", "Objects", "Oracles", "Processes", "Programs", "Queries",
    "Realm", "Simulation", "Store", "Support", "Traits", "Watch", "Workers", "faults",
]

let maximumLineCount = 400

/// Returns the imports that the layer of the file's target doesn't allow, or a target without a
/// layer.
func layerViolations(target: String, _ file: SourceText) -> [String] {
    guard let allowed = allowedImports[target] else {
        return ["\(file.path): the target \(target) has no row in the table of layers"]
    }
    return importedModules(file).filter { !allowed.contains($0) }
        .map { "\(file.path): \(target) may not import \($0)" }
}

/// Returns the modules that a file imports.
func importedModules(_ file: SourceText) -> [String] {
    let pattern =
        #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|typealias|func|var|let)\s+)?(\w+)/#
    return file.code.compactMap { line in line.firstMatch(of: pattern).map { String($0.1) } }
}

/// Returns the types that files refer to although a folder above theirs declares them, the
/// exceptions to that which aren't needed, and the files in folders that aren't in the table.
///
/// Compares names, so it misses members that an extension in a folder above adds to a type.
///
/// - Parameters:
///   - files: The files of a target.
///   - folders: The folders of the target, lowest first.
///   - exceptions: The types of folders above that files may refer to, by the files' paths.
func folderViolations(
    _ files: [SourceText], folders: [String], exceptions: [String: Set<String>] = [:]
) -> [String] {
    let layers = Dictionary(uniqueKeysWithValues: zip(folders, folders.indices))
    func layerIndex(of file: SourceText) -> Int? {
        let names = file.path.split(separator: "/")
        return names.count > 3 ? layers[String(names[2])] : nil
    }
    var layersOfTypes: [String: Int] = [:]
    for file in files {
        guard let layer = layerIndex(of: file) else { continue }
        for name in sharedTypes(file).names {
            layersOfTypes[name] = min(layer, layersOfTypes[name, default: layer])
        }
    }
    var violations: [String] = []
    for file in files {
        guard let layer = layerIndex(of: file) else {
            violations.append("\(file.path): the folder has no row in the table of layers")
            continue
        }
        var exceptions = exceptions[file.path, default: []]
        for name in references(in: file, to: layersOfTypes).sorted() {
            guard let upper = layersOfTypes[name], upper > layer else { continue }
            if exceptions.remove(name) != nil { continue }
            violations.append("\(file.path): \(folders[upper]) above it declares \(name)")
        }
        violations += exceptions.sorted().map { "\(file.path): needs no exception for \($0)" }
    }
    return violations
}

/// Returns the types that other files can use of those that a file declares at its top level or
/// directly in an extension, as `Outer.Inner`. Also returns the lines with headers of extensions
/// that declare a type.
private func sharedTypes(_ file: SourceText) -> (names: [String], headers: Set<Int>) {
    let modifiers: Set<Substring> = ["open", "public", "package", "internal", "final", "indirect"]
    let keywords: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    var names: [String] = []
    var headers: Set<Int> = []
    var header: (outer: String, index: Int)?
    for (index, line) in file.code.enumerated() where !line.hasPrefix("     ") {
        let isNested = line.hasPrefix(" ")
        if !isNested, !line.isEmpty { header = nil }
        let words = line.split(separator: " ", maxSplits: 8).drop {
            modifiers.contains($0) || $0.hasPrefix("@")
        }
        guard let keyword = words.first, words.count > 1 else { continue }
        let name = words[words.startIndex + 1].prefix {
            $0.isLetter || $0.isNumber || $0 == "_" || $0 == "."
        }
        if !isNested, keyword == "extension" { header = (String(name), index) }
        guard keywords.contains(keyword) else { continue }
        if !isNested {
            names.append(String(name))
        } else if let header {
            names.append("\(header.outer).\(name)")
            headers.insert(header.index)
        }
    }
    return (names, headers)
}

/// Returns the identifiers and keywords in a file's code, and those of the given types that are
/// named `Outer.Inner`. Such a name isn't a reference to `Outer`. Neither is the header of an
/// extension in which the file declares types.
private func references(in file: SourceText, to types: [String: Int]) -> Set<String> {
    let headers = sharedTypes(file).headers
    var words: Set<String> = []
    for (index, line) in file.code.enumerated() where !headers.contains(index) {
        // Bytes, because characters would take several times as long.
        let parts = line.utf8.split { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
                false
            default: true
            }
        }
        for part in parts { words.insert(String(Substring(part))) }
    }
    var names: Set<String> = []
    for word in words {
        var parts = word.split(separator: ".").map(String.init)
        while parts.count > 1, types["\(parts[0]).\(parts[1])"] != nil {
            parts[0...1] = ["\(parts[0]).\(parts[1])"]
        }
        names.formUnion(parts)
    }
    return names
}

/// Returns public declarations in a target below the library.
func publicViolations(target: String, _ file: SourceText) -> [String] {
    guard !publicTargets.contains(target) else { return [] }
    let pattern = #/\bpublic\b|\bopen\s+(?:class|func|var|subscript|override)\b/#
    return positions(in: file) { $0.contains(pattern) }.map { "\($0): public below Regnum" }
}

/// Returns unchecked promises to the compiler without a comment that names the guard, on the same
/// line or within the 3 above.
func guardViolations(_ file: SourceText) -> [String] {
    let promise = #/@unchecked\s+Sendable|nonisolated\(unsafe\)/#
    return file.code.indices.filter { index in
        guard file.code[index].contains(promise) else { return false }
        let comment = file.comments[max(0, index - 3)...index].joined(separator: " ")
        return !comment.lowercased().contains("guard")
    }.map { "\(file.path):\($0 + 1): no comment names the guard" }
}

/// Returns uses of `Synchronization.Mutex` in tests that run under the thread sanitizer and in what
/// they use: it reports false races there.
func mutexViolations(_ file: SourceText) -> [String] {
    let folders = [
        "Sources/Regnum/", "Sources/RegnumEngine/", "Sources/RegnumStore/",
        "Sources/RegnumTesting/", "Sources/RegnumWatch/", "Tests/Changes/", "Tests/Coordinator/",
        "Tests/Models/", "Tests/Oracles/", "Tests/Realm/", "Tests/Simulation/", "Tests/Support/",
        "Tests/Watch/",
    ]
    guard folders.contains(where: file.path.hasPrefix) else { return [] }
    return positions(in: file) { $0.contains(#/\bMutex\b/#) }
        .map { "\($0): use Guarded, whose lock the thread sanitizer sees" }
}

/// Returns calls of `precondition` in the library: release builds drop their messages, while
/// `ERRORS.md` promises one for each trap.
func preconditionViolations(target: String, _ file: SourceText) -> [String] {
    guard publicTargets.contains(target) else { return [] }
    return positions(in: file) { $0.contains(#/\bprecondition\(/#) }
        .map { "\($0): use fatalError, whose message release builds print" }
}

/// Returns macros with a closure as (part of) an argument in parentheses. `Expectations.swift` says
/// why there should be none.
func macroViolations(_ file: SourceText) -> [String] {
    let code = file.code.joined(separator: "\n")
    return code.matches(of: #/#(?:expect|require)\(/#).compactMap { macro in
        var depth = 1
        let arguments = code[macro.range.upperBound...].prefix { character in
            depth += character == "(" ? 1 : character == ")" ? -1 : 0
            return depth > 0
        }
        guard arguments.contains("{") else { return nil }
        let line = code[..<macro.range.lowerBound].count { $0 == "\n" } + 1
        return "\(file.path):\(line): keep closures out of a macro's arguments"
    }
}

func lengthViolations(_ file: SourceText) -> [String] {
    file.lineCount > maximumLineCount
        ? ["\(file.path): \(file.lineCount) lines, more than \(maximumLineCount)"] : []
}

/// Returns meaningless names.
func nameViolations(path: String) -> [String] {
    let emptyWords = #/Util|Helper|Manager/#
    return path.split(separator: "/").contains { $0.contains(emptyWords) }
        ? ["\(path): a name should say what the file is about"] : []
}

/// Returns names that don't belong in a folder.
func placeViolations(_ names: [String], in folder: String, allowed: Set<String>) -> [String] {
    names.filter { !allowed.contains($0) }.map { "\(folder)/\($0): does not belong there" }
}

/// Returns the tests that a page names. Tests name what they cover instead.
func testNameViolations(page: String, text: String) -> [String] {
    text.matches(of: #/\b[A-Z]\w*Tests[.\/](?!swift\b)[a-z]\w*/#)
        .map { "\(page): names the test \($0.output)" }
}

private func positions(in file: SourceText, where isBad: (String) -> Bool) -> [String] {
    file.code.indices.filter { isBad(file.code[$0]) }.map { "\(file.path):\($0 + 1)" }
}
