import Foundation
import TestKit

@testable import FleetstoreTestKit

/// Attacks on fleet data and on work that the server does for a tenant.
extension AttackKind {
  private static let patch = "Content-Type: application/merge-patch+json\r\nIf-Match: *\r\n"

  /// Sends a request that must succeed: without its data, the attack would have no effect.
  ///
  /// - Returns: the value of the key in the JSON answer.
  @discardableResult
  static func create(
    _ attack: Attack, _ key: String, _ path: String, _ json: String, _ value: String = "id"
  ) throws -> String {
    let answer = try LoadSocket(port: attack.port).send("POST", path, key: key, json: json)
    guard let range = answer.range(of: "\"\(value)\":\"") else { throw TestData.Missing("\(path): \(answer)") }
    return String(answer[range.upperBound...].prefix { $0 != "\"" })
  }

  /// Right and wrong passwords of accounts of the tenant, from many addresses.
  static func signIn(_ attack: Attack, _ keys: AttackKeys) {
    attack.begin(threads: 40) { attack, number in
      let socket = try attack.socket(from: UInt32(20 + number))
      while !attack.isOver {
        let password = number % 2 == 0 ? AttackAccounts.password : "wrong \(UInt64.random(in: 0 ... .max))"
        _ = try AttackAccounts.signIn(socket, AttackAccounts.attacker(number % AttackAccounts.count), password)
      }
    }
  }

