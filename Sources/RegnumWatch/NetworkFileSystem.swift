internal import CLibuv

/// Returns whether `path` is on a file system on which other clients' writes raise no inotify event
/// here. Returns false on an error; opening the watch then reports the reason.
func isOnNetworkFileSystem(_ path: String) -> Bool {
    var description = statfs()
    guard statfs(path, &description) == 0 else { return false }
    return isNetworkFileSystem(type: UInt32(truncatingIfNeeded: description.f_type))
}

/// Checks a type number of statfs(2). FUSE and 9P aren't included: most of those mounts are local,
/// and the timer covers the others.
///
/// `PosixFileSystem` in RegnumStore, on which this module doesn't depend, has a list of the file
/// systems whose locks are unreliable, which includes those two. It states the numbers' sources.
func isNetworkFileSystem(type: UInt32) -> Bool {
    switch type {
    case 0x6969: true  // NFS
    case 0x517B, 0xFF53_4D42, 0xFE53_4D42: true  // SMB, CIFS, SMB2
    case 0x5346_414F, 0x6B41_4653: true  // AFS
    case 0x00C3_6400: true  // Ceph
    case 0x0BD0_0BD0: true  // Lustre
    case 0x7375_7245: true  // Coda
    case 0x0116_1970, 0x7461_636F: true  // GFS2, OCFS2
    case 0x4750_4653, 0x1983_0326: true  // GPFS, BeeGFS
    case 0x786F_4256, 0xBACB_ACBC, 0x7C7C_6673: true  // VirtualBox, VMware, Parallels
    default: false
    }
}
