/// How the daemon plays a row: what is short enough for a clock that nobody winds on.
struct DaemonPlays: Sendable {
  /// In place of the row's own, at earlier times.
  var plays: [FaultRow.Play]
  /// In place of the row's own, where that takes too long.
  var scenario: String?
  /// The protocol that the daemon is told, by its ELM digit; nil: the row's.
  var protocolDigit: String?
  /// s between two questions for a signal; 0: an answer is nearly always under way.
  var period = 0.25
  /// Another adapter that stands in the first one's place when the fault ends.
  var successor: String?

  init(_ plays: [FaultRow.Play]) { self.plays = plays }

  init(_ faults: String, ends: Double = 0) { self.init([FaultRow.Play(faults: faults, ends: ends)]) }

  /// The same with some of it changed.
  func with(_ change: (inout DaemonPlays) -> Void) -> DaemonPlays {
    var plays = self
    change(&plays)
    return plays
  }
}

extension DaemonPlays {
  /// By the row's name. What is not among them waits for longer than seconds, or needs a clock that leaps.
  static let all = link.merging(dialogue) { first, _ in first }.merging(vehicle) { first, _ in first }

  private static let link: [String: DaemonPlays] = [
    "unplug, replug: idle": DaemonPlays("unplug@3s..4s", ends: 4),
    "unplug, replug: mid-reply": DaemonPlays(
      [3, 3.03, 3.06].map { .init(faults: "unplug@\($0)s..\($0 + 1)s", ends: $0 + 1) }
    ).with {
      // Of the 90 ms from one question to the next, 60 are the answer's.
      $0.scenario = Cars.scenario(adapter: #""baud": 9600"#)
      $0.period = 0
    },
    "unplug, replug: mid-init": DaemonPlays(
      [0.3, 0.7, 0.9, 1, 1.2].map { .init(faults: "unplug@\($0)s..\($0 + 1)s", ends: $0 + 1) }),
    "RFCOMM peer gone": DaemonPlays("unplug@3s..4s", ends: 4),
    "wrong baud": DaemonPlays(""),
    "reply split at every byte": DaemonPlays("split"),
    "CRLF": DaemonPlays("crlf"),
    "NULs": DaemonPlays("nul"),
    "100 kB of garbage": DaemonPlays("garbage=100000@3s", ends: 4).with {
      $0.scenario = Cars.scenario(adapter: #""baud": 1000000"#)
    },
    "another adapter in its place": DaemonPlays("", ends: 4).with {
      $0.successor = Cars.scenario(adapter: #""kind": "clone""#)
    },
  ]

  private static let dialogue: [String: DaemonPlays] = [
    "prompt lost": DaemonPlays("promptLost@3s", ends: 3),
    "prompt twice": DaemonPlays("promptTwice@3s..4s", ends: 4),
    "OK before the prompt": DaemonPlays("promptOK"),
    "reply joined with the next": DaemonPlays("replyJoined@3s", ends: 3),
    "reply twice": DaemonPlays("replyTwice@3s..4s", ends: 4),
    "0xFC after ATZ": DaemonPlays("bannerByte=FC"),
    "banner late": DaemonPlays("bannerLate=2500ms@0s"),
    "banner missing": DaemonPlays("bannerMissing"),
    "banner mid-session": DaemonPlays("reset@3s", ends: 3),
    "brown-out reset": DaemonPlays("brownOut=1s@3s", ends: 4),
    "LV RESET mid-poll": DaemonPlays("lvReset@3s", ends: 3),
    "ERR94": DaemonPlays("err=94@3s", ends: 3),
    "ACT ALERT": DaemonPlays("actAlert@3s", ends: 3),
    "? to each AT command": DaemonPlays(FaultRows.refusals),
    "suffix refused": DaemonPlays("noSuffix"),
    "multi-PID refused": DaemonPlays("noMultiPID"),
    "adapter that reports protocol 0": DaemonPlays("protocolZero"),
    "BUS INIT: ERROR thrice": DaemonPlays("busInitError=3@0s", ends: 6).with {
      // The fast one: each try takes 0.6 s instead of 2.7.
      $0.scenario = Cars.scenario(bus: "kwpFast", ecus: Cars.ecu("10"))
      $0.protocolDigit = "5"
    },
    "CAN ERROR storm": DaemonPlays("canError@3s..5s", ends: 5),
    "STOPPED": DaemonPlays("stopped=0.4@3s..5s", ends: 5),
    "BUFFER FULL with a cut frame": DaemonPlays("bufferFull=0.3@3s..5s", ends: 5),
    "<DATA ERROR": DaemonPlays("dataError=0.3@3s..5s", ends: 5),
    "<RX ERROR": DaemonPlays("rxError=0.3@3s..5s", ends: 5),
  ]

  private static let vehicle: [String: DaemonPlays] = [
    "NO DATA for one PID among six": DaemonPlays("noPID=05@3s..5s", ends: 5),
    "NO DATA for one request": DaemonPlays("noData=05@4s..6s", ends: 6),
    "one of two ECUs vanishes": DaemonPlays("ecuGone=7E9@3s..6s", ends: 6),
    "four ECUs interleaved": DaemonPlays(""),
    "nine senders": DaemonPlays("senders=9@3s..5s", ends: 5),
    "negative response 0x21": DaemonPlays("busy=010C@3s..5s", ends: 5),
    "negative response 0x78": DaemonPlays("pending=010C:100ms@3s..5s", ends: 5),
    "VIN with 16 characters": DaemonPlays("shortVIN=16"),
    "wrong consecutive index": DaemonPlays("badSequence=0.3@3s..5s", ends: 5),
    "lost frame": DaemonPlays("lostFrame=0.2@3s..5s", ends: 5),
    "car swapped": DaemonPlays("brownOut=1s@5s", ends: 6).with { $0.scenario = Cars.swapped(at: 5) },
    "car swapped, another bus": DaemonPlays("brownOut=1s@5s", ends: 6).with {
      $0.scenario = Cars.swapped(at: 5, isOtherBus: true)
    },
  ]
}
