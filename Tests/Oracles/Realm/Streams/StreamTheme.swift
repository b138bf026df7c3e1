import RegnumSimulation

/// The focus of a history: a property that is edited often, and the streams that follow it.
struct StreamTheme: Sendable {
    let kind: MirrorClass
    let property: Int
    /// The streams, by their numbers in `StreamConsumer`.
    let watches: [Int]

    static let all: [StreamTheme] = [
        StreamTheme(kind: .person, property: 9, watches: [9]),
        StreamTheme(kind: .person, property: 10, watches: [11]),
        StreamTheme(kind: .person, property: 11, watches: [5, 10]),
        StreamTheme(kind: .person, property: 12, watches: [6]),
        StreamTheme(kind: .person, property: 13, watches: [3]),
        StreamTheme(kind: .person, property: 15, watches: [7]),
        StreamTheme(kind: .person, property: 16, watches: [25, 27, 39]),
        StreamTheme(kind: .person, property: 17, watches: [26]),
        StreamTheme(kind: .person, property: 18, watches: [38, 40]),
        StreamTheme(kind: .dog, property: 5, watches: [8]),
        StreamTheme(kind: .dog, property: 6, watches: [4]),
        StreamTheme(kind: .dog, property: 7, watches: [22]),
        StreamTheme(kind: .dog, property: 8, watches: [23, 24]),
        StreamTheme(kind: .dog, property: 9, watches: [28, 29, 30]),
    ]
}
