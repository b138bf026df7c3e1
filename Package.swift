// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "regnum",
    products: [
        .library(name: "Regnum", targets: ["Regnum"]),
        .executable(name: "regnum", targets: ["RegnumTool"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "CRegnum"),
        .target(name: "RegnumStore", dependencies: ["CRegnum"], swiftSettings: settings),
        .target(
            name: "RegnumEngine", dependencies: ["CRegnum", "RegnumStore"], swiftSettings: settings),
        .systemLibrary(name: "CLibuv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .target(name: "RegnumWatch", dependencies: ["CLibuv"], swiftSettings: settings),
        .target(
            name: "Regnum",
            dependencies: [
                "RegnumEngine", "RegnumStore", "RegnumWatch",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "RegnumTool",
            dependencies: [
                "Regnum", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),

        .target(
            name: "RegnumSimulation", dependencies: ["RegnumStore"], path: "Tests/Simulation",
            swiftSettings: settings),
        .target(name: "RegnumPeer", path: "Tests/Peer", swiftSettings: settings),
        .testTarget(
            name: "RegnumStoreTests", dependencies: ["RegnumStore", "RegnumSimulation", "CRegnum"],
            swiftSettings: settings),
        .testTarget(
            name: "RegnumEngineTests",
            dependencies: [
                "CRegnum", "RegnumEngine", "RegnumPeer", "RegnumStore", "RegnumSimulation",
                "RegnumOraclePeer",
            ],
            exclude: ["Values/Vectors"], swiftSettings: settings),
        // Oracle and Support are links to files of RegnumEngineTests.
        .executableTarget(
            name: "RegnumOraclePeer",
            dependencies: ["RegnumEngine", "RegnumPeer", "RegnumStore", "RegnumSimulation"],
            path: "Tests/OraclePeer",
            exclude: [
                "Oracle/OracleEnumeration.swift", "Oracle/OraclePeerEnumeration.swift",
                "Oracle/OracleTests.swift",
            ],
            swiftSettings: settings),
        // Atlas, Streams, Runs and SeededRandom are links to files of RegnumTests.
        .executableTarget(
            name: "RegnumRealmPeer",
            dependencies: [
                "Regnum", "RegnumEngine", "RegnumPeer", "RegnumStore", "RegnumSimulation",
            ],
            path: "Tests/RealmPeer",
            exclude: [
                "Atlas/AtlasEnumeration.swift", "Atlas/AtlasTests.swift",
                "Streams/StreamEnumeration.swift", "Streams/StreamTests.swift",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "RegnumInliningClient", dependencies: ["Regnum"], path: "Tests/Inlining",
            swiftSettings: settings),
        .testTarget(
            name: "RegnumWatchTests", dependencies: ["RegnumWatch"], swiftSettings: settings),
        .testTarget(
            name: "RegnumTests",
            dependencies: [
                "Regnum", "RegnumEngine", "RegnumPeer", "RegnumStore", "RegnumSimulation",
                "RegnumRealmPeer", .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Confinement/Leaks", "Confinement/Twins"], swiftSettings: settings),
        .executableTarget(
            name: "RegnumOpenChild", dependencies: ["RegnumStore"], path: "Tests/Fault/OpenChild",
            swiftSettings: settings),
        .testTarget(
            name: "RegnumFaultTests",
            dependencies: ["RegnumStore", "RegnumSimulation", "RegnumOpenChild"],
            path: "Tests/Fault", exclude: ["OpenChild"], swiftSettings: settings),
        .executableTarget(
            name: "RegnumCrashChild", dependencies: ["Regnum", "RegnumEngine", "RegnumStore"],
            path: "Tests/Process/Child", swiftSettings: settings),
        // Ledger.swift is a link to a file of the child.
        .testTarget(
            name: "RegnumProcessTests",
            dependencies: ["Regnum", "RegnumEngine", "RegnumStore", "RegnumCrashChild"],
            path: "Tests/Process/Tests", swiftSettings: settings),
        .testTarget(
            name: "RegnumSeedTests", dependencies: ["Regnum"], path: "Tests/Seeds",
            swiftSettings: settings),
        .executableTarget(
            name: "RegnumDebian", dependencies: ["Regnum"], path: "Tests/Debian/Program",
            swiftSettings: settings),
        .testTarget(
            name: "RegnumDebianTests", dependencies: ["Regnum", "RegnumDebian", "RegnumEngine"],
            path: "Tests/Debian/Tests", swiftSettings: settings),
        // The processes and the random numbers are links to files of other tests.
        .testTarget(
            name: "RegnumToolTests", dependencies: ["Regnum", "RegnumTool"], path: "Tests/Tool",
            swiftSettings: settings),
        .testTarget(name: "RegnumLayerTests", path: "Tests/Layer", swiftSettings: settings),
    ]
)

// What is built under a sanitizer, or optimised, is what runs there: `Tests/run` and `.ci/run` name it.
if let names = Context.environment["REGNUM_TEST_TARGETS"]?.split(separator: ",").map(String.init) {
    keepOnly(names)
}
if let paths = Context.environment["REGNUM_TEST_SOURCES"]?.split(separator: ",").map(String.init) {
    package.targets.first { $0.name == "RegnumTests" }?.sources = paths
}
if Context.environment["REGNUM_HEAVY_TESTS"] != nil {
    let heavy: Set = [
        "RegnumEngineTests", "RegnumTests", "RegnumFaultTests", "RegnumProcessTests",
        "RegnumDebianTests",
    ]
    package.targets.removeAll { $0.type == .test && !heavy.contains($0.name) }
    package.targets.first { $0.name == "RegnumEngineTests" }?.sources = [
        "AdvanceTests.swift", "Changes", "Checkpoint/CheckpointCrashEnumeration.swift",
        "Checkpoint/CoordinatorCheckpointSupport.swift", "Checkpoint/MemoryNodesFile.swift",
        "Coordinator/ChatFixture.swift", "Coordinator/CoordinatorSupport.swift",
        "Coordinator/HubFixture.swift", "Coordinator/HubModel.swift",
        "Coordinator/HubModelTests.swift", "History/HistoryDriver.swift",
        "History/HistoryEnumeration.swift", "Index/IndexSupport.swift",
        "Lists/SequenceTreeTests.swift", "NaiveQuery.swift", "Oracle", "Randomness.swift",
        "Scan/LinkedAdvanceTests.swift", "Scan/LinkedDraw.swift", "Scan/LinkedNaive.swift",
        "Scan/LinkedWorld.swift",
    ]
    package.targets.first { $0.name == "RegnumTests" }?.sources = [
        "Atlas", "Compatibility/SwiftCompiler.swift", "Models.swift", "Mutation",
        "Queries/Differential",
        "BookModels.swift", "RealmFolder.swift", "Runs", "StreamScale", "Streams",
        "SeededRandom.swift", "TutorialEnumeration.swift", "TutorialPage.swift",
    ]
}

/// Leaves targets, and what they are built from.
@MainActor func keepOnly(_ names: [String]) {
    var kept: Set<String> = []
    for name in names {
        precondition(package.targets.contains { $0.name == name }, "There is no target \(name).")
    }
    var pending = names
    while let name = pending.popLast() {
        guard let target = package.targets.first(where: { $0.name == name }),
            kept.insert(name).inserted
        else { continue }
        for case .byNameItem(let name, _) in target.dependencies { pending.append(name) }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products = []
}
