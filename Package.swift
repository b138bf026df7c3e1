// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Most tests need no optimization of their own, also where the library that they test is optimized.
let testSettings =
    settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let serviceLifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle",
    condition: .when(traits: ["ServiceLifecycle"]))
let metrics = Target.Dependency.product(
    name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"]))

let configuration = Target.Dependency.product(
    name: "Configuration", package: "swift-configuration",
    condition: .when(traits: ["Configuration"]))

let crypto = Target.Dependency.product(
    name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"]))
let tracing = Target.Dependency.product(
    name: "Tracing", package: "swift-distributed-tracing",
    condition: .when(traits: ["Tracing"]))

/// The packages that `Regnum` needs, and those that `RegnumService` needs, if a trait is enabled.
/// Otherwise they aren't fetched.
let packagesOfRegnum: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
]
let packagesOfService: [Package.Dependency] = [
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
]

let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")

/// A library of the tests, in `Tests/PATH`.
func support(
    _ name: String, _ path: String, _ dependencies: [Target.Dependency] = [],
    settings: [SwiftSetting] = testSettings
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Tests/\(path)", swiftSettings: settings)
}

func program(
    _ name: String, _ path: String, _ dependencies: [Target.Dependency]
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/Programs/\(path)",
        swiftSettings: settings)
}

/// The tests in `Tests/AREA`.
func tests(
    _ area: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    settings: [SwiftSetting] = testSettings
) -> Target {
    .testTarget(
        name: "\(area)Tests", dependencies: dependencies + ["RegnumTestSupport"],
        path: "Tests/\(area)", exclude: exclude, swiftSettings: settings)
}

let realm: [Target.Dependency] = [
    "Regnum", "RegnumEngine", "RegnumSimulation", "RegnumStore", "RegnumTestModels",
]

