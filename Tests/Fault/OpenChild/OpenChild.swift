import RegnumStore

/// Opens the realm that the first argument names, as whatever user runs this, and prints what came
/// of it: "opened", or the code and the sentence of the error.
@main
enum OpenChild {
    static func main() {
        guard CommandLine.arguments.count == 2 else { return print("usage: RegnumOpenChild PATH") }
        do throws(StoreError) {
            let path = CommandLine.arguments[1]
            let (_, report) = try RealmLog.open(
                PosixFileSystem.shared, path: path, options: StoreOptions()
            ) { (_) throws(StoreError) in }
            print("opened at version \(report.version)")
        } catch {
            print("\(error.code.rawValue): \(error.sentence)")
        }
    }
}
