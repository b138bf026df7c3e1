internal import CLibuv
internal import RegnumStore

/// Returns whether `path` is on a file system on which other clients' writes raise no inotify event
/// here. Returns false on an error; opening the watch then reports the reason.
func isOnNetworkFileSystem(_ path: String) -> Bool {
    var description = statfs()
    guard statfs(path, &description) == 0 else { return false }
    return isNetworkFileSystem(type: UInt32(truncatingIfNeeded: description.f_type))
}

/// Checks a type number of statfs(2). FUSE and 9P aren't included: most of those mounts are local,
/// and the timer covers the others.
func isNetworkFileSystem(type: UInt32) -> Bool {
    let name = PosixFileSystem.networkFileSystem(type: Int64(type))
    return name != nil && name != "FUSE" && name != "9P"
}