let package = Package(
    name: "regnum",
    products: [
        .library(name: "Regnum", targets: ["Regnum"]),
        .library(name: "RegnumJSON", targets: ["RegnumJSON"]),
        .library(name: "RegnumWorkers", targets: ["RegnumWorkers"]),
        .library(name: "RegnumService", targets: ["RegnumService"]),
        .library(name: "RegnumTesting", targets: ["RegnumTesting"]),
        .executable(name: "regnum", targets: ["RegnumTool"]),
    ],
    // Encryption, tracing and the contents of `RegnumService`, which is empty by default.
    traits: [
        .default(enabledTraits: []),
        .trait(name: "Encryption", description: "Encrypted realms."),
        .trait(
            name: "ServiceLifecycle",
            description: "Services for realms, job queues, consumers and expiring objects."),
        .trait(name: "Metrics", description: "Metrics of realms, jobs and consumers."),
        .trait(name: "Tracing", description: "Spans of writes and of handlers of what they wrote."),
        .trait(name: "Configuration", description: "Realm.Configuration from a ConfigReader."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ] + packagesOfRegnum + packagesOfService,
    targets: [
        .target(name: "CRegnum"),
        .target(name: "RegnumStore", dependencies: ["CRegnum"], swiftSettings: settings),
        .target(
            name: "RegnumEngine", dependencies: ["CRegnum", "RegnumStore"], swiftSettings: settings),
        .systemLibrary(name: "CLibuv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .target(
            name: "RegnumWatch", dependencies: ["CLibuv", "RegnumStore"], swiftSettings: settings),
        .target(
            name: "Regnum",
            dependencies: ["RegnumEngine", "RegnumStore", "RegnumWatch", logging, crypto, tracing],
            swiftSettings: settings),
        .target(
            name: "RegnumJSON", dependencies: ["Regnum", "RegnumEngine", "RegnumStore", logging],
            swiftSettings: settings),
        .target(
            name: "RegnumWorkers", dependencies: ["Regnum", logging], swiftSettings: settings),
        .target(
            name: "RegnumService",
            dependencies: [
                "Regnum", "RegnumEngine", "RegnumWorkers", logging, serviceLifecycle, metrics,
                configuration,
            ], swiftSettings: settings),
        .target(
            name: "RegnumTesting",
            dependencies: ["Regnum", "RegnumEngine", "RegnumStore", "RegnumWorkers"],
            swiftSettings: settings),
        .executableTarget(
            name: "RegnumTool", dependencies: ["Regnum", "RegnumJSON", argumentParser],
            swiftSettings: settings),

        support("RegnumTestSupport", "Support", ["RegnumStore"], settings: settings),
        support(
            "RegnumSimulation", "Simulation", ["RegnumStore", "RegnumTestSupport"],
            settings: settings),
        support("RegnumTestModels", "Models", ["Regnum", "RegnumJSON", "RegnumStore"]),
        support(
            "EngineOracle", "Oracles/Engine",
            ["RegnumEngine", "RegnumSimulation", "RegnumStore", "RegnumTestSupport"],
            settings: settings),
        support(
            "RealmOracle", "Oracles/Realm",
            ["Regnum", "RegnumEngine", "RegnumSimulation", "RegnumStore", "RegnumTestSupport"]),

        program("RegnumPeer", "Peer", ["EngineOracle", "RealmOracle", "RegnumTestSupport"]),
        program(
            "RegnumCrashChild", "CrashChild",
            ["Regnum", "RegnumEngine", "RegnumStore", "RegnumWorkers"]),
        program("RegnumOpenChild", "OpenChild", ["RegnumStore"]),
        program("RegnumDebian", "Debian", ["Regnum"]),
        program("RegnumInliningClient", "InliningClient", ["Regnum"]),
        .executableTarget(
            name: "RegnumFuzz",
            dependencies: [
                "EngineOracle", "Regnum", "RegnumEngine", "RegnumSimulation", "RegnumStore",
                "RegnumTestSupport",
            ], path: "Tests/Programs/Fuzz", exclude: ["Corpus"], swiftSettings: settings),

        tests("Store", ["CRegnum", "RegnumSimulation", "RegnumStore"]),
        tests(
            "Fault", ["RegnumOpenChild", "RegnumSimulation", "RegnumStore"], settings: settings),
        tests(
            "Engine",
            ["CRegnum", "EngineOracle", "RegnumEngine", "RegnumSimulation", "RegnumStore"],
            exclude: ["Values/Vectors"]),
        tests(
            "Coordinator",
            ["CRegnum", "EngineOracle", "RegnumEngine", "RegnumSimulation", "RegnumStore"]),
        tests("Watch", ["RegnumStore", "RegnumWatch"]),
        tests(
            "Objects", realm + ["RealmOracle", "RegnumJSON", logging], exclude: ["Golden/1.0"]),
        tests("Collections", realm + [logging]),
        tests("Queries", realm + [logging]),
        tests("Changes", realm + ["EngineOracle", "RealmOracle", "RegnumTesting", logging]),
        tests("Realm", realm + ["EngineOracle", "RegnumJSON", "RegnumTesting", logging]),
        tests("Migrations", realm + ["EngineOracle", "RegnumJSON", logging]),
        tests("Workers", realm + ["RegnumTesting", "RegnumWorkers", logging]),
        tests(
            "Compatibility", realm + ["RegnumTesting", "RegnumWorkers", logging],
            exclude: ["Confinement/Leaks", "Confinement/Twins"]),
        tests(
            "Processes",
            realm + [
                "EngineOracle", "RealmOracle", "RegnumCrashChild", "RegnumDebian", "RegnumPeer",
                "RegnumTool", "RegnumWorkers", logging,
            ]),
        tests("Layer", []),

        // The manifests of two examples declare these too; here CI builds them with everything else.
        .executableTarget(
            name: "chat", dependencies: ["Regnum", argumentParser],
            path: "Examples/Chat/Sources", swiftSettings: settings),
        .testTarget(
            name: "ChatTests", dependencies: ["chat", "Regnum"],
            path: "Examples/Chat/Tests", swiftSettings: testSettings),
        .executableTarget(
            name: "worker", dependencies: ["Regnum", "RegnumWorkers", argumentParser],
            path: "Examples/Worker/Sources", swiftSettings: settings),
        .testTarget(
            name: "ThumbnailsTests", dependencies: ["worker", "Regnum"],
            path: "Examples/Worker/Tests", swiftSettings: testSettings),
    ]
)

// `Tests/run` builds only what a run needs: the test targets that it names, and what they use.
if let names = Context.environment["REGNUM_TARGETS"]?.split(separator: ",").map(String.init) {
    var kept: Set<String> = []
    var pending = names
    while let name = pending.popLast() {
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("There is no target \(name).")
        }
        guard kept.insert(name).inserted else { continue }
        for case .byNameItem(let name, _) in target.dependencies { pending.append(name) }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    // Without a target that needs them under a condition, they would always be fetched.
    if !kept.contains("RegnumService") {
        package.dependencies.removeLast(packagesOfService.count)
        if !kept.contains("Regnum") {
            package.dependencies.removeLast(packagesOfRegnum.count)
        }
    }
    // The tests run the tool under its product's name.
    if !kept.contains("RegnumTool") { package.products = [] }
    package.products.removeAll { product in
        !((product as? Product.Library)?.targets ?? []).allSatisfy(kept.contains)
    }
}
