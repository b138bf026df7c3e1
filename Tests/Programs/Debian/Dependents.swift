import Regnum

// The transitive dependents of a package: those that depend on it, or on a name that it provides,
// in any of their alternatives; and the dependents of those.

/// Returns the names of the dependents of a package in a transaction.
func dependents(of package: Package) -> Set<String> {
    var found: Set<String> = []
    var open = [package]
    while let next = open.popLast() {
        for name in [next] + next.provides {
            for dependency in name.requirements {
                for owner in dependency.owner where found.insert(owner.name).inserted {
                    open.append(owner)
                }
            }
        }
    }
    return found
}

/// Returns the names of all packages that depend on a frozen package, directly or indirectly.
func dependents(of package: Frozen<Package>) -> Set<String> {
    var found: Set<String> = []
    var open = [package]
    while let next = open.popLast() {
        for name in [next] + next.provides {
            for dependency in name.requirements {
                for owner in dependency.owner where found.insert(owner.name).inserted {
                    open.append(owner)
                }
            }
        }
    }
    return found
}
