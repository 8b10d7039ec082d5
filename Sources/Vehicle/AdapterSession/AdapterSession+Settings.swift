import OBDWire

/// Sends the settings that the adapter needs after a restart.
extension AdapterSession {
  mutating func beginInitializing() {
    enter(.initializing(Initialization()))
    dialogue.reader.state(.auto, headers: .auto)
    settings = AdapterSettings()
  }

  func decideSetting(_ step: InitialStep) -> Decision {
    let command: AdapterCommand =
      switch step {
      case .echoOff: .echoOff
      case .selectProtocol: firstProtocol
      case .linefeedsOff: .linefeedsOff
      case .spacesOff: .spacesOff
      case .headersOn: .headersOn
      case .adaptiveTiming: .adaptiveTiming
      case .timeout: .timeout(AdapterSettings.usualWait)
      case .identity: .identify
      case .description: .describe
      case .stn: .identifySTN
      case .voltage: .voltage
      }
    return .send(Command(command), nil, .setting(step), limit: Limit.setting)
  }

  /// The command that selects the protocol. If a protocol is configured, only that one is used. Otherwise, the adapter
  /// tries the last good protocol first, then all others, if it supports ATSPA.
  private var firstProtocol: AdapterCommand {
    if let configured = configuration.protocolDigit { return .selectProtocol(configured) }
    let last = memory.protocolDigit
    guard last > UInt8(ascii: "0"), last <= UInt8(ascii: "9") else { return .selectProtocol(UInt8(ascii: "0")) }
    return memory.quirks.contains(.noPreferredProtocol) ? .selectProtocol(last) : .preferProtocol(last)
  }

  mutating func handleSetting(_ step: InitialStep, _ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    guard case .initializing(var initialization) = state else { return }
    let isRefused = reply.failed(.unknownCommand)
    // STOPPED: the adapter was busy, and the command only interrupted it.
    let isLost = isTimeout || reply.failed(.stopped)
    initialization.tries += 1
    if isRefused || isLost {
      // A single refusal may be due to a damaged character, so the step is repeated once. Most adapters are not STN
      // chips, so STI is not repeated.
      if initialization.tries < 2, step != .stn {
        state = .initializing(initialization)
        return
      }
      if step == .selectProtocol, isRefused, case .preferProtocol = firstProtocol {
        learn(.noPreferredProtocol)
        state = .initializing(Initialization(step: step))
        return
      }
      if isRefused {
        learn(step.quirk)
        port.confirmedQuirks.insert(step.quirk)
      }
    } else {
      if isProof(reply, of: step) { unlearn(step.quirk) }
      apply(step, reply)
    }
    var following = step.next
    // Skip a query that the adapter is known to refuse. Otherwise it would be sent twice at each start of the adapter.
    while let next = following, isConfirmedSinceOpening(next.quirk), next.rawValue >= InitialStep.identity.rawValue {
      following = next.next
    }
    if let following {
      state = .initializing(Initialization(step: following))
    } else {
      nextVoltage = now + configuration.voltagePeriod
      finishInitializing()
    }
  }

  /// Whether a reply proves that the adapter supports the command of a step.
  private func isProof(_ reply: ReplyObserver, of step: InitialStep) -> Bool {
    switch step {
    case .identity, .description: reply.textCount > 0
    case .stn: false
    case .voltage: reply.voltage != nil
    // An adapter may accept ATE0 and still echo.
    case .echoOff: false
    default: reply.isOK
    }
  }

  private mutating func apply(_ step: InitialStep, _ reply: ReplyObserver) {
    switch step {
    case .selectProtocol:
      switch firstProtocol {
      case .selectProtocol(let digit), .preferProtocol(let digit): settings.selectedProtocol = digit
      default: break
      }
    case .timeout: settings.wait = AdapterSettings.usualWait
    case .identity where reply.hasBanner && adapterIdentity.count == 0: adapterIdentity.store(reply)
    case .stn where reply.isSTN:
      // The name of the STN chip is more precise than that of the ELM327 that it imitates.
      learn(.stnChip)
      adapterIdentity.store(reply)
    default: break
    }
  }
}
