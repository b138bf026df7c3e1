import RegnumSimulation

/// Captures the machine as it is when all processes die in the middle of a write: the write has
/// failed halfway as planned, and the store hasn't reacted yet.
///
/// Guard of the `@unchecked Sendable`: used by one thread only, which makes the effects.
final class DeathInWrite: @unchecked Sendable {
    private var isFailing = false
    private var image: SimFileSystem?

    /// Observes the machine, whose planned failures must be those of the write.
    init(_ disk: SimFileSystem, before: (@Sendable (EffectKind, Int) -> Void)? = nil) {
        disk.onEffect = { [unowned disk] kind, index in
            guard self.image == nil else { return }
            if self.isFailing {
                self.image = disk.killImage()
            } else if disk.firedFailureCount > 0 {
                self.isFailing = true  // this is the write itself, which has not happened yet
            } else {
                before?(kind, index)
            }
        }
    }

    /// Returns the dead machine, once the store has returned.
    func machine(_ disk: SimFileSystem) -> SimFileSystem {
        disk.onEffect = nil
        return image ?? disk.killImage()
    }
}
