import RegnumStore

/// Opens the realm that the first argument names, as whatever user runs this, and prints what came
/// of it: "opened", or the code and the sentence of the error. A second argument "read": for reading.
@main
enum OpenChild {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2 else { return print("usage: RegnumOpenChild PATH [read]") }
        do throws(StoreError) {
            let report = try open(arguments[1], isReadOnly: arguments.last == "read")
            print("opened at version \(report.version)")
        } catch {
            print("\(error.code.rawValue): \(error.sentence)")
        }
    }

    private static func open(_ path: String, isReadOnly: Bool) throws(StoreError) -> RecoveryReport
    {
        let disk = PosixFileSystem.shared
        let options = StoreOptions()
        let deliver: RealmLog.Deliver = { (_) throws(StoreError) in }
        if isReadOnly {
            return try RealmLog.openForReading(
                disk, path: path, options: options, load: { (_, _) throws(StoreError) in }, deliver
            ).report
        }
        return try RealmLog.open(disk, path: path, options: options, deliver).report
    }
}
