import Regnum

@testable import RegnumTestModels

extension MigrationRealm {
    /// Makes a realm of the first program.
    static func first(people: Int = 3) async throws -> MigrationRealm {
        let realm = try MigrationRealm()
        try await realm.write(1, MigFirst.types) { tx in
            for number in 0..<people {
                let pet = MigFirst.MigPet()
                pet.name = "pet \(number)"
                pet.weight = Double(number) / 2
                let person = MigFirst.MigPerson()
                person.first = "First\(number)"
                person.last = "Last\(number)"
                person.age = number
                person.nickname = number % 2 == 0 ? "nick \(number)" : nil
                person.tags.append(objectsIn: ["a", "b\(number)"])
                person.scores["x"] = number
                person.codes.insert(number)
                person.pets.append(pet)
                let home = MigFirst.MigAddress()
                home.street = "Street \(number)"
                person.home = home
                try tx.add(person)
            }
            let lost = MigFirst.MigLost()
            lost.text = "kept"
            try tx.add(lost)
        }
        return realm
    }
}
