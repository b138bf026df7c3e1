internal import Glibc

/// The owner and mode of a realm's directory, or of a realm in one file, and the resulting
/// permissions of its files.
///
/// A group-writable directory is shared by its group, whose members are trusted. A world-writable
/// directory may contain files planted by untrusted users.
struct PosixPermissions {
    private let owner: uid_t
    private let group: gid_t
    private let mode: mode_t

    init(of status: stat) {
        owner = status.st_uid
        group = status.st_gid
        mode = status.st_mode
    }

    private var isWorldWritable: Bool { mode & S_IWOTH != 0 }
    private var isGroupWritable: Bool { mode & S_IWGRP != 0 }

    /// Whether it belongs to this user.
    var isOwn: Bool { owner == geteuid() }

    /// Whether an untrusted user may have created it, to receive this user's data.
    var isUntrusted: Bool { isWorldWritable && owner != geteuid() && owner != 0 }

    /// Returns whether a file in the directory can be trusted as one of the realm's files.
    func mayHave(_ file: stat) -> Bool {
        !isWorldWritable || [geteuid(), 0, owner].contains(file.st_uid)
    }

    /// The group that shares the realm, if any.
    private var sharedGroup: gid_t? { isGroupWritable && !isWorldWritable ? group : nil }

    /// The permissions of new files: for the owner only, or also for the group that shares the
    /// realm.
    var ofFiles: (mode: mode_t, group: gid_t?) {
        sharedGroup.map { (0o660, $0) } ?? (0o600, nil)
    }

    /// Gives a new file with the mode 0600 the permissions of the realm's files.
    ///
    /// A file that root creates in another user's directory is given to that user, who otherwise
    /// couldn't use the realm any more. If the system doesn't allow that, it stays root's.
    ///
    /// - Returns: 0, or the negative error number if the mode can't be set.
    func apply(to file: Int32) -> Int32 {
        let result = Self.apply(ofFiles, to: file)
        if result == 0, geteuid() == 0, owner != 0 {
            _ = repeated { fchown(file, owner, gid_t.max) }
        }
        return result
    }

    /// Sets the group and the mode of a new file with the mode 0600, regardless of the umask. If
    /// the user can't assign the group, the file's group gets no permission that others don't have.
    ///
    /// - Returns: 0, or the negative error number if the mode can't be set.
    static func apply(_ permissions: (mode: mode_t, group: gid_t?), to file: Int32) -> Int32 {
        var mode = permissions.mode
        if let group = permissions.group, repeated({ fchown(file, uid_t.max, group) }) < 0 {
            mode &= 0o707 | (mode & 0o007) << 3
        }
        return repeated { fchmod(file, mode) }
    }
}
