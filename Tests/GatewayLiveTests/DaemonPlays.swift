/// A row of the fault matrix that is played with the real daemon. Only faults that are short enough in real time are
/// played.
struct DaemonPlays: Sendable {
  /// The plays of the row; they may have earlier times than those on the simulated clock.
  var plays: [FaultRow.Play]
  /// A scenario to use instead of the row's own, which takes too long; `nil` to use the row's own.
  var scenario: String?
  /// The configured protocol by its ELM digit; `nil` for the row's own.
  var protocolDigit: String?
  /// The time between two requests for a signal, s. If it is 0, a request is nearly always in progress.
  var period = 0.25
  /// Whether the gateway must read a value before the fault begins. If it does not, the play shows nothing.
  var needsConnection = true
  /// The scenario of an adapter that replaces the first one when the fault ends.
  var successor: String?

  init(_ plays: [FaultRow.Play]) { self.plays = plays }

  init(_ faults: String, ends: Double = 0) { self.init([FaultRow.Play(faults: faults, ends: ends)]) }

  /// Returns a copy with some changes.
  func with(_ change: (inout DaemonPlays) -> Void) -> DaemonPlays {
    var plays = self
    change(&plays)
    return plays
  }
}

extension DaemonPlays {
  /// All plays by the name of the row. The other rows need more than a few seconds, or a clock that jumps.
  ///
  /// - Parameter t: time from the start until the fault of a connected gateway begins, s.
  static func all(from t: Double = 3) -> [String: DaemonPlays] {
    link(t).merging(dialogue(t)) { first, _ in first }.merging(vehicle(t)) { first, _ in first }
  }

