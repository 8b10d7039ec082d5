import OBDWire

/// What a session does with the adapter and the vehicle, with the data that exist only in that state.
///
///     closed ──► probing ──► initializing ──► searching ──► naming ──► connected
///                                                 ▲           │            │
///                                                 │    unsupportedBus      │ lost
///                                                 └──── resting ◄──────────┘
///
/// From every state: a closed port or lost prompts lead to `closed`, a fatal error to `probing`, an unexpected banner to
/// `initializing`. A change of the speed is between `initializing` and `searching`. A search without a result leads to
/// `resting`. If the bus is no longer the unsupported one, `searching` follows.
///
/// What outlives a state is stored beside it in ``AdapterSession``: ``AdapterSettings`` until the adapter restarts,
/// ``OpenPort`` until the port is opened again, ``KnownVehicle`` until another vehicle is identified, and
/// ``SessionHistory`` for the whole session.
enum SessionState: BitwiseCopyable {
  /// The port is closed.
  case closed
  /// ATZ is sent at one speed after another until a banner is received.
  case probing(Probe)
  /// The settings are sent one by one.
  case initializing(Initialization)
  /// Both sides of the line change to another speed.
  case changingBaud(BaudChange)
  /// The session looks for a vehicle, one protocol after another. A vehicle that is left alone is in this state, too.
  case searching(Search)
  /// A vehicle answers; the adapter is asked for the number of the protocol.
  case naming(Naming)
  /// A vehicle answers on a known bus.
  case connected(Connection)
  /// The bus speaks a protocol that is not polled (SAE J1939). The adapter is asked again at this time.
  case unsupportedBus(nextCheck: Int64)
  /// Nothing is sent to the vehicle until this time.
  case resting(until: Int64, then: AfterRest)

  /// A vehicle answers on a known bus.
  var isConnected: Bool { if case .connected = self { true } else { false } }

  /// The adapter has its settings, and the next requests reach the bus.
  var asksVehicle: Bool {
    switch self {
    case .searching, .naming, .connected, .resting(_, .search): true
    case .closed, .probing, .initializing, .changingBaud, .unsupportedBus, .resting(_, .probe): false
    }
  }

  /// ATE0 was accepted before this state: an echo now means that the adapter lost its settings.
  var isPastEchoOff: Bool {
    switch self {
    case .closed, .probing, .resting: false
    case .initializing(let initialization): initialization.step != .echoOff
    case .changingBaud, .searching, .naming, .connected, .unsupportedBus: true
    }
  }
}

/// What follows a rest.
enum AfterRest: BitwiseCopyable, Equatable { case probe, search }

/// ATZ at one speed.
struct Probe: BitwiseCopyable {
  /// Replies to ATZ at this speed.
  var replies = 0
}

/// The settings of the adapter after ATZ.
struct Initialization: BitwiseCopyable {
  var step = InitialStep.echoOff
  /// Replies to this step that were refusals or had no prompt.
  var tries = 0
}

/// The settings of the adapter, in the order in which they are sent.
enum InitialStep: UInt8, BitwiseCopyable, CaseIterable {
  case echoOff, selectProtocol, linefeedsOff, spacesOff, headersOn, adaptiveTiming, timeout
  case identity, description, stn, voltage

  var next: InitialStep? { InitialStep(rawValue: rawValue + 1) }

  /// The quirk that an adapter has if it answers `?`.
  var quirk: Quirks {
    switch self {
    case .echoOff: .noEchoOff
    case .selectProtocol: .noProtocolSelection
    case .linefeedsOff: .noLinefeedsOff
    case .spacesOff: .noSpacesOff
    case .headersOn: .noHeaders
    case .adaptiveTiming: .noAdaptiveTiming
    case .timeout: .noTimeout
    case .identity: .noIdentity
    case .description: .noDescription
    // Most adapters are not STN chips.
    case .stn: []
    case .voltage: .noVoltage
    }
  }
}

/// A change of the line's speed.
struct BaudChange: BitwiseCopyable {
  var step = BaudStep.timeLimit
  /// Failed tries of this step.
  var tries = 0
}

/// One round of tries to find a vehicle.
struct Search: BitwiseCopyable {
  var step: SearchStep
  /// Refused tries of this step.
  var tries = 0
  /// Why the first try of the round failed. The first try uses the vehicle's last protocol, or the adapter's own search,
  /// so its reason is the one to report.
  var firstFailure: LossReason?
  /// A try has ended, and no voltage was read since. It is read before the next try if it is due.
  var mayReadVoltage = false
  var numberTrust = ProtocolNumberTrust.trusted
}

/// Whether the protocol number of the adapter agrees with the addresses of the ECUs.
enum ProtocolNumberTrust: BitwiseCopyable, Equatable {
  case trusted
  /// They differed. The vehicle is asked again, and only answers with the address kind of the number count.
  case verifying(ECUAddress.Kind)
  /// Nobody answered with that kind of address: the number is wrong.
  case distrusted
}

/// The question for the number of the protocol (ATDPN).
struct Naming: BitwiseCopyable {
  /// Replies without a usable number.
  var tries = 0
  /// Part of the first answer to 0100 was lost, so it is requested again.
  let isSupportDamaged: Bool
  let numberTrust: ProtocolNumberTrust
}
