internal import Glibc

/// The owner and mode of a realm's directory, and the resulting permissions of its files.
///
/// A group-writable directory is shared by its group, whose members are trusted. A world-writable
/// directory may contain files planted by untrusted users.
struct PosixPermissions {
    private let owner: uid_t
    private let group: gid_t
    private let mode: mode_t

    init(directory status: stat) {
        owner = status.st_uid
        group = status.st_gid
        mode = status.st_mode
    }

    private var mayEverybodyWrite: Bool { mode & S_IWOTH != 0 }
    private var mayGroupWrite: Bool { mode & S_IWGRP != 0 }

    /// Whether the directory belongs to this user.
    var isOwn: Bool { owner == geteuid() }

    /// Whether an untrusted user may have created the directory to receive this user's data.
    var isStrangers: Bool { mayEverybodyWrite && owner != geteuid() && owner != 0 }

    /// Returns whether a file in the directory can be trusted as one of the realm's files.
    func mayHave(_ file: stat) -> Bool {
        !mayEverybodyWrite || [geteuid(), 0, owner].contains(file.st_uid)
    }

    /// The group that shares the realm, if any.
    var sharedGroup: gid_t? { mayGroupWrite && !mayEverybodyWrite ? group : nil }

    /// The mode of new files: for the owner only, or also for the group that shares the realm.
    var fileMode: mode_t { sharedGroup == nil ? 0o600 : 0o660 }
}
