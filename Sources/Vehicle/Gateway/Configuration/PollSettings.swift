import AdapterSession
import Failures
import Fusion
import JSONText
import OBDWire
import SignalSets

/// The settings of polling, made from the configuration's `poll` and `signalSets`: the period of each PID, and requests
/// to single ECUs.
struct PollSettings: Sendable {
  var preferences = PollPreferences()
  var addressed: [AddressedRequest] = []
  var definitions: [SignalDefinition] = []
  var loadedSignals: [LoadedSignal] = []
  /// For each signal, the time for which records repeat its last value.
  var windows = SignalWindows()
  /// Time between two readings of the adapter's voltage, ns; `nil` for the default.
  var voltagePeriod: Int64?

  /// Combines the configuration and the signal sets.
  ///
  /// - Parameters:
  ///   - poll: the configuration's `poll`. Its names of built-in signals were already checked.
  ///   - loaded: the signals of all signal sets; `nil` if there are no signal sets.
  ///   - file: path of the configuration file, for messages.
  /// - Throws: ``Failure`` if a configured signal is neither in the standard nor in a signal set, or if there are more
  ///   requests than a session can poll.
  init(_ poll: GatewayConfiguration.Poll, _ loaded: LoadedSignals?, file: String? = nil) throws(Failure) {
    preferences.defaultPeriod = Self.nanoseconds(poll.defaultPeriod)
    preferences.codesPeriod = Self.nanoseconds(poll.dtcPeriod)
    var named: [UInt8: Int64] = [:]
    for period in poll.signals {
      let nanoseconds = Self.nanoseconds(period.seconds)
      if period.signal == "batteryVoltage" { voltagePeriod = nanoseconds }
      // If several signals of a PID have a period, the shortest period applies.
      for pid in SignalNames.parameters(of: period.signal) { named[pid] = min(nanoseconds, named[pid] ?? .max) }
    }
    for (pid, period) in named { preferences.set(pid, period: period) }
    for pid in windows.parameters.indices { windows.parameters[pid] = Self.window(preferences.period(of: UInt8(pid))) }
    windows.adapter = Self.window(voltagePeriod ?? SessionConfiguration().voltagePeriod)
    guard let loaded else { return }
    definitions = loaded.definitions
    loadedSignals = loaded.recordSignals
    addressed = try Self.requests(loaded, poll, file)
    windows.loaded = loadedSignals.map { signal in
      let command = loaded.commands.first { $0.signals.contains { $0.id == signal.name } }
      return Self.window(command.flatMap { AddressedRequest($0, poll) }?.period ?? 0)
    }
  }

  /// Returns the time for which records repeat a value that is read with this period, ns. It is two periods, because
  /// one answer may be lost. Values with a period above ``longestHeldPeriod`` are not repeated: values such as monitors
  /// and standards, which are rarely read, would make every record several times as long.
  private static func window(_ period: Int64) -> Int64 { period <= longestHeldPeriod ? 2 * period : 0 }

  private static let longestHeldPeriod: Int64 = 30_000_000_000

  private static func nanoseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e9).rounded()) }

  private static func requests(
    _ loaded: LoadedSignals, _ poll: GatewayConfiguration.Poll, _ file: String?
  ) throws(Failure) -> [AddressedRequest] {
    var requests: [AddressedRequest] = []
    var known: Set<String> = []
    for command in loaded.commands {
      for signal in command.signals { known.insert(signal.id) }
      guard let request = AddressedRequest(command, poll) else { continue }
      requests.append(request)
    }
    for period in poll.signals where !SignalNames.isKnown(period.signal) && !known.contains(period.signal) {
      let place = file ?? "poll.signals"
      throw Failure(
        .badConfiguration,
        (period.refusal?.message(in: place) ?? "\(place): no signal \(JSONError.quoted(period.signal))")
          + SignalNames.hint(for: period.signal, loaded: known))
    }
    guard requests.count <= AddressedRequest.capacity else {
      throw Failure(
        .badConfiguration,
        (file.map { "\($0): " } ?? "")
          + "signalSets: \(requests.count) requests, expected at most \(AddressedRequest.capacity) for one vehicle")
    }
    return requests
  }
}

extension AddressedRequest {
  /// Creates the request for a command of a signal set. Returns `nil` if the command must not be sent, for example
  /// because it could change an ECU's session.
  init?(_ command: SignalSet.Command, _ poll: GatewayConfiguration.Poll) {
    guard command.isSendable else { return nil }
    let question: Question
    switch command.service {
    case 0x01: question = .currentData(UInt8(truncatingIfNeeded: command.identifier))
    case 0x21: question = .localIdentifier(UInt8(truncatingIfNeeded: command.identifier))
    case 0x22: question = .dataIdentifier(command.identifier)
    default: return nil
    }
    guard let header = ECUHeader(command) else { return nil }
    // If a period is configured for a signal of the command, it replaces the period of the signal set. If several are
    // configured, the shortest one applies.
    let named = poll.signals.filter { named in command.signals.contains { $0.id == named.signal } }.map(\.seconds).min()
    let period = named ?? command.period
    self.init(
      question: question, header: header, receiver: command.receiver, extendedAddress: command.extendedAddress,
      testerAddress: command.testerAddress, needsFlowControl: command.needsFlowControl, timeout: command.timeout,
      period: Int64((period * 1e9).rounded()))
  }
}

extension ECUHeader {
  /// Creates the header from `hdr` and `pri` of a signal-set command; `nil` if `hdr` is not a hexadecimal number.
  fileprivate init?(_ command: SignalSet.Command) {
    guard let header = UInt32(command.header, radix: 16) else { return nil }
    let tester = UInt32(command.testerAddress ?? 0xF1)
    switch command.bus {
    case .can11: self = .can11(UInt16(truncatingIfNeeded: header))
    case .can29: self = .can29(UInt32(command.priority) << 24 | header << 8 | tester)
    case .iso9141: self = .legacy(header << 8 | tester)
    }
  }
}
