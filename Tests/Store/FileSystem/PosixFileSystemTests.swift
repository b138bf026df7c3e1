import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// Behavior that only the real file system has: permissions, links, the bytes of `LOCK`.
@Suite struct PosixFileSystemTests {
    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try requireValue(attributes[.posixPermissions] as? Int)
    }

    @Test func onlyTheOwnerMayReadWhatIsMade() throws {
        let disk = try TestDisk(.posix)
        let realm = try disk.makeRealm()
        _ = try realm.create("log")
        _ = try realm.openLock()
        try expectEqual(permissions(disk.realmPath), 0o700)
        try expectEqual(permissions("\(disk.realmPath)/log"), 0o600)
        try expectEqual(permissions("\(disk.realmPath)/LOCK"), 0o600)
    }

    /// Accessing a mapped page beyond the end of its file would kill the process.
    // Covers .fileMoved
    @Test(arguments: [true, false]) func lockThatWasCutShortIsNotCurrent(isReadOnly: Bool) throws {
        let disk = try TestDisk(.posix)
        let owner = try disk.makeRealm().openLock()
        owner.storeControlSlot(0, ControlWords(repeating: 7))
        let directory =
            isReadOnly ? try disk.fileSystem.openDirectory(disk.realmPath, .readOnly) : nil
        let lock = try directory?.openLock() ?? owner
        try expectTrue(lock.isCurrent())
        try FileHandle(forWritingAtPath: "\(disk.realmPath)/LOCK")?.truncate(atOffset: 100)
        try expectTrue(!lock.isCurrent())
        expectEqual(lock.loadControlSlot(0), ControlWords(repeating: 0))
        expectEqual(lock.load(.grantCount), 0)
        if !isReadOnly {
            lock.countGrant()
            lock.signalRelease()
            lock.wake()  // makes the file longer
        } else {
            try FileHandle(forWritingAtPath: "\(disk.realmPath)/LOCK")?.truncate(atOffset: 8192)
        }
        try expectTrue(!lock.isCurrent())
    }

    @Test func permissionsOfAnExistingDirectoryAreLeftAlone() throws {
        let disk = try TestDisk(.posix)
        try FileManager.default.createDirectory(
            atPath: disk.realmPath, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        _ = try disk.makeRealm()
        try expectEqual(permissions(disk.realmPath), 0o755)
    }

    /// A group that may write to the directory may also write to its files, including later ones.
    @Test(arguments: [
        (0o700, 0o600), (0o755, 0o600), (0o770, 0o660), (0o775, 0o660), (0o777, 0o600),
    ])
    func filesAreSharedAsTheirDirectoryIs(directory: Int, file: Int) throws {
        let disk = try TestDisk(.posix)
        try FileManager.default.createDirectory(
            atPath: disk.realmPath, withIntermediateDirectories: false)
        try #require(chmod(disk.realmPath, mode_t(directory)) == 0)
        if geteuid() == 0 { try #require(chown(disk.realmPath, uid_t.max, 4321) == 0) }
        var options = StoreOptions()
        options.firstSegmentByteCount = 8192
        let log = try RealmLog.open(
            disk.fileSystem, path: disk.realmPath, options: options
        ) { _ in }.log
        _ = try log.tryBecomeWriter { _ in }
        for version in 1...4 as ClosedRange<UInt64> {
            try log.append([[UInt8](repeating: 1, count: 5000)], version: version)
            try log.sync()
            if log.needsSpareSegment { log.spareSegment.make() }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: disk.realmPath)
        expectTrue(names.count > 3)
        for name in names {
            try expectEqual(permissions("\(disk.realmPath)/\(name)"), file, "\(name)")
            guard geteuid() == 0, file == 0o660 else { continue }
            var status = stat()
            let result = stat("\(disk.realmPath)/\(name)", &status)
            try #require(result == 0)
            expectEqual(status.st_gid, 4321)
        }
    }

    /// A server that is running when its directory is shared with a group creates files for it.
    @Test func filesAreSharedAsTheirDirectoryIsNow() throws {
        let disk = try TestDisk(.posix)
        let realm = try disk.makeRealm()
        for (mode, file) in [(0o770, 0o660), (0o700, 0o600)] as [(mode_t, Int)] {
            try #require(chmod(disk.realmPath, mode) == 0)
            _ = try realm.create("log \(mode)")
            try expectEqual(permissions("\(disk.realmPath)/log \(mode)"), file)
        }
    }

    /// Where everybody may write, files of other users aren't used.
    @Test(.enabled(if: geteuid() == 0, "needs root to give files away"))
    func filesOfStrangersAreRefusedWhereEverybodyMayWrite() throws {
        let disk = try TestDisk(.posix)
        let realm = try disk.makeRealm()
        try realm.create("log").write([1])
        try #require(chown("\(disk.realmPath)/log", 65534, 65534) == 0)
        let cases: [(mode_t, StoreError.Code?)] = [
            (0o700, nil), (0o775, nil), (0o777, .fileAccess), (0o1777, .fileAccess),
        ]
        for (mode, code) in cases {
            try #require(chmod(disk.realmPath, mode) == 0)
            let again = try disk.makeRealm()
            expectEqual(codeThrown { _ = try again.open("log") }, code, "\(mode)")
        }
        try #require(chown(disk.realmPath, 65534, 65534) == 0)
        expectEqual(codeThrown { _ = try disk.makeRealm() }, .filePermissionDenied)
        let reading = codeThrown {
            _ = try disk.fileSystem.openDirectory(disk.realmPath, .readOnly)
        }
        expectEqual(reading, .filePermissionDenied)
        let own = codeThrown { _ = try disk.fileSystem.openDirectory(disk.realmPath, .own) }
        expectEqual(own, .fileAccess)
        try #require(chmod(disk.realmPath, 0o770) == 0)
        try expectEqual(disk.makeRealm().open("log").readAll(), [1])
        let shared = try disk.fileSystem.openDirectory(disk.realmPath, .readOnly)
        try expectEqual(shared.open("log").readAll(), [1])
    }

    @Test func directoryThatMustBeNewOrOwnIsNotReachedThroughALink() throws {
        let disk = try TestDisk(.posix)
        _ = try disk.makeRealm().create("log")
        let link = "\(disk.base)/link"
        for target in [disk.realmPath, "\(disk.base)/nowhere"] {
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            expectEqual(
                codeThrown { _ = try disk.fileSystem.openDirectory(link, .own) }, .fileAccess)
            expectEqual(
                codeThrown { _ = try disk.fileSystem.openDirectory(link, .new) }, .fileExists)
            expectEqual(
                codeThrown {
                    try disk.fileSystem.moveDirectory(link, to: "\(disk.base)/moved")
                }, .fileAccess)
            try FileManager.default.removeItem(atPath: link)
        }
        expectTrue(!FileManager.default.fileExists(atPath: "\(disk.base)/nowhere"))
        try expectEqual(disk.fileSystem.openDirectory(disk.realmPath, .own).names(), ["log"])
        let made = try disk.fileSystem.openDirectory("\(disk.base)/new", .new)
        try expectTrue(made.names() == [] && permissions("\(disk.base)/new") == 0o700)
    }

    @Test func linksAndOtherKindsOfFileAreRefused() throws {
        let disk = try TestDisk(.posix)
        let realm = try disk.makeRealm()
        try realm.create("log").write([1])
        try FileManager.default.createSymbolicLink(
            atPath: "\(disk.realmPath)/symbolic", withDestinationPath: "log")
        try FileManager.default.createDirectory(
            atPath: "\(disk.realmPath)/directory", withIntermediateDirectories: false)
        try #require(mkfifo("\(disk.realmPath)/pipe", 0o600) == 0)
        for name in ["symbolic", "directory", "pipe"] {
            expectEqual(codeThrown { _ = try realm.open(name) }, .fileAccess, "\(name)")
        }
        expectEqual(codeThrown { _ = try realm.create("symbolic") }, .fileExists)
        try FileManager.default.linkItem(
            atPath: "\(disk.realmPath)/log", toPath: "\(disk.realmPath)/hard")
        expectEqual(codeThrown { _ = try realm.open("log") }, .fileAccess)
        expectEqual(codeThrown { _ = try realm.open("hard") }, .fileAccess)
    }

    @Test func lockThatIsALinkIsRefusedAndItsTargetUntouched() throws {
        let disk = try TestDisk(.posix)
        let realm = try disk.makeRealm()
        let target = "\(disk.base)/precious"
        try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(
            atPath: "\(disk.realmPath)/LOCK", withDestinationPath: target)
        expectEqual(codeThrown { _ = try realm.openLock() }, .fileAccess)
        expectEqual(FileManager.default.contents(atPath: target), Data("precious".utf8))
    }

    @Test func linkToARealmDirectoryIsFollowed() throws {
        let disk = try TestDisk(.posix)
        _ = try disk.makeRealm().create("log")
        let link = "\(disk.base)/link"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: disk.realmPath)
        try expectEqual(disk.fileSystem.openDirectory(link, .creating).names(), ["log"])
    }

    @Test func realmThatIsMovedStaysTheSameRealm() throws {
        let disk = try TestDisk(.posix)
        let realm = try disk.makeRealm()
        try FileManager.default.moveItem(atPath: disk.realmPath, toPath: "\(disk.base)/moved")
        _ = try realm.create("log")
        expectTrue(FileManager.default.fileExists(atPath: "\(disk.base)/moved/log"))
    }

    @Test(arguments: [0, 1, 200, 4096, 8191])
    func unfinishedLockIsFinishedAndKeepsItsBytes(size: Int) throws {
        let disk = try TestDisk(.posix)
        let realm = try disk.makeRealm()
        let path = "\(disk.realmPath)/LOCK"
        try Data(repeating: 5, count: size).write(to: URL(fileURLWithPath: path))
        let lock = try realm.openLock()
        let expected = Data(repeating: 5, count: size) + Data(count: 8192 - size)
        expectEqual(FileManager.default.contents(atPath: path), expected)
        expectTrue(lock.loadControlSlot(1)[15] == (size >= 256 ? 0x0505_0505_0505_0505 : 0))
    }

    @Test func lockThatIsLongerIsNotShortened() throws {
        let disk = try TestDisk(.posix)
        let realm = try disk.makeRealm()
        let path = "\(disk.realmPath)/LOCK"
        try Data(repeating: 5, count: 9000).write(to: URL(fileURLWithPath: path))
        _ = try realm.openLock()
        expectEqual(FileManager.default.contents(atPath: path), Data(repeating: 5, count: 9000))
    }

    @Test func wakeWritesIntoTheSecondPage() throws {
        let disk = try TestDisk(.posix)
        let lock = try disk.makeRealm().openLock()
        var words = ControlWords()
        words[3] = 0x0102_0304
        lock.storeControlSlot(1, words)
        let path = "\(disk.realmPath)/LOCK"
        let before = try requireValue(FileManager.default.contents(atPath: path))
        lock.wake()
        let after = try requireValue(FileManager.default.contents(atPath: path))
        expectEqual(after.count, 8192)
        expectEqual(before[152..<156], Data([4, 3, 2, 1]))
        expectEqual(after[..<4096], before[..<4096])
        expectTrue(after[4096..<4104] != before[4096..<4104])
    }

    /// The signal that the system would raise ends the process.
    // Covers .diskFull
    @Test func fileThatWouldExceedTheLimitOnFileSizesIsAnError() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_DFL)
            let disk = try TestDisk(.posix)
            let realm = try disk.makeRealm()
            let file = try realm.create("log")
            let lock = try realm.openLock()
            var limit = rlimit()
            expectEqual(getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit), 0)
            limit.rlim_cur = 10_000
            expectEqual(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit), 0)
            try file.write([UInt8](repeating: 1, count: 9_999), at: 0)
            for count in [2, 20_000] {
                let error = #expect(throws: StoreError.self) {
                    try file.write([UInt8](repeating: 2, count: count), at: 9_999)
                }
                expectTrue(error?.code == .diskFull && error?.isFileTooLarge == true)
            }
            try expectEqual(file.size(), 9_999)
            try file.write([2], at: 9_999)
            limit.rlim_cur = 4096
            expectEqual(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit), 0)
            lock.wake()
            try realm.unlink("LOCK")
            let error = #expect(throws: StoreError.self) { _ = try realm.openLock() }
            expectTrue(error?.code == .diskFull && error?.isFileTooLarge == true)
        }
    }

    /// Nobody can make directories in sysfs: EACCES, EPERM or EROFS, depending on the user and the
    /// system.
    // Covers 12.3, .filePermissionDenied
    @Test func refusalByTheSystemIsADeniedPermission() throws {
        let error = #expect(throws: StoreError.self) {
            _ = try PosixFileSystem.shared.openDirectory("/sys/a.realm", .creating)
        }
        expectEqual(error?.code, .filePermissionDenied)
        expectEqual(error?.message.contains("/sys/a.realm"), true)
        expectTrue(error?.errno != nil)
    }

    @Test func pathThatIsNoneIsRefused() {
        for path in ["", "a\0b"] {
            expectEqual(
                codeThrown { _ = try PosixFileSystem.shared.openDirectory(path, .creating) },
                .fileAccess)
        }
    }

    @Test func networkFileSystemsAreKnownByTheirNumbers() throws {
        expectEqual(PosixFileSystem.networkFileSystem(type: 0x6969), "NFS")
        expectEqual(PosixFileSystem.networkFileSystem(type: 0xFF53_4D42), "SMB")
        expectEqual(PosixFileSystem.networkFileSystem(type: 0x6573_5546), "FUSE")
        let shared: [Int64] = [0x4750_4653, 0x1983_0326, 0x786F_4256, 0xBACB_ACBC, 0x7C7C_6673]
        expectEqual(
            shared.map(PosixFileSystem.networkFileSystem),
            ["GPFS", "BeeGFS", "VirtualBox", "VMware", "Parallels"])
        expectNil(PosixFileSystem.networkFileSystem(type: 0xEF53), "ext4")
        expectNil(PosixFileSystem.networkFileSystem(type: 0x0102_1994), "tmpfs")
        expectNil(PosixFileSystem.networkFileSystem(type: -2), "an error")
        for path in ["/proc", "/proc/missing", "/nowhere/missing", "/"] {
            expectNil(PosixFileSystem.shared.networkFileSystem(at: path), "\(path)")
        }
    }

    /// Only some errors say where a path leads.
    @Test func errorsOfAPathAreNotTakenForAnAnswer() {
        for number in [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG] {
            expectEqual(PosixFileSystem.leads(afterError: number), false)
        }
        for number in [EACCES, EPERM] {
            expectEqual(PosixFileSystem.leads(afterError: number), true)
        }
        for number in [EIO, ENOMEM, ESTALE, ENOTCONN, EOVERFLOW] {
            expectNil(PosixFileSystem.leads(afterError: number))
        }
    }

    /// A file that another process removes between the two calls counts as missing.
    @Test func fileThatWasRemovedWhileItWasOpenedIsNotRefusedForItsLinks() {
        let counts: [UInt64] = [0, 1, 2]
        expectEqual(
            counts.map { PosixDirectory.mayOpen(linkCount: $0, isReadOnly: false) },
            [nil, true, false])
        expectEqual(
            counts.map { PosixDirectory.mayOpen(linkCount: $0, isReadOnly: true) },
            [true, true, true])
    }

    /// Each later open would take the boot for another one.
    @Test(.enabled(if: access("/proc/sys/kernel/random/boot_id", R_OK) == 0))
    func bootIDThatCannotBeReadAtFirstIsReadLater() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let held = takeAllDescriptors()
            _ = PosixFileSystem.shared.bootID()
            for descriptor in held { close(descriptor) }
            exit(PosixFileSystem.shared.bootID() == nil ? 8 : 7)
        }
    }

    /// A server that was started by root may only have the right to change its directory then.
    @Test(.enabled(if: geteuid() == 0, "needs root to give up its privileges"))
    func aDirectoryIsListedAfterThePermissionWasGivenUp() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let disk = try TestDisk(.posix)
            let realm = try disk.makeRealm()
            _ = try realm.create("log")
            guard chmod(disk.realmPath, 0o733) == 0, seteuid(65534) == 0 else { exit(8) }
            let first = try realm.names()
            let second = try realm.names()
            guard seteuid(0) == 0 else { exit(9) }
            try FileManager.default.removeItem(atPath: disk.base)
            exit(first.contains("log") && second == first ? 7 : 10)
        }
    }

    @Test func bootIDIsParsedOrRefused() {
        let text = "01234567-89ab-cdef-0123-456789abcdef"
        let identity = Identity128(high: 0x0123_4567_89AB_CDEF, low: 0x0123_4567_89AB_CDEF)
        expectEqual(Identity128(bootID: text.utf8), identity)
        expectEqual(Identity128(bootID: "\(text)\n".utf8), identity)
        for wrong in ["", "\n", "\(text)0", "\(text)\n\n", "0\(text)", text.uppercased()] {
            expectNil(Identity128(bootID: wrong.utf8), "\(wrong)")
        }
        expectNil(Identity128(bootID: String(text.dropLast()).utf8))
        expectNil(Identity128(bootID: text.replacing("-", with: "0").utf8))
    }
}
