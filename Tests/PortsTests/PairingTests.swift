import Glibc
import Synchronization
import TestKit
import Testing

@testable import Ports

/// Pairing with a simulation of BlueZ that sends requests to the agent like bluetoothd.
@Suite struct PairingTests {
  private struct Outcome {
    var events: [String] = []
    var news: [PairingEvent] = []
  }

  /// The reports so far, shared between threads.
  private final class Told: Sendable {
    private let news = Mutex<[PairingEvent]>([])

    var all: [PairingEvent] { news.withLock { $0 } }

    func append(_ item: PairingEvent) { news.withLock { $0.append(item) } }

    /// Waits until this many events were received.
    func wait(for count: Int = 1) throws {
      let deadline = BootClock.now + 60_000_000_000
      while all.count < count {
        guard BootClock.now < deadline else { throw TestData.Missing("news of pairing") }
        poll(nil, 0, 5)
      }
    }
  }

  /// Runs until all adapters are paired or have failed, or until `body` returns.
  ///
  /// - Parameter patience: time limit for each answer of BlueZ.
  private static func run(
    _ scene: String, pin: String? = nil, isLowEnergy: Bool = false, patience: Duration = .seconds(60),
    _ body: (@Sendable (BluetoothBed, Told, PairingControl) throws -> Void)? = nil
  ) async throws -> Outcome {
    try await runBlocking {
      let bed = try BluetoothBed.start(scene)
      let request = PairingRequest(address: Scene.address, isLowEnergy: isLowEnergy, pin: pin)
      let control = try PairingControl([request])
      let told = Told()
      let bus = bed.bus
      let work = BackgroundWork {
        var pairing = Pairing(bus: bus, pause: .milliseconds(50), head: .zero, patience: patience)
        pairing.run(under: control) { told.append($0) }
      }
      if let body {
        defer { control.stop() }
        try body(bed, told, control)
      }
      #expect(work.ended())
      // All earlier reports have been read by then.
      try bed.order(#"{"do": "notify", "pieces": []}"#)
      func count(_ beginning: String) -> Int { bed.events.count { $0.hasPrefix(beginning) } }
      if count("agent ") > 2 * count("agent gone") { try bed.event("agent gone") }
      return Outcome(events: bed.events.filter { !$0.hasPrefix("done ") }, news: told.all)
    }
  }

  private static func adapter(_ facts: String) -> String { Scene.adapter("", facts) }
  /// The adapter does not answer, so that the agent stays.
  private static let absent = #""pairing": "org.bluez.Error.ConnectionAttemptFailed: Page Timeout", "passkey": 1234"#

  @Test func a_new_adapter_gets_1234_then_0000_and_is_trusted() async throws {
    let outcome = try await Self.run(Self.adapter(#""pins": ["0000"]"#))
    #expect(
      outcome.events.dropFirst() == [
        "agent NoInputNoOutput", "pair", "pin 1234", "pair", "pin 0000", "paired", "trusted", "agent gone",
      ])
    #expect(outcome.news.map(\.description) == ["rfcomm:AA:BB:CC:00:00:01: paired"])
  }

  @Test func a_configured_pin_is_used_and_never_reported() async throws {
    let outcome = try await Self.run(Self.adapter(#""pins": ["7351"]"#), pin: "7351")
    #expect(outcome.events.contains("pin 7351"))
    #expect(outcome.events.contains("trusted"))
    #expect(!outcome.news.contains { $0.description.contains("7351") })
  }

  @Test func a_wrong_pin_is_tried_twice_and_reported() async throws {
    let outcome = try await Self.run(Self.adapter(#""pins": ["9"]"#), pin: "7351")
    #expect(outcome.events.filter { $0 == "pin 7351" }.count == 2)
    #expect(!outcome.events.contains("paired"))
    #expect(outcome.news == [.refused(.rfcomm(Scene.address, channel: nil), isConfigured: true)])
    #expect(outcome.events.last == "agent gone")
  }

  @Test func a_passkey_is_given_to_an_adapter_with_bluetooth_le() async throws {
    let outcome = try await Self.run(Self.adapter(#""passkey": 123456"#), pin: "123456", isLowEnergy: true)
    #expect(outcome.events.contains("passkey 123456"))
    #expect(outcome.news.map(\.description) == ["ble:AA:BB:CC:00:00:01: paired"])
  }

  @Test func usual_pins_are_tried_as_passkeys_with_bluetooth_le() async throws {
    let outcome = try await Self.run(Self.adapter(#""passkey": 0"#), isLowEnergy: true)
    #expect(
      outcome.events.dropFirst() == [
        "agent KeyboardOnly", "pair", "passkey 1234", "pair", "passkey 0", "paired", "trusted", "agent gone",
      ])
    #expect(outcome.news == [.paired(.ble(Scene.address))])
  }

  /// BlueZ assigns a pairing that the adapter started to the default agent.
  @Test func the_agent_is_not_asked_about_a_pairing_that_the_adapter_starts() async throws {
    let outcome = try await Self.run(Self.adapter(Self.absent), isLowEnergy: true) { bed, told, _ in
      try told.wait()
      try bed.order(#"{"do": "begin"}"#)
    }
    #expect(outcome.events.contains("nobody to ask RequestPasskey"), "\(outcome.events)")
    #expect(!outcome.events.contains("paired"))
  }

  @Test func a_device_paired_by_another_program_is_trusted_too() async throws {
    let outcome = try await Self.run(Self.adapter(Self.absent), isLowEnergy: true) { bed, told, _ in
      try told.wait()
      try bed.order(#"{"do": "paired"}"#)
      try bed.event("trusted")
    }
    #expect(outcome.news == [.missed(.ble(Scene.address)), .paired(.ble(Scene.address))])
  }

  @Test(arguments: [
    ("org.bluez.Error.Failed: Not now", "Not now"), ("late", "bluetoothd does not answer; restart bluetooth"),
  ])
  func a_device_that_cannot_be_marked_as_trusted_is_still_paired(_ row: (answer: String, reason: String)) async throws {
    // One of the answers never arrives.
    let patience = Duration.seconds(row.answer == "late" ? 15 : 60)
    let scene = Self.adapter(#""pins": ["1234"], "trust": "\#(row.answer)""#)
    let outcome = try await Self.run(scene, patience: patience)
    #expect(outcome.events.filter { $0 == "pair" }.count == 1)
    #expect(!outcome.events.contains("cancelled"))
    let port = PortAddress.rfcomm(Scene.address, channel: nil)
    #expect(outcome.news == [.paired(port), .notTrusted(port, row.reason)])
    #expect(outcome.news.last?.description.contains("paired, but not marked as trusted (\(row.reason))") == true)
  }

  // MARK: Other requests

  @Test func a_repeated_pairing_request_retries_only_abandoned_adapters() async throws {
    let first = PairingRequest(address: Scene.address, isLowEnergy: true, pin: "7351")
    let second = PairingRequest(address: BluetoothAddress("AA:BB:CC:00:00:02")!, isLowEnergy: true, pin: "1")
    let scene = """
      {"devices": [{"address": "\(Scene.address)", "pairing": "org.bluez.Error.ConnectionAttemptFailed: Page Timeout"},
        {"address": "AA:BB:CC:00:00:02", "passkey": 9}]}
      """
    let outcome = try await Self.run(scene, pin: "7351", isLowEnergy: true) { bed, told, control in
      try told.wait()
      #expect(control.pair([first, second], again: false))
      for _ in 0..<2 { try bed.event("passkey 1") }
      try told.wait(for: 2)
      #expect(control.pair([first, second], again: true))
      for _ in 0..<2 { try bed.event("passkey 1") }
      try told.wait(for: 3)
    }
    // The first adapter is not tried again before its time.
    #expect(outcome.events.filter { $0 == "pair" }.count == 5)
    let refused = PairingEvent.refused(second.port, isConfigured: true)
    #expect(outcome.news == [.missed(first.port), refused, refused])
  }

  @Test func an_ended_pairing_accepts_no_further_requests() async throws {
    let control = try PairingControl([])
    var pairing = Pairing(bus: "unix:path=/nowhere")
    pairing.run(under: control) { Issue.record("\($0)") }
    #expect(!control.pair([PairingRequest(address: Scene.address, isLowEnergy: true)], again: true))
  }

  @Test func an_adapter_unknown_to_bluez_is_searched_for() async throws {
    let outcome = try await Self.run(Self.adapter(#""pins": ["1234"], "known": false, "transport": "bredr""#))
    #expect(outcome.events.contains("discovery bredr"))
    #expect(outcome.events.contains("discovery over"))
    #expect(outcome.news == [.paired(.rfcomm(Scene.address, channel: nil))])
  }

  /// The adapter is removed from the list while it is searched for.
  @Test func an_adapter_removed_from_the_list_is_not_paired() async throws {
    let outcome = try await Self.run(Self.adapter(#""known": false"#)) { bed, _, control in
      try bed.event("discovery bredr")
      #expect(control.pair([], again: false))
      try bed.order(#"{"do": "appear"}"#)
      try bed.event("agent gone")
    }
    #expect(!outcome.events.contains("pair"))
    #expect(outcome.news == [])
  }

  @Test func a_connected_device_is_not_paired_again() async throws {
    let outcome = try await Self.run(Self.adapter(#""connected": true"#)) { bed, _, _ in
      try bed.event("agent NoInputNoOutput")
      // It has looked by then, and waits.
      for _ in 0..<3 { try bed.order(#"{"do": "notify", "pieces": []}"#) }
    }
    #expect(!outcome.events.contains { $0 == "pair" || $0.hasPrefix("discovery") })
    #expect(outcome.news == [])
  }

  @Test func a_paired_device_needs_no_pairing_agent() async throws {
    let outcome = try await Self.run(Self.adapter(#""paired": true"#))
    #expect(outcome.events.count == 1, "\(outcome.events)")
    #expect(outcome.news == [])
  }

  @Test(arguments: [
    "RequestPinCode", "RequestPasskey", "RequestConfirmation", "RequestAuthorization", "AuthorizeService",
  ])
  func pairing_of_other_devices_is_rejected(_ method: String) async throws {
    let outcome = try await Self.run(Self.adapter(Self.absent), isLowEnergy: true) { bed, _, _ in
      try bed.event("agent KeyboardOnly")
      try bed.order(#"{"do": "ask", "method": "\#(method)", "about": "66:66:66:66:66:66"}"#)
      try bed.order(#"{"do": "ask", "method": "\#(method)", "about": "nonsense"}"#)
      try bed.order(#"{"do": "ask", "method": "\#(method)", "about": "AA:BB:CC:00:00:01"}"#)
    }
    #expect(outcome.events.filter { $0 == "refused \(method) org.bluez.Error.Rejected" }.count == 2)
    #expect(outcome.events.filter { $0 == "allowed \(method)" }.count == 1)
  }

  @Test func only_bluez_receives_the_pin() async throws {
    let outcome = try await Self.run(Self.adapter(Self.absent), isLowEnergy: true) { bed, _, _ in
      try bed.event("agent KeyboardOnly")
      try bed.order(#"{"do": "intrude"}"#)
    }
    #expect(outcome.events.contains("refused intruder org.bluez.Error.Rejected"), "\(outcome.events)")
  }

  @Test func a_pairing_method_that_needs_a_display_is_rejected() async throws {
    let outcome = try await Self.run(Self.adapter(Self.absent), isLowEnergy: true) { bed, _, _ in
      try bed.event("agent KeyboardOnly")
      try bed.order(#"{"do": "ask", "method": "DisplayPinCode", "about": "AA:BB:CC:00:00:01"}"#)
    }
    #expect(outcome.events.contains("refused DisplayPinCode org.bluez.Error.Rejected"))
  }

  @Test func a_new_bluetoothd_gets_the_agent_again() async throws {
    let outcome = try await Self.run(Self.adapter(Self.absent), isLowEnergy: true) { bed, _, _ in
      try bed.event("agent KeyboardOnly")
      try bed.order(#"{"do": "leave"}"#)
      bed.begin(#"{"do": "return"}"#)
      try bed.event("agent KeyboardOnly")
    }
    let reason = "bluetoothd is not running; apt install bluez, or start bluetooth"
    #expect(outcome.news.contains(.unavailable(reason)))
    #expect(PairingEvent.unavailable(reason).description == "Bluetooth adapters not paired: \(reason)")
  }

  @Test func a_device_that_does_not_answer_is_reported_once_and_retried_later() async throws {
    let outcome = try await Self.run(
      Self.adapter(#""pairing": "org.bluez.Error.ConnectionAttemptFailed: Page Timeout""#)
    ) { bed, told, _ in
      try bed.event("pair")
      try told.wait()
      // It waits now, and completesSentence its wakeUp.
      try bed.order(#"{"do": "nonsense"}"#)
    }
    #expect(outcome.events.filter { $0 == "pair" }.count == 1)
    #expect(outcome.news == [.missed(.rfcomm(Scene.address, channel: nil))])
  }
}
