// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target: strict memory safety, and warnings are errors. The language mode is Swift 6, the
/// default of the tools version.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableExperimentalFeature("Lifetimes"),
]

/// The settings of parsers and encoders. With them, release builds specialise their code for the handlers and sinks of
/// other modules. Adapter replies are then parsed at 431 MB/s, otherwise at 360 MB/s.
let inlined: [SwiftSetting] =
  strict + [.unsafeFlags(["-cross-module-optimization"], .when(configuration: .release))]

/// The tests spend much of their time in the code of some modules. Debug builds of these modules are optimized, and keep
/// their assertions.
let quick: SwiftSetting = .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))

let package = Package(
  name: "obdgate",
  products: [
    .executable(name: "obdgate", targets: ["obdgate"]),
    .executable(name: "obdgated", targets: ["obdgated"]),
    .executable(name: "fleetstore", targets: ["fleetstore"]),
    // The libraries that Benchmarks/ measures.
    .library(name: "OBDWire", targets: ["OBDWire"]),
    .library(name: "NMEAWire", targets: ["NMEAWire"]),
    .library(name: "Telemetry", targets: ["Telemetry"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // These packages are only for the fleet store.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
  ],
  targets: [
    // Floor 0: one system library or shim each.
    .systemLibrary(
      name: "CUdev", path: "Sources/System/CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
    .target(name: "CPorts", path: "Sources/System/CPorts"),
    .target(name: "CGateway", path: "Sources/System/CGateway"),
    .target(name: "CSystemd", path: "Sources/System/CSystemd"),
    .target(name: "CCompression", path: "Sources/System/CCompression"),
    .target(name: "CCurl", path: "Sources/System/CCurl"),
    .target(name: "CHaru", path: "Sources/System/CHaru"),
    .target(name: "CMosquitto", path: "Sources/System/CMosquitto"),
    .target(name: "CRabbitMQ", path: "Sources/System/CRabbitMQ"),
    .systemLibrary(
      name: "CPostgres", path: "Sources/System/CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(
      name: "CSodium", path: "Sources/System/CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CZlib", path: "Sources/System/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CZstd", path: "Sources/System/CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(
      name: "CSQLite", path: "Sources/System/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

    // Floor 1: walled (no Foundation, no heap, no clock, no I/O) and pure.
    .target(name: "OBDWire", path: "Sources/Wire/OBDWire", swiftSettings: inlined + [quick]),
    .target(name: "NMEAWire", path: "Sources/Wire/NMEAWire", swiftSettings: inlined + [quick]),
    .target(name: "JSONText", path: "Sources/Wire/JSONText", swiftSettings: strict + [quick]),
    .target(name: "Geofencing", path: "Sources/Wire/Geofencing", swiftSettings: inlined + [quick]),
    .target(name: "Peers", path: "Sources/Wire/Peers", swiftSettings: strict),
    .target(name: "Failures", path: "Sources/Wire/Failures", swiftSettings: inlined),

    // Floor 2: rules.
    .target(name: "Telemetry", path: "Sources/Wire/Telemetry", swiftSettings: inlined + [quick]),
    .target(
      name: "SignalSets", dependencies: ["OBDWire", "JSONText"], path: "Sources/Wire/SignalSets", swiftSettings: strict),
    .target(
      name: "GeoJSON", dependencies: ["Geofencing", "JSONText"], path: "Sources/Wire/GeoJSON",
      swiftSettings: inlined + [quick]),
    .target(
      name: "ModelFiles", dependencies: ["JSONText"], path: "Sources/Wire/ModelFiles", swiftSettings: inlined + [quick]),
    .target(
      name: "Fusion", dependencies: ["OBDWire", "NMEAWire", "Geofencing", "Telemetry", "JSONText"],
      path: "Sources/Vehicle/Fusion",
      swiftSettings: inlined + [quick]),

    .target(name: "TroubleCodes", path: "Sources/Wire/TroubleCodes", swiftSettings: strict),
    .target(
      name: "AdapterSession", dependencies: ["OBDWire"], path: "Sources/Vehicle/AdapterSession",
      swiftSettings: inlined + [quick]),

    // Floor 3: input and output.
    .target(
      name: "Captures", dependencies: ["Failures"], path: "Sources/Wire/Captures", swiftSettings: inlined + [quick]),
    .target(
      name: "Ports", dependencies: ["Failures", "CPorts", "CSystemd", "CUdev"], path: "Sources/Vehicle/Ports",
      swiftSettings: inlined),
    .target(
      name: "Spool", dependencies: ["Failures", "Telemetry", "CCompression", "CSQLite"], path: "Sources/Vehicle/Spool",
      swiftSettings: inlined + [quick]),
    .target(
      name: "Sinks",
      dependencies: [
        "Failures", "Telemetry", "Spool", "Ports", "JSONText", "Peers", "CPorts", "CCompression", "CCurl", "CMosquitto",
      ], path: "Sources/Vehicle/Sinks",
      exclude: [
        "FleetStore/README.md", "FleetStore/fleetStore.sample.json", "JSONLines/README.md",
        "JSONLines/file.sample.json", "JSONLines/stdout.sample.json", "MQTT/README.md", "MQTT/mqtt.sample.json",
      ], swiftSettings: inlined),
    .target(
      name: "Simulator", dependencies: ["Failures", "JSONText"], path: "Sources/Vehicle/Simulator",
      exclude: ["README.md"],
      swiftSettings: strict),

    // Floor 4: ties the services together.
    .target(
      name: "GatewayLinks", dependencies: ["OBDWire", "NMEAWire", "Fusion", "AdapterSession", "Ports"],
      path: "Sources/Vehicle/GatewayLinks", swiftSettings: inlined),
    .target(
      name: "GatewayOutput",
      dependencies: ["Telemetry", "Fusion", "Ports", "Spool", "Sinks", "CGateway", "CSystemd"],
      path: "Sources/Vehicle/GatewayOutput", swiftSettings: inlined),
    .target(
      name: "GatewayStatus",
      dependencies: ["Failures", "GatewayOutput", "GatewayLinks", "OBDWire", "Telemetry", "Ports", "Spool"],
      path: "Sources/Vehicle/GatewayStatus", swiftSettings: inlined),
    .target(
      name: "GatewayRecords",
      dependencies: [
        "Failures", "GatewayOutput", "GatewayStatus", "GatewayLinks", "OBDWire", "NMEAWire", "JSONText", "Geofencing",
        "Telemetry", "Fusion", "AdapterSession", "Ports", "Spool",
      ], path: "Sources/Vehicle/GatewayRecords", swiftSettings: inlined),
    .target(
      name: "GatewayForwarding",
      dependencies: ["Failures", "GatewayOutput", "GatewayStatus", "OBDWire", "Telemetry", "Ports", "Spool", "Sinks"],
      path: "Sources/Vehicle/GatewayForwarding", swiftSettings: inlined),
    .target(
      name: "Gateway",
      dependencies: [
        "Failures", "GatewayOutput", "GatewayStatus", "GatewayRecords", "GatewayForwarding", "GatewayLinks",
        "OBDWire", "JSONText", "Geofencing", "Telemetry", "SignalSets", "GeoJSON", "Fusion",
        "AdapterSession", "Captures", "Ports", "Spool", "Sinks", "CGateway", "CSystemd",
      ], path: "Sources/Vehicle/Gateway", swiftSettings: inlined),

    // Floor 5: programs.
    .target(
      name: "CommandLineSupport", dependencies: ["Failures", "Telemetry"], path: "Sources/Programs/CommandLineSupport",
      swiftSettings: strict),
    .executableTarget(
      name: "obdgated", dependencies: ["CommandLineSupport", "Failures", "Gateway", "GatewayOutput"],
      path: "Sources/Programs/obdgated",
      swiftSettings: strict),
    .executableTarget(
      name: "obdgate",
      dependencies: [
        "OBDWire", "NMEAWire", "JSONText", "Telemetry", "Geofencing", "SignalSets", "GeoJSON", "Fusion", "TroubleCodes",
        "AdapterSession", "Captures", "Ports", "Sinks", "Simulator", "Gateway", "GatewayLinks", "GatewayOutput",
        "GatewayStatus", "CGateway", "CommandLineSupport", "CommandUsage", "Failures",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Sources/Programs/obdgate", swiftSettings: strict),

    // Code that the commands share.
    .target(
      name: "CommandUsage",
      dependencies: ["JSONText", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: "Sources/Programs/CommandUsage", swiftSettings: strict),

    // The fleet store, which receives the records of many gateways.
    .target(
      name: "FleetDomain",
      dependencies: [
        "Failures", "OBDWire", "Telemetry", "Geofencing", "GeoJSON", "JSONText",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      path: "Sources/Fleet/FleetDomain",
      swiftSettings: inlined + [quick]),
    .target(
      name: "FleetWork", dependencies: ["FleetDomain", "Telemetry"], path: "Sources/Fleet/FleetWork",
      swiftSettings: strict + [quick]),
    .target(
      name: "FleetFigures", dependencies: ["FleetDomain", "FleetWork", "Geofencing", "Telemetry"],
      path: "Sources/Fleet/FleetFigures", swiftSettings: inlined + [quick]),
    .target(
      name: "FleetAccess",
      dependencies: [
        "CSodium", "FleetDomain", "JSONText", "Telemetry", .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ], path: "Sources/Fleet/FleetAccess", swiftSettings: strict),
    .target(
      name: "FleetMessages",
      dependencies: [
        "FleetAccess", "FleetDomain", "FleetWork", "Telemetry", .product(name: "Mustache", package: "swift-mustache"),
      ],
      path: "Sources/Fleet/FleetMessages", swiftSettings: strict),
    .target(
      name: "FleetProviders", dependencies: ["FleetDomain", "Peers", "CCurl", "CPorts"],
      path: "Sources/Fleet/FleetProviders", swiftSettings: strict),
    .target(
      name: "FleetConnectors",
      dependencies: [
        "Failures", "FleetAccess", "FleetDomain", "FleetFigures", "FleetProviders", "FleetWork", "Peers", "Telemetry",
        "CMosquitto",
        .product(name: "Crypto", package: "swift-crypto"), .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ], path: "Sources/Fleet/FleetConnectors",
      exclude: [
        "AEMP/README.md", "Ford/README.md", "Forwarding/README.md", "Phones/README.md", "Samsara/README.md",
        "Tesla/README.md",
      ], swiftSettings: strict),
    .target(
      name: "FleetFollower",
      dependencies: [
        "FleetDomain", "FleetFigures", "FleetWork", "Telemetry", "TroubleCodes",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ], path: "Sources/Fleet/FleetFollower", swiftSettings: strict),
    .target(
      name: "FleetOutbox",
      dependencies: [
        "Failures", "FleetAccess", "FleetDomain", "FleetMessages", "FleetProviders", "FleetWork", "Peers", "Telemetry",
        "CCurl",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ], path: "Sources/Fleet/FleetOutbox", swiftSettings: strict),
    .target(
      name: "FleetFiles",
      dependencies: [
        "CCurl", "Failures", "FleetDomain", "ModelFiles", "Peers", "Telemetry",
        .product(name: "Crypto", package: "swift-crypto"),
      ], path: "Sources/Fleet/FleetFiles", exclude: ["Helper"], swiftSettings: strict),
    .target(
      name: "FleetStorage",
      dependencies: [
        "Failures", "FleetDomain", "Telemetry", "CPostgres", "CSQLite", "CZstd",
        .product(name: "GRDB", package: "GRDB.swift"),
      ], path: "Sources/Fleet/FleetStorage",
      swiftSettings: inlined + [quick]),
    .target(
      name: "FleetWeb", dependencies: ["Failures", "JSONText", .product(name: "NIOCore", package: "swift-nio")],
      path: "Sources/Fleet/FleetWeb", exclude: ["Site"], swiftSettings: strict),
    .target(
      name: "FleetAPI",
      dependencies: [
        "Failures", "FleetAccess", "FleetConnectors", "FleetDomain", "FleetFigures", "FleetFiles", "FleetProviders",
        "FleetWeb", "FleetWork", "ModelFiles", "Telemetry", "JSONText", "GeoJSON", "CHaru", "CZstd", "CZlib",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ], path: "Sources/Fleet/FleetAPI", swiftSettings: inlined),
    .target(
      name: "FleetBroker",
      dependencies: [
        "Failures", "FleetDomain", "Telemetry", "Peers", "CMosquitto", "CRabbitMQ",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ], path: "Sources/Fleet/FleetBroker", swiftSettings: inlined),
    .executableTarget(
      name: "fleetstore",
      dependencies: [
        "CommandLineSupport", "CommandUsage", "CSystemd", "Failures", "FleetAPI", "FleetAccess", "FleetBroker",
        "FleetConnectors", "FleetDomain", "FleetFiles", "FleetFollower", "FleetMessages", "FleetOutbox", "FleetStorage",
        "FleetWeb", "FleetWork", "JSONText", "Peers", "Telemetry",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ], path: "Sources/Programs/fleetstore", swiftSettings: strict),

    // Tests. Each target imports the modules that it tests, and the shared kits. The end of its name determines how its
    // tests run (see the Makefile): ServerTests, LiveTests, HostileTests, FairnessTests, PackageTests. The tests of all
    // other targets run at the same time. Code that several test targets of a program or module share is in a TestKit.
    .target(name: "TestKit", dependencies: ["Ports", "Simulator"], path: "Tests/TestKit", swiftSettings: strict),
    .testTarget(name: "OBDWireTests", dependencies: ["OBDWire", "TestKit"], swiftSettings: strict),
    .testTarget(name: "NMEAWireTests", dependencies: ["NMEAWire", "TestKit"], swiftSettings: strict),
    .testTarget(name: "JSONTextTests", dependencies: ["JSONText", "TestKit"], swiftSettings: strict),
    .testTarget(name: "ModelFilesTests", dependencies: ["ModelFiles", "JSONText", "TestKit"], swiftSettings: strict),
    .testTarget(name: "GeofencingTests", dependencies: ["Geofencing", "TestKit"], swiftSettings: strict),
    .testTarget(name: "GeoJSONTests", dependencies: ["GeoJSON", "Geofencing", "TestKit"], swiftSettings: strict),
    .testTarget(name: "TelemetryTests", dependencies: ["Telemetry", "TestKit"], swiftSettings: strict),
    .testTarget(name: "PeersTests", dependencies: ["Peers", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "SignalSetsTests", dependencies: ["SignalSets", "OBDWire", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "FusionTests", dependencies: ["Fusion", "OBDWire", "NMEAWire", "Geofencing", "Telemetry", "TestKit"],
      swiftSettings: strict),
    .executableTarget(
      name: "PortsProbe", dependencies: ["Ports"], path: "Tests/PortsProbe", swiftSettings: strict),
    .testTarget(
      name: "PortsTests", dependencies: ["Ports", "CPorts", "PortsProbe", "TestKit"], swiftSettings: strict),
    .executableTarget(
      name: "SpoolProbe", dependencies: ["Spool", "Telemetry"], path: "Tests/SpoolProbe", swiftSettings: strict),
    .testTarget(
      name: "SpoolTests", dependencies: ["Spool", "SpoolProbe", "Telemetry", "TestKit"], swiftSettings: strict),
    .executableTarget(
      name: "SinksProbe", dependencies: ["Sinks", "Spool", "Telemetry", "Ports", "JSONText", "CCurl"],
      path: "Tests/SinksProbe", swiftSettings: strict),
    .executableTarget(
      name: "FleetBench",
      dependencies: ["FleetFigures", "FleetStorage", "FleetStorageTestKit", "FleetDomain", "FleetWork", "Telemetry"],
      path: "Tests/FleetBench",
      swiftSettings: inlined),
    .target(
      name: "SinksTestKit", dependencies: ["SinksProbe", "Spool", "Telemetry", "TestKit"], path: "Tests/SinksTestKit",
      swiftSettings: strict),
    .testTarget(
      name: "SinksTests",
      dependencies: [
        "Sinks", "CCompression", "Spool", "Telemetry", "Ports", "JSONText", "Peers", "SinksTestKit", "TestKit",
      ], swiftSettings: strict),
    .testTarget(
      name: "SinksLiveTests",
      dependencies: ["Sinks", "Spool", "Telemetry", "Ports", "JSONText", "Peers", "SinksTestKit", "TestKit"],
      swiftSettings: strict),
    .testTarget(name: "TroubleCodesTests", dependencies: ["TroubleCodes"], swiftSettings: strict),
    .testTarget(
      name: "AdapterSessionTests", dependencies: ["AdapterSession", "OBDWire", "TestKit"], swiftSettings: strict),
    .target(
      name: "SimulatorTestKit", dependencies: ["Simulator"], path: "Tests/SimulatorTestKit", swiftSettings: strict),
    .testTarget(
      name: "SimulatorTests", dependencies: ["Simulator", "JSONText", "SimulatorTestKit", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "SimulatorLiveTests", dependencies: ["Simulator", "SimulatorTestKit", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "GatewayTests",
      dependencies: [
        "Failures", "Gateway", "GatewayOutput", "GatewayStatus", "GatewayRecords", "GatewayForwarding", "GatewayLinks",
        "AdapterSession", "Fusion", "Geofencing", "GeoJSON", "NMEAWire",
        "OBDWire", "Ports",
        "Simulator",
        "Sinks", "Spool", "Telemetry", "GatewayTestKit", "TestKit",
      ], swiftSettings: strict),
    .target(name: "GatewayTestKit", path: "Tests/GatewayTestKit", swiftSettings: strict),
    .testTarget(
      name: "GatewayLiveTests",
      dependencies: [
        "Gateway", "GatewayOutput", "GatewayStatus", "GatewayRecords", "GatewayForwarding", "GatewayLinks",
        "AdapterSession", "Fusion", "NMEAWire", "OBDWire", "Ports", "Simulator", "Sinks",
        "Spool",
        "Telemetry", "GatewayTestKit", "TestKit",
      ], swiftSettings: strict),
    .target(
      name: "DaemonTestKit", dependencies: ["Simulator", "TestKit"], path: "Tests/DaemonTestKit",
      swiftSettings: strict),
    .testTarget(
      name: "obdgatedLiveTests", dependencies: ["DaemonTestKit", "TestKit", "Simulator"], swiftSettings: strict),
    .testTarget(name: "obdgatedHostileTests", dependencies: ["DaemonTestKit", "TestKit"], swiftSettings: strict),
    .testTarget(name: "CapturesTests", dependencies: ["Captures", "TestKit"], swiftSettings: strict),
    .testTarget(name: "ArchitectureTests", dependencies: ["TestKit"], swiftSettings: strict),
    .testTarget(
      name: "ConformanceTests",
      dependencies: ["OBDWire", "NMEAWire", "SignalSets", "JSONText", "TestKit"], swiftSettings: strict),
    .target(
      name: "FleetStorageTestKit", dependencies: ["FleetDomain", "Telemetry"], path: "Tests/FleetStorageTestKit",
      swiftSettings: strict),
    .testTarget(
      name: "FleetDomainTests", dependencies: ["FleetDomain", "GeoJSON", "Telemetry", "TestKit"], swiftSettings: strict),
    .target(
      name: "FleetAccessTestKit",
      dependencies: [
        "FleetAccess", .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ], path: "Tests/FleetAccessTestKit", swiftSettings: strict),
    .testTarget(
      name: "FleetAccessTests",
      dependencies: [
        "FleetAccess", "FleetAccessTestKit", "FleetDomain", "Telemetry",
        .product(name: "Crypto", package: "swift-crypto"), .product(name: "CryptoExtras", package: "swift-crypto"),
      ], swiftSettings: strict),
    .testTarget(
      name: "FleetFiguresTests",
      dependencies: ["FleetFigures", "FleetDomain", "FleetWork", "Geofencing", "Telemetry", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "FleetWorkTests", dependencies: ["FleetWork", "FleetDomain", "Telemetry", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "FleetMessagesTests",
      dependencies: ["FleetMessages", "FleetAccess", "FleetDomain", "Telemetry", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "FleetFilesTests",
      dependencies: [
        "FleetFiles", "FleetDomain", "FleetWork", "ModelFiles", "Peers", "Telemetry", "TestKit",
        .product(name: "Crypto", package: "swift-crypto"),
      ], swiftSettings: strict),
    .testTarget(name: "FleetWebTests", dependencies: ["FleetWeb", "Failures", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "FleetConnectorsTests",
      dependencies: ["FleetConnectors", "FleetDomain", "FleetProviders", "FleetWork", "Telemetry", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "FleetConnectorsServerTests",
      dependencies: [
        "FleetConnectors", "FleetAccess", "FleetDomain", "FleetProviders", "FleetStorage", "FleetStorageTestKit",
        "FleetstoreTestKit", "FleetWork", "StoredFleetTestKit", "Telemetry", "TestKit",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "FleetFollowerServerTests",
      dependencies: [
        "FleetFollower", "FleetDomain", "FleetFigures", "FleetWork", "FleetStorage", "FleetStorageTestKit",
        "FleetstoreTestKit", "StoredFleetTestKit", "Telemetry", "TestKit",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "FleetOutboxServerTests",
      dependencies: [
        "FleetOutbox", "FleetMessages", "FleetAccess", "FleetDomain", "FleetStorage", "FleetStorageTestKit",
        "FleetstoreTestKit", "FleetWork", "StoredFleetTestKit", "Telemetry", "TestKit",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "FleetStorageServerTests",
      dependencies: [
        "FleetStorage", "FleetStorageTestKit", "FleetstoreTestKit", "FleetDomain", "StoredFleetTestKit", "Telemetry",
        "CPostgres", "TestKit",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "FleetAPIServerTests",
      dependencies: [
        "FleetAPI", "FleetAccess", "FleetAccessTestKit", "FleetConnectors", "FleetDomain", "FleetFiles", "FleetStorage",
        "FleetStorageTestKit", "FleetstoreTestKit", "FleetWeb", "FleetWork", "JSONText", "ModelFiles", "Peers",
        "StoredFleetTestKit", "Telemetry", "TestKit",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ], swiftSettings: strict),
    .testTarget(
      name: "FleetBrokerServerTests",
      dependencies: [
        "FleetBroker", "FleetDomain", "FleetStorage", "FleetStorageTestKit", "Telemetry", "Peers", "Sinks", "Spool",
        "TestKit",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .target(
      name: "FleetstoreTestKit", dependencies: ["CZstd", "TestKit"], path: "Tests/FleetstoreTestKit",
      swiftSettings: strict),
    .target(
      name: "StoredFleetTestKit", dependencies: ["FleetStorage", "FleetstoreTestKit", "TestKit"],
      path: "Tests/StoredFleetTestKit", swiftSettings: strict),
    .testTarget(
      name: "fleetstoreTests",
      dependencies: ["FleetAccess", "FleetAccessTestKit", "FleetstoreTestKit", "TestKit", "CZstd"],
      swiftSettings: strict),
    .testTarget(
      name: "fleetstoreLiveTests", dependencies: ["FleetstoreTestKit", "TestKit", "CZstd"], swiftSettings: strict),
    .testTarget(
      name: "fleetstoreFairnessTests", dependencies: ["FleetstoreTestKit", "TestKit", "CZstd"], swiftSettings: strict),
    .testTarget(name: "obdgateTests", dependencies: ["TestKit"], swiftSettings: strict),
    .target(
      name: "PackagingTestKit", dependencies: ["TestKit"], path: "Tests/PackagingTestKit", swiftSettings: strict),
    .testTarget(name: "PackagingTests", dependencies: ["PackagingTestKit", "TestKit"], swiftSettings: strict),
    .testTarget(name: "InstalledPackageTests", dependencies: ["PackagingTestKit", "TestKit"], swiftSettings: strict),
  ]
)
