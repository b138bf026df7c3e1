import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// The two slots of the control page.
@Suite struct ControlPageTests {
    private let disk = SimFileSystem(seed: 8)

    private func makeLock() throws -> any LockFile {
        try disk.openDirectory("/sim/a.realm", .creating).openLock()
    }

    private func page(durableEnd: UInt64) -> ControlPage {
        var page = ControlPage(
            realmID: Identity128(high: 3, low: 4), bootID: Identity128(high: 5, low: 6))
        page.segmentNumber = 2
        page.durableEnd = durableEnd
        page.visibleEnd = durableEnd + 8
        page.version = 11
        page.writerEpoch = 12
        page.isWriting = true
        return page
    }

    @Test func aPageComesBackAsItWasStored() throws {
        let lock = try makeLock()
        expectNil(lock.loadControl())
        var page = page(durableEnd: 40)
        page.isPoisoned = true
        lock.storeControl(&page)
        expectEqual(page.stores, 1)
        expectEqual(lock.loadControl(), page)
        for flag in [\ControlPage.isRelaxed, \.isRelaxedDurable, \.isTimelineDue] {
            page[keyPath: flag] = true
            lock.storeControl(&page)
            expectEqual(lock.loadControl(), page)
        }
    }

    @Test func anUnknownBootStaysUnknown() throws {
        let page = ControlPage(realmID: Identity128(high: 3, low: 4), bootID: nil)
        expectNil(ControlPage(words: page.words)?.bootID)
        let zero = ControlPage(
            realmID: Identity128(high: 3, low: 4), bootID: Identity128(high: 0, low: 0))
        expectEqual(ControlPage(words: zero.words)?.bootID, Identity128(high: 0, low: 0))
    }

    @Test func storesGoToTheSlotsInTurn() throws {
        let lock = try makeLock()
        var page = page(durableEnd: 0)
        for end in 1...6 {
            let newest = Int(page.stores % 2)
            let before = lock.loadControlSlot(newest)
            page.durableEnd = UInt64(end)
            lock.storeControl(&page)
            expectEqual(lock.loadControlSlot(newest), before, "the newest page was overwritten")
            expectEqual(lock.loadControl()?.durableEnd, UInt64(end))
        }
    }

    /// A writer that is killed inside a store has written some of the words.
    @Test func aTornStoreLeavesTheOlderPage() throws {
        let lock = try makeLock()
        var page = page(durableEnd: 40)
        lock.storeControl(&page)
        lock.storeControl(&page)
        let older = try requireValue(lock.loadControl())
        let slot = Int((page.stores + 1) % 2)
        let before = lock.loadControlSlot(slot)
        var next = page
        next.durableEnd = 80
        next.visibleEnd = 96
        next.version = 12
        next.stores += 1
        for count in 0..<16 {
            var torn = before
            for word in 0..<count { torn[word] = next.words[word] }
            lock.storeControlSlot(slot, torn)
            expectEqual(lock.loadControl(), older, "\(count) words")
        }
        lock.storeControlSlot(slot, next.words)
        expectEqual(lock.loadControl(), next)
    }

    @Test func everyFlippedBitMakesASlotInvalid() {
        let words = page(durableEnd: 40).words
        for word in 0..<16 {
            for bit in 0..<64 {
                var changed = words
                changed[word] ^= 1 << UInt64(bit)
                expectNil(ControlPage(words: changed), "word \(word) bit \(bit)")
            }
        }
        expectNil(ControlPage(words: ControlWords()))
    }
}
