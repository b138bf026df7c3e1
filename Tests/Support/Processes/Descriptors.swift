import Glibc

/// Limits the process to 128 descriptors and opens all that are left. Returns them.
///
/// For exit tests: other tests in the same process would fail.
package func takeAllDescriptors() -> [Int32] {
    var limit = rlimit(rlim_cur: 128, rlim_max: 128)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var taken: [Int32] = []
    while true {
        let descriptor = open("/dev/null", O_RDONLY)
        if descriptor < 0 { return taken }
        taken.append(descriptor)
    }
}
