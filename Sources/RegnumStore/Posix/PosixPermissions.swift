internal import Glibc

/// Who owns a realm's directory and who may write to it, and what follows for its files.
///
/// A directory that its group may write to is shared by the group, whose members are trusted. One
/// that everybody may write to holds what strangers have put there.
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

    /// Whether the directory is this user's.
    var isOwn: Bool { owner == geteuid() }

    /// Whether a stranger may have made it to receive what this user writes.
    var isStrangers: Bool { mayEverybodyWrite && owner != geteuid() && owner != 0 }

    /// Whether a file in the directory may be used as one of the realm's.
    func mayHave(_ file: stat) -> Bool {
        !mayEverybodyWrite || [geteuid(), 0, owner].contains(file.st_uid)
    }

    /// The group that shares the realm.
    var sharedGroup: gid_t? { mayGroupWrite && !mayEverybodyWrite ? group : nil }

    /// The permissions of new files: for the owner, and for a group that shares the realm.
    var fileMode: mode_t { sharedGroup == nil ? 0o600 : 0o660 }
}
