import Foundation
import RegnumTestSupport

// Gives made-up bytes to what reads the files of a realm. `Tests/soak --only fuzz` builds it with
// the fuzzer of LLVM and the address sanitizer; built otherwise it gives the files that it is told
// to, once each, or with `--corpus FOLDER` writes inputs to begin from.

let base = try FuzzBase()

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
        print("\(paths.count) inputs were read")
    }

#endif
