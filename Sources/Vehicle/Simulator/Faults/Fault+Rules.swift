extension Fault {
  /// The argument of a kind of fault, when it occurs, and a description.
  struct Rule {
    var argument: Argument
    var timing: Timing
    var meaning: String

    init(_ argument: Argument, _ timing: Timing, _ meaning: String) {
      self.argument = argument
      self.timing = timing
      self.meaning = meaning
    }
  }
}

extension Fault.Kind {
  var rule: Fault.Rule {
    switch self {
    case .nul: .init(.probability, .chance, "a NUL before a byte")
    case .drop: .init(.probability, .chance, "a byte is lost")
    case .flip: .init(.probability, .chance, "one bit of a byte is wrong")
    case .split: .init(.none, .state, "every byte comes alone")
    case .trickle: .init(.count(1...1000, 1), .state, "so many bytes a second")
    case .silent: .init(.none, .state, "neither hears nor speaks")
    case .hang: .init(.none, .state, "hears and answers nothing until it is over")
    case .unplug: .init(.none, .state, "the port is gone")
    case .garbage: .init(.count(1...1_000_000, 100), .moment, "so many random bytes")
    case .gps: .init(.none, .state, "a GPS receiver in the adapter's place: NMEA once a second")
    case .echoDouble: .init(.none, .state, "each echoed byte comes twice")
    case .echoAll: .init(.none, .state, "sends back what it is sent and nothing else")
    case .crlf: .init(.none, .state, "CR LF at every line's end, whatever ATL says")
    case .promptLost: .init(.probability, .chance, "no prompt behind an answer")
    case .promptTwice: .init(.probability, .chance, "two prompts behind an answer")
    case .promptLate: .init(.time(nil), .chance, "the prompt comes so much later")
    case .promptOK: .init(.probability, .chance, "an OK between an answer and its prompt")
    case .replyTwice: .init(.probability, .chance, "an answer and its prompt come twice")
    case .replyJoined: .init(.probability, .chance, "an answer waits, and comes right in front of the next one")
    case .replyBehind: .init(.none, .state, "each answer comes only with the next command, in place of its own")
    case .truncate: .init(.probability, .chance, "a line of an answer lacks its tail")
    case .reset: .init(.none, .moment, "the adapter restarts: banner, all settings lost")
    case .brownOut: .init(.time(.seconds(1)), .moment, "dead for so long, then restarts")
    case .lvReset: .init(.none, .moment, "LV RESET: all settings lost")
    case .bannerLate: .init(.time(nil), .chance, "ATZ answers so much later")
    case .bannerMissing: .init(.probability, .chance, "ATZ gives a prompt and no banner")
    case .bannerByte: .init(.request, .chance, "these bytes before the banner of ATZ: FC")
    case .unknown: .init(.text, .chance, "commands that begin so get ?; AT* means all")
    case .noSuffix: .init(.none, .state, "a request with a count of answers gets ?")
    case .noMultiPID: .init(.none, .state, "the car answers one PID at a time only")
    case .protocolZero: .init(.none, .state, "ATDPN answers 0")
    case .searching: .init(.time(nil), .chance, "the search takes so long")
    case .unableToConnect: .init(.none, .chance, "UNABLE TO CONNECT")
    case .busInitError: .init(.count(1...1000, 1), .chance, "BUS INIT: ERROR so many times")
    case .canError: .init(.probability, .chance, "CAN ERROR")
    case .busError: .init(.probability, .chance, "BUS ERROR")
    case .busBusy: .init(.probability, .chance, "BUS BUSY")
    case .bufferFull: .init(.probability, .chance, "a line is cut and BUFFER FULL follows")
    case .dataError: .init(.probability, .chance, "<DATA ERROR behind a line")
    case .rxError: .init(.probability, .chance, "<RX ERROR behind a cut line")
    case .stopped: .init(.probability, .chance, "STOPPED though nobody interrupted")
    case .err: .init(.count(0...99, 94), .chance, "ERR94 or the ERR with this number; 94 resets the adapter's settings")
    case .actAlert: .init(.none, .moment, "ACT ALERT")
    case .lpAlert: .init(.none, .moment, "LP ALERT, and the adapter sleeps two seconds later")
    case .ignitionOff: .init(.none, .state, "the ignition is off, whatever the drive says")
    case .noData: .init(.request, .chance, "NO DATA to this PID (one byte) or request")
    case .noPID: .init(.request, .state, "this PID is left out of answers")
    case .ecuGone: .init(.request, .state, "the ECU of this address is silent")
    case .senders: .init(.count(2...16, 9), .state, "so many ECUs give the first one's answer")
    case .shortVIN: .init(.count(0...16, 16), .state, "the VIN has so many characters")
    case .busy: .init(.request, .chance, "negative response 21, busy, to this request")
    case .pending: .init(.requestAndTime(.milliseconds(100)), .chance, "negative response 78, then the answer")
    case .negative: .init(.requestAndByte, .chance, "a negative response with this code")
    case .emptyVoltage: .init(.none, .state, "ATRV says 0.0V")
    case .badChecksum: .init(.probability, .chance, "a frame's check byte is wrong (not on CAN)")
    case .badSequence: .init(.probability, .chance, "a consecutive frame has the wrong index")
    case .lostFrame: .init(.probability, .chance, "a frame is lost")
    case .duplicate: .init(.probability, .chance, "a frame comes twice")
    }
  }

  /// The syntax of the fault with its argument.
  var syntax: String {
    switch rule.argument {
    case .none: rawValue
    case .probability: "\(rawValue)[=P]"
    case .count(_, let count): count == nil ? "\(rawValue)=N" : "\(rawValue)[=N]"
    case .time(let time): time == nil ? "\(rawValue)=TIME" : "\(rawValue)[=TIME]"
    case .request: "\(rawValue)=HEX"
    case .requestAndByte: "\(rawValue)=HEX:NRC"
    case .requestAndTime: "\(rawValue)=HEX[:TIME]"
    case .text: "\(rawValue)=TEXT"
    }
  }

  /// The syntax for help and README.
  var usage: String {
    if case .moment = rule.timing { return syntax + "@…" }
    return syntax
  }
}

extension Fault {
  /// The syntax and effect of every fault, one on each line, for a command's help.
  public static let help: String = Kind.allCases.map { kind in
    let usage = kind.usage
    return usage + String(repeating: " ", count: max(1, 22 - usage.count)) + kind.rule.meaning
  }.joined(separator: "\n")
}
