import Testing

/// Holds the patches in `Tests/faults`, each of which plants a fault that a test must catch, to
/// their form. Every check first finds the fault in a patch that has one.
@Suite struct PlantedFaultTests {
    @Test func headersSayWhichTestCatchesTheFault() {
        let tests = TestDeclarations(
            sample: "struct Alpha {\n    @Test func one() {}\n}\nstruct Model {}")
        func problem(
            _ fault: String = "Fault: A", _ test: String = "Caught by: Alpha",
            _ effort: String = "Effort: gate", _ rest: String = "\ndiff --git a/x b/x\n"
        ) -> String? {
            let patch = [fault, test, effort, rest].joined(separator: "\n")
            return patchProblem(patch, tests)
        }
        #expect(problem() == nil)
        #expect(problem("Fault: B", "Caught by: Alpha/one", "Effort: soak") == nil)
        #expect(problem("Fault: ") == "says in no first line what the fault is")
        #expect(problem("Fault: A", "Caught: x") == "says in no second line what catches it")
        for effort in ["Effort: ", "Effort: all", "gate"] {
            let problem = problem("Fault: A", "Caught by: Alpha", effort)
            #expect(problem == "says in no third line whether gate or soak catches it")
        }
        for rest in ["", "\n", "diff --git a/x b/x", "\nNote"] {
            let problem = problem("Fault: A", "Caught by: Alpha", "Effort: gate", rest)
            #expect(problem == "has no diff after a blank line")
        }
        for test in ["Beta", "Model", "Alpha/two", "Alpha/"] {
            #expect(problem("Fault: A", "Caught by: \(test)") == "names \(test), which is no test")
        }
    }

    @Test func everyPatchNamesATestThatExists() throws {
        let tests = try TestDeclarations.ofRepository()
        let paths = SourceTree.paths(in: "Tests/faults").filter { $0.hasSuffix(".patch") }
        #expect(paths.count >= 60)
        let problems = try paths.compactMap { path in
            patchProblem(try SourceTree.text(of: path), tests).map { "\(path): \($0)" }
        }
        #expect(problems == [])
    }
}

/// What is wrong with the header of a patch, or nil.
private func patchProblem(_ text: String, _ tests: TestDeclarations) -> String? {
    let lines = text.split(separator: "\n", maxSplits: 5, omittingEmptySubsequences: false)
    func value(_ line: Int, _ key: String) -> String? {
        guard line < lines.count, lines[line].hasPrefix(key) else { return nil }
        return lines[line] == key ? nil : String(lines[line].dropFirst(key.count))
    }
    guard value(0, "Fault: ") != nil else { return "says in no first line what the fault is" }
    guard let test = value(1, "Caught by: ") else {
        return "says in no second line what catches it"
    }
    guard ["gate", "soak"].contains(value(2, "Effort: ")) else {
        return "says in no third line whether gate or soak catches it"
    }
    guard value(4, "diff --git ") != nil, lines[3].isEmpty else {
        return "has no diff after a blank line"
    }
    let parts = test.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let function = parts.count > 1 ? String(parts[1]) : nil
    return tests.contains(suite: String(parts[0]), function: function)
        ? nil : "names \(test), which is no test"
}
