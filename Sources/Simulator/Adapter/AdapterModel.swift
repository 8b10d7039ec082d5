/// What kind of adapter is imitated, and how it is connected.
public struct AdapterModel: Sendable {
  /// The three kinds that a fleet meets.
  public enum Kind: String, CaseIterable, Sendable {
    /// The ELM327 v1.5, as its data sheet has it.
    case elm327
    /// A poor copy that calls itself v2.1: one CR before the prompt, many commands unknown, no count of answers.
    case clone
    /// An STN chip (OBDLink): the ELM's commands and the ST commands, long requests, waits for pending answers.
    case stn
  }

  /// What it imitates.
  public var kind: Kind
  /// What `ATI` and `ATZ` print.
  public var identity: String
  /// What `AT@1` prints.
  public var title: String
  /// Bits a second of the wire.
  public var baud = 38400
  /// `ATL1` from the start, as pin 7 of the chip decides.
  public var linefeeds = false
  /// From a command's CR to its answer.
  public var processing = Duration.microseconds(500)
  /// How long ATZ takes.
  public var resetTime = Duration.milliseconds(800)
  /// How long its USB bridge collects bytes, and how many it sends at once.
  public var chunkTime = Duration.milliseconds(1)
  /// Bytes that its USB bridge sends at once.
  public var chunkSize = 62
  /// At another baud rate than this the host reads and writes rubbish, as on a real wire (pty only).
  public var isStrictAboutBaud = false

  /// - Parameter kind: what is imitated; everything else follows and may be changed.
  public init(_ kind: Kind = .elm327) {
    self.kind = kind
    switch kind {
    case .elm327:
      identity = "ELM327 v1.5"
      title = "OBDII to RS232 Interpreter"
    case .clone:
      identity = "ELM327 v2.1"
      title = "OBDII to RS232 Interpreter"
    case .stn:
      identity = "ELM327 v1.4b"
      title = "SCANTOOL.NET LLC"
    }
  }

  /// Characters that an answer may lag behind the bus.
  var bufferSize: Int { kind == .stn ? 4096 : 512 }

  /// Data bytes that a request on CAN may have.
  var longestRequest: Int { kind == .stn ? 4095 : kind == .clone ? 4 : 7 }

  /// Whether it takes the number of answers behind a request.
  var takesCount: Bool { kind != .clone }

  /// How an answer's last line is parted from the prompt.
  var blankLines: Int { kind == .clone ? 0 : 1 }

  /// How long it waits behind the last frame of a K-line before it sends a request. The ELM327 takes (0F − 0.5) × 4.096 ms,
  /// by its programmable parameter 1D; the copy leaves it to the host.
  var requestPause: Duration {
    switch kind {
    case .elm327: ProgrammableParameters.requestPause
    case .stn: .milliseconds(55)
    case .clone: .zero
    }
  }

  /// Whether a command, AT and spaces taken off, is unknown to this kind.
  func lacks(_ command: String) -> Bool {
    // Of the STN's own parameters we have read no list.
    if kind == .stn { return command == "PPS" }
    guard kind == .clone else { return false }
    return ["AT", "@2", "CEA", "LP", "PP", "BR", "CF", "CM", "R0", "R1", "JE", "MP"].contains { command.hasPrefix($0) }
  }
}
