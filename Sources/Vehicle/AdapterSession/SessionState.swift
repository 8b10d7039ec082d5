import OBDWire

/// The state of a session. Each case has the data that exist only in that state.
///
///     closed ──► probing ──► initializing ──► searching ──► naming ──► connected
///                                                 ▲           │            │
///                                                 │    unsupportedBus      │ lost
///                                                 └──── resting ◄──────────┘
///
/// Transitions from every state: a closed port or lost prompts lead to `closed`, a fatal error to `probing`, an
/// unexpected banner to `initializing`. Other transitions: a change of the speed is between `initializing` and
/// `searching`; a search without a result leads to `resting`; if the bus changes to a supported one, `searching`
/// follows.
///
/// Values that outlive a state are stored in ``AdapterSession``: ``AdapterSettings`` until the adapter restarts,
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
  /// The session searches for a vehicle, one protocol after another. While a vehicle sleeps, the session is in this
  /// state, too.
  case searching(Search)
  /// A vehicle answers; the adapter's protocol number is read.
  case naming(Naming)
  /// Whether a vehicle answers on a known bus.
  case connected(Connection)
  /// The bus uses a protocol that is not polled (SAE J1939). The adapter is queried again at this time.
  case unsupportedBus(nextCheck: Int64)
  /// Nothing is sent to the vehicle until this time.
  case resting(until: Int64, then: AfterRest)

  /// Whether a vehicle answers on a known bus.
  var isConnected: Bool { if case .connected = self { true } else { false } }

  /// Whether the adapter is initialized, so that the next requests reach the bus.
  var asksVehicle: Bool {
    switch self {
    case .searching, .naming, .connected, .resting(_, .search): true
    case .closed, .probing, .initializing, .changingBaud, .unsupportedBus, .resting(_, .probe): false
    }
  }

  /// Whether ATE0 was accepted before this state. If so, an echo means that the adapter lost its settings.
  var isPastEchoOff: Bool {
    switch self {
    case .closed, .probing, .resting: false
    case .initializing(let initialization): initialization.step != .echoOff
    case .changingBaud, .searching, .naming, .connected, .unsupportedBus: true
    }
  }
}

/// The state after a rest.
enum AfterRest: BitwiseCopyable, Equatable { case probe, search }

/// A try to reach the adapter by ATZ at one speed.
struct Probe: BitwiseCopyable {
  /// Number of replies to ATZ at this speed.
  var replies = 0
}

/// Progress of the settings after ATZ.
struct Initialization: BitwiseCopyable {
  var step = InitialStep.echoOff
  /// Number of replies to this step that were refusals or had no prompt.
  var tries = 0
}

/// The settings of the adapter, in the order in which they are sent.
enum InitialStep: UInt8, BitwiseCopyable, CaseIterable {
  case echoOff, selectProtocol, linefeedsOff, spacesOff, headersOn, adaptiveTiming, timeout
  case identity, description, stn, voltage

  var next: InitialStep? { InitialStep(rawValue: rawValue + 1) }

  /// The quirk of an adapter that answers `?`.
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
    // No quirk, because most adapters are not STN chips.
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
  /// The reason why the first try of the round failed. It is the one to report, because the first try uses the
  /// vehicle's last protocol or the adapter's own search.
  var firstFailure: LossReason?
  /// Whether a try has ended and no voltage was read since. If a voltage is due, it is read before the next try.
  var mayReadVoltage = false
  var numberTrust = ProtocolNumberTrust.trusted
}

/// Whether the protocol number of the adapter agrees with the addresses of the ECUs.
enum ProtocolNumberTrust: BitwiseCopyable, Equatable {
  case trusted
  /// They differed. The vehicle is queried again, and only answers with this kind of address count.
  case verifying(ECUAddress.Kind)
  /// No ECU answered with that kind of address: the protocol number is wrong.
  case distrusted
}

/// Reads the number of the protocol (ATDPN).
struct Naming: BitwiseCopyable {
  /// Number of replies without a usable number.
  var tries = 0
  /// Whether part of the first answer to 0100 was lost, so that it must be requested again.
  let isSupportDamaged: Bool
  let numberTrust: ProtocolNumberTrust
}
