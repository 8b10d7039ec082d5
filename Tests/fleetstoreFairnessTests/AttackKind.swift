import Foundation
import Glibc
import TestKit

@testable import FleetstoreTestKit

/// The kinds of attack.
enum AttackKind: String, CaseIterable {
  case announcedBodies, bombs, largeBatches, smallBatches, corrections, lists, shortReads, adminWrites, rotations,
    fences
  case replay, fanOut, subscriptions, changeChannels, messages, strangers, connections, openRoutes, slowReaders
  case signIns, things, imports, listExports, archives, reports, uploads, images, audits, rules, forwards, webhooks,
    connectors, phones, schedules, tracks
  case voidedReadings, retirements, fuelImports

  func begin(_ attack: Attack, _ keys: AttackKeys) throws {
    switch self {
    case .announcedBodies: Self.announceBodies(attack, keys)
    case .bombs: try Self.sendBombs(attack, keys)
    case .largeBatches: Self.sendBatches(attack, keys, records: 8_000, threads: 6)
    case .smallBatches: Self.sendBatches(attack, keys, records: 100, threads: 16)
    case .corrections: Self.correct(attack, keys, records: 8_000, threads: 6)
    case .lists:
      Self.sendRequests(
        attack, keys, ["/api/vehicles/VAN-0/telemetry?limit=10000&fields=rpm,speed", "/api/events?limit=1000"])
    case .shortReads:
      Self.sendRequests(attack, keys, ["/api/vehicles/VAN-0/latest", "/api/vehicles/VAN-0", "/api/gateways/gw-0"])
    case .adminWrites: Self.write(attack, keys)
    case .rotations:
      attack.begin(threads: 4) { attack, _ in
        let socket = try attack.socket()
        while !attack.isOver { _ = try socket.send("POST", "/api/gateways/gw-7/rotate", key: keys.admin, []) }
      }
    case .fences: try Self.putFences(attack, keys)
    case .replay: Self.replay(attack, keys)
    case .fanOut:
      Self.listen(attack, keys, sockets: 100, channels: 1)
      Self.sendBatches(attack, keys, records: 100, threads: 4)
    case .subscriptions: Self.listen(attack, keys, sockets: 60, channels: 250)
    case .changeChannels: Self.followChanges(attack, keys)
    case .messages:
      attack.begin(threads: 8) { attack, _ in
        let socket = try attack.socket()
        try socket.openWebSocket(token: keys.reader)
        while !attack.isOver { try socket.send(text: #"{"action":"subscribe","channel":"planet"}"#) }
      }
    case .strangers:
      attack.begin(threads: 12) { attack, number in
        let socket = try attack.socket()
        while !attack.isOver {
          _ = try socket.get("/api/vehicles", key: "fst_\(number)\(UInt64.random(in: 0 ... .max))")
        }
      }
    case .connections:
      attack.begin(threads: 4) { attack, _ in
        let socket = try attack.socket()
        try socket.write(Array("GET /api/heal".utf8))
      }
    case .openRoutes:
      let query = String(repeating: "a&b&", count: 3_500)
      attack.begin(threads: 12) { attack, number in
        let socket = try attack.socket()
        let path = ["/api/health", "/api/openapi.json", "/api/health?\(query)", "/ws"][number % 4]
        while !attack.isOver { _ = try socket.get(path, key: nil) }
      }
    case .slowReaders:
      attack.begin(threads: 40) { attack, _ in
        let socket = try attack.socket(buffer: 1_024)
        let head = "GET /api/vehicles/VAN-0/telemetry?limit=10000 HTTP/1.1\r\nHost: x\r\n"
        try socket.write(Array((head + "Authorization: Bearer \(keys.reader)\r\n\r\n").utf8))
        // Nothing is read until the end of the attack.
        while socket.isOpen, !attack.isOver { attack.rest(until: .now + .milliseconds(50)) }
      }
    case .signIns: Self.signIn(attack, keys)
    case .things: try Self.useThings(attack, keys)
    case .imports: Self.sendImports(attack, keys)
    case .listExports:
      Self.sendRequests(attack, keys, ["csv", "xlsx"].map { "/api/vehicles/VAN-0/telemetry?format=\($0)" })
    case .archives: Self.exportArchives(attack, keys)
    case .reports: Self.makeReports(attack, keys)
    case .uploads: Self.upload(attack, keys)
    case .images: try Self.uploadImages(attack, keys)
    case .audits: Self.readAudits(attack, keys)
    case .rules: try Self.notify(attack, keys)
    case .forwards: try Self.forward(attack, keys)
    case .webhooks: try Self.useWebhooks(attack, keys)
    case .connectors: try Self.connect(attack, keys)
    case .phones: try Self.reportPositions(attack, keys)
    case .schedules: try Self.scheduleServices(attack, keys)
    case .voidedReadings: try Self.voidReadings(attack, keys)
    case .retirements: try Self.retire(attack, keys)
    case .fuelImports: Self.importFuel(attack, keys)
    case .tracks:
      Self.sendRequests(
        attack, keys, ["/api/vehicles/VAN-0/track?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z", "/api/positions"])
    }
  }

  private static func announceBodies(_ attack: Attack, _ keys: AttackKeys) {
    attack.begin(threads: 70) { attack, number in
      let socket = try attack.socket()
      let fields = "Authorization: Bearer \(keys.gateways[number % 2])\r\n"
      try socket.begin([UInt8](repeating: 0x20, count: 60_000)[...], of: 7 << 20, to: "/api/telemetry", fields)
      // The rest is sent a little at a time.
      while !attack.isOver {
        try socket.write([UInt8](repeating: 0x20, count: 1_000))
        attack.rest(until: .now + .milliseconds(20))
        guard socket.isOpen else { return }
      }
    }
  }

  private static func sendBombs(_ attack: Attack, _ keys: AttackKeys) throws {
    // Lines that are not records: each is read, and rejected with a reason.
    let line = [UInt8](repeating: UInt8(ascii: "{"), count: 1_000) + [0x0A]
    let bomb = LoadClient.packed(line.repeated(8_000))
    attack.begin(threads: 8) { attack, number in
      let socket = try attack.socket()
      while !attack.isOver { _ = try socket.post(bomb, key: keys.gateways[number]) }
    }
  }

  static func sendBatches(_ attack: Attack, _ keys: AttackKeys, records: Int, threads: Int) {
    let base = Int.random(in: 1...1_000) * 100_000
    attack.begin(threads: threads) { attack, number in
      let socket = try attack.socket()
      let gateway = number % keys.gateways.count
      // The bodies are compressed in advance, so that only the server is busy. From the second round on, all records
      // are duplicates.
      let batches = (0..<4).map { batch in
        let first = base + (number * 4 + batch) * records
        let lines = (1...records).map { LoadClient.record(first + $0, gateway) + "\n" }
        return LoadClient.packed(Array(lines.joined().utf8))
      }
      while !attack.isOver {
        for batch in batches { _ = try socket.post(batch, key: keys.gateways[gateway]) }
      }
    }
  }

  /// Sends records with a bad time, and then twice with a better one.
  private static func correct(_ attack: Attack, _ keys: AttackKeys, records: Int, threads: Int) {
    let base = Int.random(in: 1...1_000) * 100_000
    attack.begin(threads: threads) { attack, number in
      let socket = try attack.socket()
      let gateway = number % keys.gateways.count
      var round = 0
      while !attack.isOver {
        let first = base + (round * threads + number) * records
        for quality in ["system", "ntp", "gps"] {
          let lines = (1...records).map { LoadClient.record(first + $0, gateway, quality: quality) + "\n" }
          _ = try socket.post(LoadClient.packed(Array(lines.joined().utf8)), key: keys.gateways[gateway])
        }
        round += 1
      }
    }
  }

  static func sendRequests(_ attack: Attack, _ keys: AttackKeys, _ paths: [String]) {
    attack.begin(threads: 16) { attack, number in
      let socket = try attack.socket()
      let key = number % 4 == 0 ? keys.admin : keys.reader
      let head = "GET \(paths[number % paths.count]) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n\r\n"
      // Several requests are sent at once, so that the next one has arrived when one is answered.
      try socket.write(Array(String(repeating: head, count: 3).utf8))
      while !attack.isOver {
        let text = String(decoding: try socket.receive(), as: UTF8.self)
        if text.contains("HTTP/1.1 ") { try socket.write(Array(head.utf8)) }
      }
    }
  }

  private static func write(_ attack: Attack, _ keys: AttackKeys) {
    attack.begin(threads: 16) { attack, number in
      let socket = try attack.socket()
      while !attack.isOver {
        let name = "car-\(UInt64.random(in: 0 ... .max))"
        switch number % 3 {
        case 0: _ = try socket.send("POST", "/api/vehicles", key: keys.admin, json: #"{"id":"\#(name)"}"#)
        case 1: _ = try socket.send("PUT", "/api/vehicles/VAN-1", key: keys.admin, json: #"{"name":"\#(name)"}"#)
        default: _ = try socket.send("POST", "/api/tokens", key: keys.admin, json: #"{"role":"readOnly"}"#)
        }
      }
    }
  }

  private static func putFences(_ attack: Attack, _ keys: AttackKeys) throws {
    let zeros = Array(#"{"type":"FeatureCollection","features":[],"x":["#.utf8) + Array("0,".utf8).repeated(3_000_000)
    let ring = (0..<20_000).map { step -> String in
      let angle = Double(step) / 20_000 * 2 * Double.pi
      return "[\(cos(angle) / 10),\(sin(angle) / 10)]"
    }
    let polygon =
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"a"},"geometry":{"type":"Polygon","#
      + #""coordinates":[["# + (ring + [ring[0]]).joined(separator: ",") + "]]}}]}"
    let bodies = [LoadClient.packed(zeros + Array("0]}".utf8)), LoadClient.packed(Array(polygon.utf8))]
    attack.begin(threads: 8) { attack, number in
      let socket = try attack.socket()
      while !attack.isOver {
        if number < 6 {
          _ = try socket.send(
            "PUT", "/api/geofences", key: keys.admin, bodies[number % 2], "Content-Encoding: zstd\r\n")
        } else {
          _ = try socket.get("/api/geofences", key: keys.gateways[number])
        }
      }
    }
  }

  private static func replay(_ attack: Attack, _ keys: AttackKeys) {
    attack.begin(threads: 60) { attack, _ in
      let socket = try attack.socket(buffer: 1_024)
      try socket.openWebSocket(token: keys.reader)
      try socket.send(text: #"{"action":"subscribe","channel":"fleet","after":0}"#)
      while !attack.isOver, socket.isOpen {
        try socket.send(opcode: 10, [])
        attack.rest(until: .now + .milliseconds(100))
      }
    }
  }

  private static func listen(_ attack: Attack, _ keys: AttackKeys, sockets: Int, channels: Int) {
    attack.begin(threads: sockets) { attack, number in
      let socket = try attack.socket()
      try socket.openWebSocket(token: keys.reader)
      try socket.send(text: #"{"action":"subscribe","channel":"fleet"}"#)
      for channel in 1..<max(channels, 2) where channels > 1 {
        try socket.send(text: #"{"action":"subscribe","channel":"vehicle:none-\#(number)-\#(channel)"}"#)
      }
      while !attack.isOver { _ = try socket.receive() }
    }
  }
}

extension Array {
  func repeated(_ count: Int) -> [Element] { Array(repeatElement(self, count: count).joined()) }
}
