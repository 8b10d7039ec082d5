import Glibc
import TestKit
import Testing

@testable import Ports

/// The ends of lines and connections, and new connections after them.
extension BLEPortTests {
  @Test(arguments: [
    (#"{"do": "disconnect"}"#, #""sockets": true"#), (#"{"do": "disconnect"}"#, messages),
    (#"{"do": "drop"}"#, #""sockets": true"#), (#"{"do": "forget"}"#, messages),
    (#"{"do": "leave"}"#, messages),
    (#"{"do": "leave"}"#, #""sockets": true"#),
  ])
  func a_lost_connection_is_reported_after_all_bytes_are_read(_ row: (order: String, facts: String))
    async throws
  {
    try await Self.with(Scene.adapter(Scene.ffe0, row.facts)) { port, bed in
      try Self.notify(["STOPPED\r", ">"], bed)
      try bed.order(row.order)
      #expect(try Self.read(9, &port, room: 4) == "STOPPED\r>")
      let error = try Self.end(of: &port)
      #expect(error?.kind == .gone, "\(error?.description ?? "open")")
      #expect(error?.detail.isEmpty == false)
      #expect(
        PortContract.kind { () throws(PortError) in _ = try PortContract.write("ATZ\r", &port) }
          == .gone)
      port.close()
      #expect(port.descriptor == -1)
    }
  }

  @Test func reopening_after_the_device_went_works() async throws {
    try await Self.with(Scene.adapter()) { port, bed in
      for _ in 0..<3 {
        try Self.notify([">"], bed)
        #expect(try Self.read(1, &port) == ">")
        try bed.order(#"{"do": "disconnect"}"#)
        #expect(try Self.end(of: &port)?.kind == .gone)
        try port.open(within: .seconds(60), unless: nil)
      }
    }
  }

  @Test func closing_ends_the_connection_that_opening_made() async throws {
    try await Self.with(Scene.adapter()) { port, bed in
      port.close()
      try bed.event("disconnect")
    }
    try await Self.with(Scene.adapter(Scene.ffe0, #""sockets": true, "connected": true"#)) {
      port, bed in
      // The connection existed before: another process made it.
      #expect(!bed.events.contains("connect"))
      port.close()
      try bed.order(#"{"do": "nonsense"}"#)
      #expect(!bed.events.contains("disconnect"))
    }
  }

  @Test(arguments: [
    ("org.bluez.Error.Failed: le-connection-abort-by-local", 60),
    // Another process connects and does not finish: the whole time limit passes.
    ("org.bluez.Error.InProgress: In Progress", 15),
  ])
  func a_failed_connection_attempt_disconnects_nothing(_ row: (answer: String, seconds: Int)) async throws {
    try await runBlocking {
      let scene = Scene.adapter(Scene.ffe0, #""connect": ["\#(row.answer)"]"#)
      let bed = try BluetoothBed.start(scene)
      var port = BLEPort(address: Scene.address, bus: bed.bus)
      let limit = Duration.seconds(row.seconds)
      let error = PortContract.error { () throws(PortError) in try port.open(within: limit, unless: nil) }
      #expect(error != nil)
      // Another process may be pairing the adapter, which Disconnect would end.
      try bed.order(#"{"do": "nonsense"}"#)
      #expect(bed.events.contains("connect") && !bed.events.contains("disconnect"), "\(bed.events)")
    }
  }

  @Test func a_connection_that_is_about_to_end_is_not_taken_for_a_new_one() async throws {
    try await Self.with(Scene.adapter(Scene.ffe0, #""sockets": true, "leaves": 1.0"#)) { port, bed in
      for _ in 0..<2 {
        try bed.event("connect")
        port.close()
        try bed.event("disconnect")
        try port.open(within: .seconds(60), unless: nil)
      }
      try bed.event("connect")
      try Self.notify([">"], bed)
      #expect(try Self.read(1, &port) == ">")
    }
  }

  @Test func a_wake_up_ends_the_waiting_for_the_end_of_a_connection() async throws {
    try await Self.with(Scene.adapter(Scene.ffe0, #""sockets": true, "leaves": 60"#)) { port, bed in
      port.close()
      try bed.event("disconnect")
      let wakeUp = try WakeUp()
      wakeUp.signal()
      let kind = PortContract.kind { () throws(PortError) in try port.open(within: .seconds(60), unless: wakeUp) }
      #expect(kind == .interrupted)
      // The connection does not end, because another process has made a new one, which can be used.
      try port.open(within: .seconds(60), unless: nil)
      try Self.notify([">"], bed)
      #expect(try Self.read(1, &port) == ">")
      port.close()
      try bed.order(#"{"do": "nonsense"}"#)
      #expect(bed.events.count { $0 == "disconnect" } == 1)
    }
  }
}
