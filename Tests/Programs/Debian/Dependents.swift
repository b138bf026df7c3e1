import Regnum

// What depends on a package, transitively: who asks for it, or for a name that it provides, in any
// of its alternatives; and who asks for those.

/// The names of the dependents of a package in a transaction.
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

/// The names of the dependents of a frozen package.
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