  static func useThings(_ attack: Attack, _ keys: AttackKeys) throws {
    // Texts that a search must read, because they begin like the searched one.
    let notes = String(repeating: "needle in a haystac ", count: 200)
    for number in 0..<20 {
      try create(attack, keys.admin, "/api/vehicles", #"{"id":"hay-\#(number)","notes":"\#(notes)"}"#)
    }
    attack.begin(threads: 16) { attack, number in
      let socket = try attack.socket()
      while !attack.isOver {
        switch number % 6 {
        case 0:
          _ = try socket.send(
            "POST", "/api/vehicles", key: keys.admin,
            json: #"{"id":"hay-\#(UInt64.random(in: 0 ... .max))","notes":"\#(notes)"}"#)
        case 1:
          let body = #"{"name":"V\#(UInt64.random(in: 0 ... .max))"}"#
          _ = try socket.send("PATCH", "/api/vehicles/VAN-1", key: keys.admin, Array(body.utf8), patch)
        case 2: _ = try socket.get("/api/vehicles?q=needle%20in%20a%20haystack&limit=1000", key: keys.reader)
        case 3: _ = try socket.get("/api/vehicles?sort=-id&limit=1000", key: keys.reader)
        case 4: _ = try socket.get("/api/audit?vehicle=VAN-1&limit=1000", key: keys.admin)
        default: _ = try socket.get("/api/vehicles?q=V&sort=-lastRecordAt&limit=1000", key: keys.reader)
        }
      }
    }
  }

  static func sendImports(_ attack: Attack, _ keys: AttackKeys) {
    attack.begin(threads: 6) { attack, number in
      let socket = try attack.socket()
      while !attack.isOver {
        let day = Int.random(in: 1...28)
        let rows = (0..<5_000).map { row in
          let hour = row / 3_600
          return "VAN-\(number % 4),2025-0\(1 + number % 9)-\(day < 10 ? "0" : "")\(day)T0\(hour):"
            + String(format: "%02d:%02dZ", row / 60 % 60, row % 60) + ",diesel,\(20 + row % 50)\n"
        }
        let text = "vehicleId,at,energy,quantity\n" + rows.joined()
        let path = "/api/imports?kind=fuel-entries" + (number % 2 == 0 ? "" : "&dryRun=true")
        _ = try socket.send("POST", path, key: keys.admin, Array(text.utf8), "Content-Type: text/csv\r\n")
      }
    }
  }

  static func exportArchives(_ attack: Attack, _ keys: AttackKeys) {
    attack.begin(threads: 6) { attack, number in
      // Some readers are slow, so that the server must keep the archive.
      let socket = try attack.socket(buffer: number < 3 ? 1_024 : nil)
      let head = "GET /api/exports HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(keys.admin)\r\n\r\n"
      try socket.write(Array(head.utf8))
      while !attack.isOver, socket.isOpen {
        if number < 3 {
          attack.rest(until: .now + .milliseconds(50))
        } else if String(decoding: try socket.receive(), as: UTF8.self).hasSuffix("\r\n0\r\n\r\n") {
          try socket.write(Array(head.utf8))
        }
      }
    }
  }

  static func makeReports(_ attack: Attack, _ keys: AttackKeys) {
    attack.begin(threads: 12) { attack, number in
      let socket = try attack.socket()
      let kind = ["costs", "utilization", "drivers", "fuel"][number % 4]
      while !attack.isOver {
        let made = try socket.send(
          "POST", "/api/reports", key: keys.admin, json: #"{"kind":"\#(kind)","from":"2026-01-01","to":"2026-12-31"}"#)
        guard let range = made.range(of: #""id":""#) else { continue }
        let id = made[range.upperBound...].prefix { $0 != "\"" }
        for format in ["pdf", "xlsx"] { _ = try socket.get("/api/reports/\(id)?format=\(format)", key: keys.admin) }
      }
    }
  }

  static func readAudits(_ attack: Attack, _ keys: AttackKeys) {
    attack.begin(threads: 12) { attack, number in
      let socket = try attack.socket()
      while !attack.isOver {
        let path = number % 3 == 0 ? "/api/audit?limit=1000" : "/api/audit/verification"
        _ = try socket.get(path, key: keys.admin)
      }
    }
  }

  /// Assignments are made and ended. Many rules notify people of each, and many schedules are computed again.
  static func notify(_ attack: Attack, _ keys: AttackKeys) throws {
    let people = keys.people.map { "\"\($0)\"" }.joined(separator: ",")
    for number in 0..<50 {
      try create(
        attack, keys.admin, "/api/rules",
        #"{"name":"R\#(number)","events":["assignmentMade","assignmentEnded"],"personIds":[\#(people)],"#
          + #""channels":["inApp"]}"#)
    }
    try makeEvents(attack, keys)
  }

  private static func makeEvents(_ attack: Attack, _ keys: AttackKeys) throws {
    for number in 0..<8 {
      let driver = try create(attack, keys.admin, "/api/drivers", #"{"name":"Events \#(number)"}"#)
      attack.begin(threads: 1) { attack, _ in
        let socket = try attack.socket()
        while !attack.isOver {
          let made = try socket.send(
            "POST", "/api/assignments", key: keys.admin,
            json: #"{"vehicleId":"VAN-\#(number)","driverId":"\#(driver)"}"#)
          guard let range = made.range(of: #""id":""#) else { continue }
          let id = made[range.upperBound...].prefix { $0 != "\"" }
          _ = try socket.send("POST", "/api/assignments/\(id)/end", key: keys.admin, json: "{}")
        }
      }
    }
  }

  static func forward(_ attack: Attack, _ keys: AttackKeys) throws {
    let server = try DrippingServer()
    attack.atEnd { server.end() }
    for (number, format) in ["traccar", "influx", "prometheus", "traccar"].enumerated() {
      try create(
        attack, keys.admin, "/api/forwards",
        #"{"name":"F\#(number)","format":"\#(format)","address":"http://127.0.0.1:\#(server.port)/\#(number)"}"#)
    }
    sendBatches(attack, keys, records: 500, threads: 8)
  }

  static func useWebhooks(_ attack: Attack, _ keys: AttackKeys) throws {
    let server = try DrippingServer()
    attack.atEnd { server.end() }
    for number in 0..<10 {
      try create(
        attack, keys.admin, "/api/webhooks",
        #"{"url":"http://127.0.0.1:\#(server.port)/\#(number)","events":["assignmentMade","assignmentEnded"]}"#)
    }
    try makeEvents(attack, keys)
  }

  static func connect(_ attack: Attack, _ keys: AttackKeys) throws {
    let server = try DrippingServer()
    attack.atEnd { server.end() }
    let ids = try (0..<40).map { number in
      try create(
        attack, keys.admin, "/api/connectors",
        #"{"name":"C\#(number)","service":"aemp","address":"http://127.0.0.1:\#(server.port)/\#(number)","#
          + #""signIn":"basic","userName":"u","secret":"s"}"#)
    }
    attack.begin(threads: 8) { attack, number in
      let socket = try attack.socket()
      while !attack.isOver {
        let command = number < 4 ? "pull" : "check"
        _ = try socket.send(
          "POST", "/api/connectors/\(ids.randomElement() ?? "")/\(command)", key: keys.admin, json: "{}")
      }
    }
  }

  /// A phone of the tenant sends positions, and strangers at many addresses guess keys of the tenant's phones.
  static func reportPositions(_ attack: Attack, _ keys: AttackKeys) throws {
    let driver = try create(attack, keys.admin, "/api/drivers", #"{"name":"Phones"}"#)
    let phone = try create(attack, keys.admin, "/api/phones", #"{"driverId":"\#(driver)","name":"P"}"#)
    let key = try create(attack, keys.admin, "/api/phones/\(phone)/rotate", "{}", "key")
    attack.begin(threads: 24) { attack, number in
      let socket = try attack.socket(from: UInt32(20 + number))
      while !attack.isOver {
        let own = number < 8 ? key : String(key.dropLast(6)) + String(Int.random(in: 100_000...999_999))
        _ = try socket.get("/api/phone-reports/osmand?lat=48.2&lon=16.2&id=\(own)", key: nil)
      }
    }
  }

  /// Schedules of services, and readings of meters after each of which they are computed again.
  static func scheduleServices(_ attack: Attack, _ keys: AttackKeys) throws {
    for number in 0..<60 {
      try create(
        attack, keys.admin, "/api/service-schedules",
        #"{"vehicleId":"VAN-\#(number % 8)","serviceType":"repair","every":{"days":\#(number + 1)},"#
          + #""lastService":{"date":"2026-01-01"}}"#)
    }
    attack.begin(threads: 12) { attack, number in
      let socket = try attack.socket()
      var odometer = 100
      while !attack.isOver {
        odometer += 1
        if number < 8 {
          _ = try socket.send(
            "POST", "/api/meter-readings", key: keys.admin,
            json: #"{"vehicleId":"VAN-\#(number)","odometer":\#(odometer),"source":"manual"}"#)
        } else {
          _ = try socket.get("/api/service-schedules?limit=1000", key: keys.reader)
        }
      }
    }
  }
}
