import Foundation
import TestKit

@testable import FleetstoreTestKit

/// Attacks on one vehicle with thousands of things, and on the channels of thousands of vehicles.
extension AttackKind {
  /// Subscribes to the changes of thousands of vehicles, while things change. Sockets are opened and closed, too.
  static func followChanges(_ attack: Attack, _ keys: AttackKeys) {
    attack.begin(threads: 250) { attack, number in
      let socket = try attack.socket()
      try socket.openWebSocket(token: keys.reader)
      for channel in 0..<253 {
        try socket.send(
          text: #"{"action":"subscribe","channel":"vehicle:none-\#(number)-\#(channel)","changes":true}"#)
      }
      // Every tenth socket is closed after a second, which ends all of its subscriptions at once.
      let end = ContinuousClock.now + .seconds(1)
      while !attack.isOver {
        _ = try socket.receive()
        if number % 10 == 0, .now > end { throw LoadSocket.Failure(what: "the socket is closed on purpose") }
      }
    }
    attack.begin(threads: 4) { attack, number in
      let socket = try attack.socket()
      while !attack.isOver {
        let name = #"{"name":"V\#(UInt64.random(in: 0 ... .max))"}"#
        _ = try socket.send("PUT", "/api/vehicles/VAN-\(number)", key: keys.admin, json: name)
      }
    }
  }

  /// Voids the oldest of 6,000 readings of a vehicle and makes it valid again. All later readings depend on it.
  static func voidReadings(_ attack: Attack, _ keys: AttackKeys) throws {
    let token = try create(attack, keys.admin, "/api/tokens", #"{"role":"maintenance"}"#, "secret")
    try create(attack, keys.admin, "/api/vehicles", #"{"id":"read-1"}"#)
    for part in 0..<2 {
      let rows = (0..<3_000).map { row in "read-1,\(time(part * 3_000 + row)),\(10_000 + part * 3_000 + row)\n" }
      try importRows(attack, keys, "meter-readings", "vehicleId,at,odometer\n" + rows.joined())
    }
    let found = try LoadSocket(port: attack.port).get("/api/meter-readings?vehicle=read-1&sort=at&limit=1", key: token)
    guard let range = found.range(of: #""id":""#) else { throw TestData.Missing("the oldest reading: \(found)") }
    let path = "/api/meter-readings/" + found[range.upperBound...].prefix { $0 != "\"" }
    attack.begin(threads: 4) { attack, number in
      let socket = try attack.socket()
      var isVoid = number % 2 == 0
      while !attack.isOver {
        _ = try socket.send(
          "PATCH", path, key: token, Array(#"{"void":\#(isVoid)}"#.utf8),
          "Content-Type: application/merge-patch+json\r\nIf-Match: *\r\n")
        isVoid.toggle()
      }
    }
  }

  /// Retires a vehicle with 3,200 planned journeys, which are then cancelled.
  static func retire(_ attack: Attack, _ keys: AttackKeys) throws {
    try create(attack, keys.admin, "/api/vehicles", #"{"id":"plan-1"}"#)
    // A driver has at most 1,000 planned journeys.
    let drivers = try (0..<4).map { try create(attack, keys.admin, "/api/drivers", #"{"name":"Plans \#($0)"}"#) }
    let socket = try LoadSocket(port: attack.port)
    for number in 0..<3_200 {
      let journey =
        #"{"driverId":"\#(drivers[number % 4])","vehicleId":"plan-1","purpose":"business","plannedFrom":"\#(time(number, in: 2090))"}"#
      var answer = ""
      // The rate of the tenant's requests is limited.
      while !answer.contains(#""id":""#) {
        answer = try socket.send("POST", "/api/journeys", key: keys.admin, json: journey)
        guard answer.contains(#""id":""#) || answer.contains(" 429 ") else { throw TestData.Missing(answer) }
      }
    }
    attack.begin(threads: 4) { attack, number in
      let socket = try attack.socket()
      while !attack.isOver {
        let command = number == 0 ? "reactivate" : "retire"
        _ = try socket.send("POST", "/api/vehicles/plan-1/\(command)", key: keys.admin, json: "{}")
      }
    }
  }

  /// Imports 2,500 fills with an odometer. Each becomes a reading of the same vehicle.
  static func importFuel(_ attack: Attack, _ keys: AttackKeys) {
    let base = Int.random(in: 0...1_000_000)
    attack.begin(threads: 2) { attack, number in
      let socket = try attack.socket()
      var round = 0
      while !attack.isOver {
        let vehicle = "fuel-\(base)-\(number)-\(round)"
        _ = try socket.send("POST", "/api/vehicles", key: keys.admin, json: #"{"id":"\#(vehicle)"}"#)
        let rows = (0..<2_500).map { row in "\(vehicle),\(time(row)),diesel,\(20 + row % 50),\(10_000 + row)\n" }
        _ = try socket.send(
          "POST", "/api/imports?kind=fuel-entries", key: keys.admin,
          Array(("vehicleId,at,energy,quantity,odometer\n" + rows.joined()).utf8), "Content-Type: text/csv\r\n")
        round += 1
      }
    }
  }

  private static func importRows(_ attack: Attack, _ keys: AttackKeys, _ kind: String, _ text: String) throws {
    let answer = try LoadSocket(port: attack.port).send(
      "POST", "/api/imports?kind=\(kind)", key: keys.admin, Array(text.utf8), "Content-Type: text/csv\r\n")
    guard answer.hasPrefix("HTTP/1.1 200") else { throw TestData.Missing("\(kind): \(answer)") }
  }

  /// Returns different times of a year, one for each number, an hour apart.
  private static func time(_ number: Int, in year: Int = 2_024) -> String {
    let (day, hour) = (number / 24, number % 24)
    return String(format: "%04d-%02d-%02dT%02d:00:00Z", year, 1 + day / 28, 1 + day % 28, hour)
  }
}
