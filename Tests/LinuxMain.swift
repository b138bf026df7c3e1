import Dispatch
import Testing

/// The entry point of the test program. With a file of this name, SwiftPM doesn't search an index
/// of the sources for XCTest classes, so that the build needs no index, which would take a tenth of
/// the time that the tests take to compile.
@main
struct TestProgram {
    /// Not `async`: the symbol of an asynchronous `main` would collide with those of the programs
    /// that are linked with the tests.
    static func main() {
        // `swift test` runs the program a second time, for XCTest.
        guard CommandLine.arguments.contains("swift-testing") else { return }
        Task { await Testing.__swiftPMEntryPoint() as Never }
        dispatchMain()
    }
}
