extension Fault {
  /// The properties of a kind of fault: its argument, how it uses its time window, and the description in the help.
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
    case .split: .init(.none, .state, "bytes arrive one at a time")
    case .trickle: .init(.count(1...1000, 1), .state, "the given number of bytes a second")
    case .silent: .init(.none, .state, "neither receives nor sends")
    case .hang: .init(.none, .state, "receives and answers nothing until the end")
    case .unplug: .init(.none, .state, "the port is gone")
    case .garbage: .init(.count(1...1_000_000, 100), .moment, "the given number of random bytes")
    case .gps: .init(.none, .state, "a GPS receiver in the adapter's place: NMEA once a second")
    case .echoDouble: .init(.none, .state, "each echoed byte is sent twice")
    case .echoAll: .init(.none, .state, "sends back the received bytes and nothing else")
    case .crlf: .init(.none, .state, "CR LF at the end of each line, regardless of ATL")
    case .promptLost: .init(.probability, .chance, "no prompt after an answer")
    case .promptTwice: .init(.probability, .chance, "two prompts after an answer")
    case .promptLate: .init(.time(nil), .chance, "the prompt is delayed by this time")
    case .promptOK: .init(.probability, .chance, "an OK between an answer and its prompt")
    case .replyTwice: .init(.probability, .chance, "an answer and its prompt are sent twice")
    case .replyJoined: .init(.probability, .chance, "an answer is held back and sent directly before the next one")
    case .replyBehind: .init(.none, .state, "each answer is sent after the next command, instead of its own")
    case .truncate: .init(.probability, .chance, "a line of an answer is cut off")
    case .reset: .init(.none, .moment, "the adapter restarts: banner, all settings lost")
    case .brownOut: .init(.time(.seconds(1)), .moment, "off for this time, then restarts")
    case .lvReset: .init(.none, .moment, "LV RESET: all settings lost")
    case .bannerLate: .init(.time(nil), .chance, "the answer to ATZ is delayed by this time")
    case .bannerMissing: .init(.probability, .chance, "ATZ gives a prompt and no banner")
    case .bannerByte: .init(.request, .chance, "these bytes before the banner of ATZ: FC")
    case .unknown: .init(.text, .chance, "commands with this beginning get ?; AT* means all")
    case .noSuffix: .init(.none, .state, "a request with a number of answers gets ?")
    case .noMultiPID: .init(.none, .state, "the car answers one PID at a time only")
    case .protocolZero: .init(.none, .state, "ATDPN answers 0")
    case .searching: .init(.time(nil), .chance, "the search takes this time")
    case .unableToConnect: .init(.none, .chance, "UNABLE TO CONNECT")
    case .busInitError: .init(.count(1...1000, 1), .chance, "BUS INIT: ERROR this number of times")
    case .canError: .init(.probability, .chance, "CAN ERROR")
    case .busError: .init(.probability, .chance, "BUS ERROR")
    case .busBusy: .init(.probability, .chance, "BUS BUSY")
    case .bufferFull: .init(.probability, .chance, "a line is cut and BUFFER FULL follows")
    case .dataError: .init(.probability, .chance, "<DATA ERROR after a line")
    case .rxError: .init(.probability, .chance, "<RX ERROR after a cut line")
    case .stopped: .init(.probability, .chance, "STOPPED without an interruption")
    case .err: .init(.count(0...99, 94), .chance, "ERR94 or the ERR with this number; 94 resets the adapter's settings")
    case .actAlert: .init(.none, .moment, "ACT ALERT")
    case .lpAlert: .init(.none, .moment, "LP ALERT, and the adapter sleeps two seconds later")
    case .ignitionOff: .init(.none, .state, "the ignition is off, regardless of the drive")
    case .noData: .init(.request, .chance, "NO DATA to a request that begins with this PID (2F) or these bytes (012F)")
    case .noPID: .init(.request, .state, "this PID (2F) is left out of all answers")
    case .ecuGone: .init(.request, .state, "the ECU of this address is silent")
    case .senders: .init(.count(2...16, 9), .state, "this number of ECUs sends the first one's answer")
    case .shortVIN: .init(.count(0...16, 16), .state, "the VIN has this number of characters")
    case .busy: .init(.request, .chance, "negative response 21, busy, to this request")
    case .pending: .init(.requestAndTime(.milliseconds(100)), .chance, "negative response 78, then the answer")
    case .negative: .init(.requestAndByte, .chance, "a negative response with this code")
    case .emptyVoltage: .init(.none, .state, "ATRV says 0.0V")
    case .badChecksum: .init(.probability, .chance, "a frame's check byte is wrong (not on CAN)")
    case .badSequence: .init(.probability, .chance, "a consecutive frame has the wrong index")
    case .lostFrame: .init(.probability, .chance, "a frame is lost")
    case .duplicate: .init(.probability, .chance, "a frame is sent twice")
    }
  }

  /// The syntax of this kind of fault and its argument, without a time.
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

  /// The syntax as the help and the README show it, with `@…` if a time is required.
  var usage: String {
    if case .moment = rule.timing { return syntax + "@…" }
    return syntax
  }
}

extension Fault {
  /// The syntax and the effect of each kind of fault, one kind on each line, for a command's `--help`.
  public static let help: String = Kind.allCases.map { kind in
    let usage = kind.usage
    return usage + String(repeating: " ", count: max(1, 22 - usage.count)) + kind.rule.meaning
  }.joined(separator: "\n")
}
