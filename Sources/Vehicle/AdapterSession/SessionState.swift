import OBDWire

/// The state of a session. Each case has the data that exist only in that state.
///
///     closed ──► probing ──► initializing ──► searching ──► naming ──► connected
///                                                 ▲           │            │
///                                                 │    unsupportedBus      │ lost
///                                                 └──── resting ◄──────────┘
///
/// From every state, a closed port or lost prompts lead to `closed`, a fatal error to `probing`, and an unexpected
/// banner to `initializing`. Not shown: `changingBaud` is between `initializing` and `searching`, a search that finds
/// no vehicle leads to `resting`, and `unsupportedBus` leads to `searching` if the bus changes to a supported one.
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
  /// The session searches for a vehicle, one protocol after another. The session is also in this state while a vehicle
  /// sleeps.
  case searching(Search)
  /// A vehicle answers; the adapter's protocol number is read.
  case naming(Naming)
  /// A vehicle answers on a known bus.
  case connected(Connection)
  /// The bus uses a protocol that is not polled (SAE J1939). At the given time, the adapter is queried again for the
  /// protocol.
  case unsupportedBus(nextCheck: Int64)
  /// Nothing is sent to the vehicle until the given time. `then` is the state that follows.
  case resting(until: Int64, then: AfterRest)

  /// Whether the state is `connected`.
  var isConnected: Bool { if case .connected = self { true } else { false } }

  /// Whether the next requests reach the bus: the adapter is initialized, and the session uses it to find or poll a
  /// vehicle.
  var asksVehicle: Bool {
    switch self {
    case .searching, .naming, .connected, .resting(_, .search): true
    case .closed, .probing, .initializing, .changingBaud, .unsupportedBus, .resting(_, .probe): false
    }
  }

  /// Whether ATE0 was sent before this state. If the adapter did not refuse it, an echo means that the adapter lost its
  /// settings.
  var isPastEchoOff: Bool {
    switch self {
    case .closed, .probing, .resting: false
    case .initializing(let initialization): initialization.step != .echoOff
    case .changingBaud, .searching, .naming, .connected, .unsupportedBus: true
    }
  }
}

/// The state that follows a pause.
enum AfterRest: BitwiseCopyable, Equatable { case probe, search }

/// A try to reach the adapter by ATZ at one speed.
struct Probe: BitwiseCopyable {
  /// Number of replies to ATZ at this speed.
  var replies = 0
}

/// Progress of sending the settings after ATZ.
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

  /// The quirk of an adapter that refuses the step (`?`).
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

/// Progress of a change of the baud rate.
struct BaudChange: BitwiseCopyable {
  var step = BaudStep.timeLimit
  /// Number of failed tries of this step.
  var tries = 0
}

/// One round of tries to find a vehicle.
struct Search: BitwiseCopyable {
  var step: SearchStep
  /// Number of tries of this step that the adapter refused.
  var tries = 0
  /// The reason why the first try of the round failed. This reason is reported rather than later ones, because the
  /// first try uses the vehicle's last protocol or the adapter's own search.
  var firstFailure: LossReason?
  /// Whether a try has ended since the voltage was last read. If so, and if a reading of the voltage is due, the
  /// voltage is read before the next try.
  var mayReadVoltage = false
  var numberTrust = ProtocolNumberTrust.trusted
}

/// Whether the protocol number of the adapter agrees with the addresses of the ECUs.
enum ProtocolNumberTrust: BitwiseCopyable, Equatable {
  case trusted
  /// The protocol number did not agree with the addresses, so the vehicle is queried again. Only answers from addresses
  /// of this kind count: it is the kind that the protocol number implies.
  case verifying(ECUAddress.Kind)
  /// No ECU answered from an address of that kind, so the protocol number is wrong.
  case distrusted
}

/// Reads the number of the protocol (ATDPN) after a vehicle answered.
struct Naming: BitwiseCopyable {
  /// Number of replies without a usable number.
  var tries = 0
  /// Whether a part of the first answer to 0100 was lost. If so, 0100 is sent again.
  let isSupportDamaged: Bool
  let numberTrust: ProtocolNumberTrust
}
