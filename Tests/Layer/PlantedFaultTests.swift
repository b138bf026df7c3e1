import RegnumTestSupport
import Testing

/// Checks the form of the patches in `Tests/faults`, each of which plants a fault that a test must
/// catch. Every check first finds the problem in a bad sample patch.
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
        expectNil(problem())
        expectNil(problem("Fault: B", "Caught by: Alpha/one", "Effort: soak"))
        expectEqual(problem("Fault: "), "first line does not describe the fault")
        expectEqual(problem("Fault: A", "Caught: x"), "second line does not name a test")
        for effort in ["Effort: ", "Effort: all", "gate"] {
            let problem = problem("Fault: A", "Caught by: Alpha", effort)
            expectEqual(problem, "third line is not an effort, gate or soak")
        }
        for rest in ["", "\n", "diff --git a/x b/x", "\nNote"] {
            let problem = problem("Fault: A", "Caught by: Alpha", "Effort: gate", rest)
            expectEqual(problem, "has no diff after a blank line")
        }
        for test in ["Beta", "Model", "Alpha/two", "Alpha/"] {
            expectEqual(problem("Fault: A", "Caught by: \(test)"), "names \(test), not a test")
        }
    }

    @Test func everyPatchNamesATestThatExists() throws {
        let tests = try TestDeclarations.ofRepository()
        let paths = SourceTree.paths(in: "Tests/faults").filter { $0.hasSuffix(".patch") }
        expectTrue(paths.count >= 60)
        let problems = try paths.compactMap { path in
            patchProblem(try SourceTree.text(of: path), tests).map { "\(path): \($0)" }
        }
        expectEqual(problems, [])
    }
}

/// Returns the problem in the header of a patch, or `nil`.
private func patchProblem(_ text: String, _ tests: TestDeclarations) -> String? {
    let lines = text.split(separator: "\n", maxSplits: 5, omittingEmptySubsequences: false)
    func value(_ line: Int, _ key: String) -> String? {
        guard line < lines.count, lines[line].hasPrefix(key) else { return nil }
        return lines[line] == key ? nil : String(lines[line].dropFirst(key.count))
    }
    guard value(0, "Fault: ") != nil else { return "first line does not describe the fault" }
    guard let test = value(1, "Caught by: ") else {
        return "second line does not name a test"
    }
    guard ["gate", "soak"].contains(value(2, "Effort: ")) else {
        return "third line is not an effort, gate or soak"
    }
    guard value(4, "diff --git ") != nil, lines[3].isEmpty else {
        return "has no diff after a blank line"
    }
    let parts = test.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let function = parts.count > 1 ? String(parts[1]) : nil
    return tests.contains(suite: String(parts[0]), function: function)
        ? nil : "names \(test), not a test"
}