  private static func link(_ t: Double) -> [String: DaemonPlays] {
    [
      "unplug, replug: idle": DaemonPlays("unplug@\(t)s..\(t + 1)s", ends: t + 1),
      "unplug, replug: mid-reply": DaemonPlays(
        [t, t + 0.03, t + 0.06].map { .init(faults: "unplug@\($0)s..\($0 + 1)s", ends: $0 + 1) }
      ).with {
        // The answer takes 60 of the 90 ms between two requests.
        $0.scenario = Cars.scenario(adapter: #""baud": 9600"#)
        $0.period = 0
      },
      "unplug, replug: mid-init": DaemonPlays(
        [0.3, 0.7, 0.9, 1, 1.2].map { .init(faults: "unplug@\($0)s..\($0 + 1)s", ends: $0 + 1) }),
      "RFCOMM peer gone": DaemonPlays("unplug@\(t)s..\(t + 1)s", ends: t + 1),
      "wrong baud": DaemonPlays(""),
      "reply split at every byte": DaemonPlays("split"),
      "CRLF": DaemonPlays("crlf"),
      "NULs": DaemonPlays("nul"),
      "100 kB of garbage": DaemonPlays("garbage=100000@\(t)s", ends: t + 1).with {
        $0.scenario = Cars.scenario(adapter: #""baud": 1000000"#)
      },
      "another adapter in its place": DaemonPlays("", ends: t + 1).with {
        $0.successor = Cars.scenario(adapter: #""kind": "clone""#)
      },
    ]
  }

  private static func dialogue(_ t: Double) -> [String: DaemonPlays] {
    [
      "prompt lost": DaemonPlays("promptLost@\(t)s", ends: t),
      "prompt twice": DaemonPlays("promptTwice@\(t)s..\(t + 1)s", ends: t + 1),
      "OK before the prompt": DaemonPlays("promptOK"),
      "reply joined with the next": DaemonPlays("replyJoined@\(t)s", ends: t),
      "reply twice": DaemonPlays("replyTwice@\(t)s..\(t + 1)s", ends: t + 1),
      "0xFC after ATZ": DaemonPlays("bannerByte=FC"),
      "banner late": DaemonPlays("bannerLate=2500ms@0s"),
      "banner missing": DaemonPlays("bannerMissing"),
      "banner mid-session": DaemonPlays("reset@\(t)s", ends: t),
      "brown-out reset": DaemonPlays("brownOut=1s@\(t)s", ends: t + 1),
      "LV RESET mid-poll": DaemonPlays("lvReset@\(t)s", ends: t),
      "ERR94": DaemonPlays("err=94@\(t)s", ends: t),
      "ACT ALERT": DaemonPlays("actAlert@\(t)s", ends: t),
      "? to each AT command": DaemonPlays(FaultRows.refusals),
      "suffix refused": DaemonPlays("noSuffix"),
      "multi-PID refused": DaemonPlays("noMultiPID"),
      "adapter that reports protocol 0": DaemonPlays("protocolZero"),
      "BUS INIT: ERROR thrice": DaemonPlays("busInitError=3@0s", ends: 6).with {
        // Fast initialization: an attempt takes 0.6 s instead of 2.7 s.
        $0.scenario = Cars.scenario(bus: "kwpFast", ecus: Cars.ecu("10"))
        $0.protocolDigit = "5"
        $0.needsConnection = false
      },
      "CAN ERROR storm": DaemonPlays("canError@\(t)s..\(t + 2)s", ends: t + 2),
      "STOPPED": DaemonPlays("stopped=0.4@\(t)s..\(t + 2)s", ends: t + 2),
      "BUFFER FULL with a cut frame": DaemonPlays("bufferFull=0.3@\(t)s..\(t + 2)s", ends: t + 2),
      "<DATA ERROR": DaemonPlays("dataError=0.3@\(t)s..\(t + 2)s", ends: t + 2),
      "<RX ERROR": DaemonPlays("rxError=0.3@\(t)s..\(t + 2)s", ends: t + 2),
    ]
  }

  private static func vehicle(_ t: Double) -> [String: DaemonPlays] {
    [
      "NO DATA for one PID among six": DaemonPlays("noPID=05@\(t)s..\(t + 2)s", ends: t + 2),
      "NO DATA for one request": DaemonPlays("noData=05@\(t + 1)s..\(t + 3)s", ends: t + 3).with {
        // A K-line takes 3 s to connect; the fault may begin before that.
        $0.needsConnection = false
      },
      "four silent PIDs of six: CAN, one PID at a time": DaemonPlays(
        "noMultiPID,noData=04,noData=05,noData=0F,noData=11", ends: t + 5),
      "four silent PIDs of six: KWP, fast": DaemonPlays("noData=04,noData=05,noData=0F,noData=11", ends: t + 5).with {
        // A K-line takes 3 s to connect.
        $0.needsConnection = false
      },
      "one of two ECUs vanishes": DaemonPlays("ecuGone=7E9@\(t)s..\(t + 3)s", ends: t + 3),
      "four ECUs interleaved": DaemonPlays(""),
      "nine senders": DaemonPlays("senders=9@\(t)s..\(t + 2)s", ends: t + 2),
      "negative response 0x21": DaemonPlays("busy=010C@\(t)s..\(t + 2)s", ends: t + 2),
      "negative response 0x78": DaemonPlays("pending=010C:100ms@\(t)s..\(t + 2)s", ends: t + 2),
      "VIN with 16 characters": DaemonPlays("shortVIN=16"),
      "wrong consecutive index": DaemonPlays("badSequence=0.3@\(t)s..\(t + 2)s", ends: t + 2),
      "lost frame": DaemonPlays("lostFrame=0.2@\(t)s..\(t + 2)s", ends: t + 2),
      "car swapped": DaemonPlays("brownOut=1s@\(t + 2)s", ends: t + 3).with { $0.scenario = Cars.swapped(at: t + 2) },
      "car swapped, another bus": DaemonPlays("brownOut=1s@\(t + 2)s", ends: t + 3).with {
        $0.scenario = Cars.swapped(at: t + 2, isOtherBus: true)
      },
    ]
  }
}
