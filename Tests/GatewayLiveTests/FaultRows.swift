import AdapterSession
import Ports
import Simulator

@testable import GatewayTestKit

/// The fault matrix. The Simulator's README describes each fault. The clock is virtual, so long waits cost nothing.
enum FaultRows {
  static let all = link + prompts + resets + commands + bus + answers + silent + long

  /// Returns plays of the same fault at many times. Each fault lasts `length` s.
  private static func sweep(
    _ fault: String, from: Double, to: Double, step: Double, length: Double = 1
  ) -> [FaultRow.Play] {
    stride(from: from, to: to, by: step).map { start in
      FaultRow.Play(faults: "\(fault)@\(start)s..\(start + length)s", ends: start + length)
    }
  }

  /// Returns plays of a fault that occurs once, at many times.
  private static func moments(_ fault: String, from: Double, to: Double, step: Double) -> [FaultRow.Play] {
    stride(from: from, to: to, by: step).map { FaultRow.Play(faults: "\(fault)@\($0)s", ends: $0) }
  }

  /// Returns plays of a fault that ends at many times, and so in any state of the gateway.
  private static func ending(_ fault: String, from start: Double, _ ends: [Double]) -> [FaultRow.Play] {
    ends.map { FaultRow.Play(faults: "\(fault)@\(start)s..\($0)s", ends: $0) }
  }

  private static let ends = Array(stride(from: 40.0, to: 46, by: 0.7))

