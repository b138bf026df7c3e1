import Foundation
import RegnumTestSupport

// Passes fuzzed bytes to the decoders of a realm's files and the parser of predicate strings.
// `Tests/soak --only fuzz` builds it with LLVM's fuzzer and the address sanitizer; built otherwise,
// it runs the given files once each, or with `--corpus FOLDER` writes inputs to start from.

let base = try await FuzzBase()

#if REGNUM_FUZZER

    @_silgen_name("LLVMFuzzerRunDriver")
    func runFuzzer(
        _ count: UnsafeMutablePointer<Int32>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
        _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    ) -> Int32

    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    let status = runFuzzer(&count, &arguments) { bytes, count in
        FuzzTarget.run(UnsafeRawBufferPointer(start: bytes, count: count), base)
        return 0
    }
    exit(status)

#else

    var paths = Array(CommandLine.arguments.dropFirst())
    if paths.first == "--corpus", paths.count == 2 {
        for input in try base.corpus() {
            try Data(input.bytes).write(to: URL(filePath: paths[1]).appending(path: input.name))
        }
    } else {
        for path in paths {
            let bytes = try Data(contentsOf: URL(filePath: path))
            bytes.withUnsafeBytes { FuzzTarget.run($0, base) }
        }
        print("\(paths.count) inputs read")
    }

#endif
