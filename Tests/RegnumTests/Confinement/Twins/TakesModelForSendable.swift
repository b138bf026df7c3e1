import Regnum

final class Person: Object {
    @Persisted var name: String
}

func needsSendable(_ value: some Sendable) {}

func twin(_ person: Frozen<Person>, _ people: FrozenResults<Person>, _ live: Live<Person>) {
    needsSendable(person)
    needsSendable(people)
    needsSendable(live)
}