  static let link: [FaultRow] = [
    FaultRow("unplug, replug: idle", "unplug@10s..13s", ends: 13, says: ["lost(portClosed)", "recovered"]),
    FaultRow(
      "unplug, replug: mid-reply", sweep("unplug", from: 10, to: 10.25, step: 0.02),
      says: ["lost(portClosed)", "recovered"]),
    FaultRow("unplug, replug: mid-init", sweep("unplug", from: 0.1, to: 2, step: 0.15), says: ["connected"]),
    FaultRow("device away for ten minutes", "unplug@10s..610s", ends: 610, says: ["lost(portClosed)", "recovered"])
      .with { $0.address = .serial(path: "/dev/ttyUSB0", baud: 38_400) },
    FaultRow("RFCOMM peer gone", "unplug@10s..70s", ends: 70, says: ["lost(portClosed)", "recovered"]).with {
      $0.address = .rfcomm(BluetoothAddress("00:1D:A5:68:98:8A")!, channel: 1)
    },
    FaultRow("TCP half-open", ending("hang", from: 10, ends), says: ["lost(silent)", "recovered"]),
    FaultRow("wrong baud", "", says: ["found", "connected"]).with {
      $0.scenario = Cars.scenario(adapter: #""baud": 115200, "strictBaud": true"#)
      $0.address = .serial(path: "/dev/ttyUSB0", baud: nil)
      $0.configuration.transport = .serial(baud: nil)
      $0.memory.baud = 38_400
    },
    FaultRow(
      "silent device", ending("silent", from: 0, ends) + ending("silent", from: 10, ends),
      says: ["lost(silent)"]),
    FaultRow(
      "silent device, its baud once found out", ending("silent", from: 10, ends), says: ["lost(silent)", "recovered"]
    )
    .with {
      $0.scenario = Cars.scenario(adapter: #""strictBaud": true"#)
      $0.address = .serial(path: "/dev/ttyUSB0", baud: nil)
      $0.configuration.transport = .serial(baud: nil)
    },
    FaultRow(
      "silent device, rates that the line cannot do", ending("silent", from: 0, ends),
      says: ["lost(silent)", "found", "connected"]
    )
    .with {
      $0.scenario = Cars.scenario(adapter: #""strictBaud": true"#)
      $0.address = .serial(path: "/dev/ttyUSB0", baud: nil)
      $0.configuration.transport = .serial(baud: nil)
      $0.memory.baud = 38_400
      $0.highestBaud = 115_200
    },
    FaultRow(
      "device that echoes everything",
      ending("echoAll", from: 0, ends) + ending("echoAll", from: 10, ends),
      says: ["lost(noAdapter)"]),
    FaultRow(
      "GPS receiver in the adapter's place",
      ending("gps", from: 0, ends) + ending("gps", from: 10, ends),
      says: ["lost(gnssReceiver)"]),
    FaultRow("reply split at every byte", "split", says: ["connected"]).with { $0.isKept = true },
    FaultRow("CRLF", "crlf", says: ["connected"]).with { $0.isKept = true },
    FaultRow("NULs", "nul", says: ["connected"]).with { $0.isKept = true },
    FaultRow("1 byte/s trickle", "trickle@10s..40s", ends: 40, says: ["lost(noAdapter)"]),
    FaultRow("100 kB of garbage", "garbage=100000@10s", ends: 36.1, says: ["error(malformed)"]),
  ]

  static let prompts: [FaultRow] = [
    FaultRow(
      "prompt lost", [.init(faults: "promptLost@10s", ends: 10), .init(faults: "promptLost=0.2@10s..30s", ends: 30)],
      says: ["error(promptLost)"]),
    FaultRow("prompt twice", "promptTwice@10s..20s", ends: 20, says: ["quirk(strayPrompts)"]).with {
      $0.isKept = true
    },
    FaultRow("OK before the prompt", "promptOK@10s..20s", ends: 20, says: ["connected"]).with { $0.isKept = true },
    FaultRow("reply joined with the next", "replyJoined@10s", ends: 10, says: ["error(promptLost)"]).with {
      // Bytes arrive in the groups in which a USB bridge with its default timer sends them.
      $0.scenario = Cars.scenario(adapter: #""chunkTime": 16"#)
    },
    FaultRow("reply twice", "replyTwice=0.2@10s..20s", ends: 20, says: ["connected"]).with { $0.isKept = true },
    FaultRow(
      "one reply behind", "replyBehind@10s..40s", ends: 40,
      says: ["error(promptLost)", "lost(adapterReset)", "recovered"]),
  ]

  static let resets: [FaultRow] = [
    FaultRow("0xFC after ATZ", "bannerByte=FC", says: ["connected"]),
    FaultRow(
      "banner late", [.init(faults: "bannerLate=2500ms@0s", ends: 0), .init(faults: "bannerLate=6s@0s", ends: 6)],
      says: ["connected"]),
    FaultRow("banner missing", "bannerMissing", says: ["connected"]),
    FaultRow(
      "banner mid-session", moments("reset", from: 10, to: 10.25, step: 0.02),
      says: ["lost(adapterReset)", "recovered"]
    ),
    FaultRow(
      "brown-out reset",
      moments("brownOut=2s", from: 10, to: 10.25, step: 0.05).map { .init(faults: $0.faults, ends: $0.ends + 2) },
      says: ["lost(adapterReset)", "recovered"]),
    FaultRow(
      "LV RESET mid-poll", moments("lvReset", from: 10, to: 10.25, step: 0.02), says: ["lost(lowVoltage)", "recovered"]),
    FaultRow("ERR94", "err=94@10s", ends: 10, says: ["lost(adapterError)", "recovered"]),
    FaultRow("ACT ALERT", "actAlert@10s", ends: 10, says: ["lost(lowPower)", "recovered"]),
  ]

  /// Plays in which the adapter rejects one command, and a last one in which it rejects all AT commands.
  static let refusals: [FaultRow.Play] = [
    "ATZ", "ATE0", "ATL0", "ATS0", "ATH1", "ATAT", "ATST", "ATSP", "ATI", "AT@1", "ATRV", "ATDPN", "AT*",
  ].map { .init(faults: "unknown=\($0)", ends: 0) }

  static let commands: [FaultRow] = [
    FaultRow("? to each AT command", refusals, says: ["connected"]),
    FaultRow("suffix refused", "noSuffix", says: ["connected"]),
    FaultRow("multi-PID refused", "noMultiPID", says: ["quirk(multiPIDRefused)"]),
    FaultRow("adapter that reports protocol 0", "protocolZero", says: ["quirk(noProtocolNumber)"]),
  ]

  static let bus: [FaultRow] = [
    FaultRow("SEARCHING 12 s, then data", "searching=12s@0s", ends: 12, says: ["connected"]),
    FaultRow(
      "UNABLE TO CONNECT, then ignition on",
      stride(from: 9.0, to: 40, by: 2.3).map { .init(faults: "ignitionOff@0s..\($0)s", ends: $0) },
      says: ["lost(unableToConnect)", "connected"]),
    FaultRow("BUS INIT: ERROR thrice", "busInitError=3@0s", ends: 13, says: ["lost(busInit)", "connected"]).with {
      $0.scenario = Cars.scenario(bus: "kwpSlow", ecus: Cars.ecu("10"))
      $0.truth.ecus = ["10"]
      $0.configuration.protocolDigit = UInt8(ascii: "4")
    },
    FaultRow("CAN ERROR storm", "canError@10s..20s", ends: 20, says: ["lost(canError)", "recovered"]),
    FaultRow("STOPPED", "stopped=0.4@10s..20s", ends: 20, says: ["error(stopped)"]),
    FaultRow("BUFFER FULL with a cut frame", "bufferFull=0.3@10s..20s", ends: 20, says: ["error(bufferFull)"]),
    FaultRow("<DATA ERROR", "dataError=0.3@10s..20s", ends: 20, says: ["error(dataError)"]),
    FaultRow("<RX ERROR", "rxError=0.3@10s..20s", ends: 20, says: ["error(rxError)"]),
    FaultRow(
      "ignition off ten minutes, then on",
      stride(from: 620.0, to: 626, by: 2.3).map { .init(faults: "ignitionOff@20s..\($0)s", ends: $0) },
      says: ["lost(noData)", "recovered"]),
  ]

  static let answers: [FaultRow] = [
    FaultRow("NO DATA for one PID among six", "noPID=05@10s..40s", ends: 40, says: ["connected"]).with {
      $0.isKept = true
    },
    FaultRow("NO DATA for one request", "noData=05@10s..20s", ends: 20, says: ["connected"]).with {
      $0.scenario = Cars.scenario(bus: "kwpFast", ecus: Cars.ecu("10"))
      $0.truth.ecus = ["10"]
    },
    FaultRow(
      "one of two ECUs vanishes", "ecuGone=7E9@10s..30s", ends: 30,
      says: ["lost(ecuVanished)", "recovered(ecuReturned)"]
    ).with {
      $0.scenario = Cars.two
      $0.isKept = true
    },
    FaultRow("four ECUs interleaved", "", says: ["connected"]).with {
      $0.scenario = Cars.four
      $0.truth.ecus = ["7E8", "7E9", "7EA", "7EB"]
      $0.isKept = true
    },
    FaultRow("nine senders", "senders=9@10s..20s", ends: 20, says: ["connected"]).with {
      $0.truth.ecus = Set((0..<8).map { "7E" + String($0 + 8, radix: 16, uppercase: true) })
    },
    FaultRow("negative response 0x21", "busy=010C@10s..20s", ends: 20, says: ["error(negativeResponse)"]),
    FaultRow(
      "negative response 0x78",
      [.init(faults: "pending=010C:100ms@10s..20s", ends: 20), .init(faults: "pending=0902:2s", ends: 0)],
      says: ["connected"]),
    FaultRow("VIN with 16 characters", "shortVIN=16", says: ["connected"]).with {
      $0.truth.vins = ["1D4GP00R55B12345"]
    },
    FaultRow("wrong consecutive index", "badSequence=0.3@10s..20s", ends: 20, says: ["error(sequence)"]),
    FaultRow("lost frame", "lostFrame=0.2@10s..20s", ends: 20, says: ["error(truncated)"]),
  ]

  /// ECUs claim PIDs that they never answer: four of six, for a minute.
  static let silent: [FaultRow] =
    [
      silence("CAN", bus: "can11/500"),
      silence("CAN, one PID at a time", bus: "can11/500", and: "noMultiPID"),
      silence("CAN 29 bit", bus: "can29/250", ecu: "18DAF110", and: "noMultiPID"),
      silence("KWP, fast", bus: "kwpFast", ecu: "10"), silence("KWP, slow", bus: "kwpSlow", ecu: "10"),
      silence("ISO 9141-2", bus: "iso9141", ecu: "10"), silence("J1850 VPW", bus: "j1850vpw", ecu: "10"),
      silence("J1850 PWM", bus: "j1850pwm", ecu: "10"),
      FaultRow(
        "four silent PIDs of six: two ECUs, one of which disappears",
        "noMultiPID,\(noData("01")),ecuGone=7E9@30s..40s", ends: 60,
        says: ["connected", "lost(ecuVanished)", "recovered(ecuReturned)"]
      ).with { $0.scenario = Cars.two },
    ]

  private static func noData(_ service: String) -> String {
    ["04", "05", "0F", "11"].map { "noData=\(service)\($0)" }.joined(separator: ",")
  }

  private static func silence(
    _ name: String, bus: String, ecu: String = "7E8", and fault: String? = nil
  ) -> FaultRow {
    let faults = [fault, noData("01")].compactMap { $0 }.joined(separator: ",")
    return FaultRow("four silent PIDs of six: \(name)", faults, ends: 60, says: ["connected"]).with {
      $0.scenario = Cars.scenario(bus: bus, ecus: Cars.ecu(ecu))
      $0.truth.ecus = [ecu]
      $0.isKept = true
      $0.isNeverLost = true
    }
  }

  static let long: [FaultRow] = [
    FaultRow("30 s hang", ending("hang", from: 10, ends), says: ["lost(silent)", "recovered"]).with {
      $0.address = .serial(path: "/dev/ttyUSB0", baud: 38_400)
    },
    FaultRow("suspended host: 8 h in BOOTTIME", "", ends: 10, says: ["connected"]).with {
      $0.acts = [.init(at: 10) { $0.suspend(for: .seconds(8 * 3600)) }]
    },
    FaultRow("another adapter in its place", "", ends: 10, says: ["lost(portClosed)", "recovered"]).with {
      $0.acts = [
        .init(at: 10) { try $0.plug(Scenario(parsing: Array(Cars.scenario(adapter: #""kind": "clone""#).utf8))) }
      ]
    },
    FaultRow("car swapped", "brownOut=2s@20s", ends: 22, says: ["lost(adapterReset)", "connected(vehicleChanged)"]).with
    {
      $0.scenario = Cars.swapped(at: 20)
      $0.truth.vins.insert("WP0ZZZ99ZTS392124")
    },
    FaultRow(
      "car swapped, another bus", "brownOut=2s@20s", ends: 22,
      says: ["lost(adapterReset)", "connected(vehicleChanged)"]
    ).with {
      $0.scenario = Cars.swapped(at: 20, isOtherBus: true)
      $0.truth.vins.insert("WP0ZZZ99ZTS392124")
      $0.truth.ecus.insert("18DAF110")
    },
  ]
}
