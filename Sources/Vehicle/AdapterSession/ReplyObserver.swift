import OBDWire

/// Facts about one reply that the session needs, collected while the reply is parsed. Readings are not stored here, but
/// passed to the caller's handler.
struct ReplyObserver: BitwiseCopyable {
  /// The request that this reply answers; `nil` if the command was for the adapter.
  private(set) var request: ReadRequest?
  private(set) var expectsBanner = false
  /// Whether the request was service 04.
  private let isClearing: Bool

  /// The kinds of failures in the reply. Bit n stands for the kind with the raw value n.
  private(set) var failures: UInt32 = 0
  /// The last failure that is not a refusal by an ECU; `nil` if there is none.
  private(set) var lastFailure: WireError.Kind?
  /// Number of negative responses, including 0x78.
  private(set) var negatives = 0
  /// Number of negative responses other than 0x78, which only delays the answer.
  private(set) var refusals = 0
  /// Response code of the last negative response, which may be 0x78; 0 if there was none.
  private(set) var negativeCode: UInt8 = 0
  /// Whether the answer is still pending: the ECUs have only sent negative responses with code 0x78.
  private(set) var isPending = false

  /// Number of messages that answer the request.
  private(set) var messages = 0
  /// Number of frames that all ECUs sent, including frames of negative responses. On CAN, the adapter counts frames in
  /// the same way.
  private(set) var frames = 0
  private(set) var senderCount = 0
  private var senders = InlineArray<8, ECUAddress>(repeating: .unknown)
  /// For each sender, the identifiers of the request that the sender answered. Bit n stands for the identifier with
  /// index n.
  private var places = InlineArray<8, UInt8>(repeating: 0)
  /// The senders with stored codes, according to PID 01; bit n stands for the sender with index n.
  private var withCodes: UInt8 = 0
  private(set) var supportCount = 0
  private var supports = InlineArray<24, SupportAnswer>(repeating: SupportAnswer())

  private(set) var motion = Motion()
  private(set) var isOK = false
  /// Whether the reply contains a banner that no command requested.
  private(set) var hasSurpriseBanner = false
  private(set) var hasBanner = false
  /// Whether the reply contains ERRxx: the adapter's settings are no longer reliable.
  private(set) var isFatal = false
  /// Text of the adapter's own answer, at most 40 bytes. The first ``textCount`` bytes are used.
  private(set) var text = InlineArray<40, UInt8>(repeating: 0)
  private(set) var textCount = 0
  /// The voltage that the adapter reported (ATRV), V; `nil` if it reported none.
  private(set) var voltage: Double?
  /// The control module's voltage (PID 42), V; `nil` if the reply does not contain it.
  private(set) var controlModuleVoltage: Double?
  /// The code of the fuel type (PID 51); `nil` if the reply does not contain it.
  private(set) var fuelType: UInt8?
  private(set) var slowValues = SlowValues()
  /// Whether the adapter itself makes the pause P3min, according to its list of parameters (ATPPS); `nil` if the reply
  /// does not contain this parameter.
  private(set) var keepsPause: Bool?
  private(set) var vin = InlineArray<20, UInt8>(repeating: 0)
  private(set) var vinCount = 0
  private(set) var vinSender = ECUAddress.unknown
  /// Hash of all trouble codes in the reply; 0 if there are none.
  private(set) var codesDigest: UInt32 = 0
  private(set) var hasCodeList = false

  /// Whether the reply answers the previous request instead of the current one.
  private(set) var answersPrevious = false
  private let previous: ReadRequest?

  /// Creates an observer for the next reply. Without arguments, it observes bytes that belong to no command.
  init(
    request: ReadRequest? = nil, previous: ReadRequest? = nil, expectsBanner: Bool = false, isClearing: Bool = false
  ) {
    self.request = request
    self.previous = previous
    self.expectsBanner = expectsBanner
    self.isClearing = isClearing
  }

  func failed(_ kind: WireError.Kind) -> Bool { failures & 1 << UInt32(kind.rawValue) != 0 }

  /// Whether the reply is damaged or incomplete.
  var isDamaged: Bool {
    failed(.truncated) || failed(.sequence) || failed(.checksum) || failed(.malformed) || failed(.dataError)
      || failed(.rxError) || failed(.bufferFull) || failed(.stopped)
  }

  /// Whether the reply shows that the adapter lost its settings, goes to sleep, or is unreliable.
  var isAlarming: Bool {
    hasSurpriseBanner || isFatal || failed(.lowVoltage) || failed(.lowPower) || failed(.activityAlert)
  }

  func sender(_ index: Int) -> ECUAddress { senders[index] }
  func places(of sender: Int) -> UInt8 { places[sender] }
  func support(_ index: Int) -> SupportAnswer { supports[index] }

  /// Whether the reply contains an answer of this ECU to the request.
  func hasSender(_ address: ECUAddress) -> Bool {
    for i in 0..<senderCount where senders[i] == address { return true }
    return false
  }

  /// The senders with stored codes, according to PID 01.
  var ecusWithCodes: Clearing.ECUSet {
    var found = Clearing.ECUSet()
    for i in 0..<senderCount where withCodes & 1 << UInt8(i) != 0 {
      found.addresses[found.count] = senders[i]
      found.count += 1
    }
    return found
  }

  /// The identifiers of the request that at least one sender answered. Bit n stands for the identifier with index n.
  var answeredPlaces: UInt8 {
    var all: UInt8 = 0
    for i in 0..<senderCount { all |= places[i] }
    return all
  }
}

// MARK: Results of the reader

extension ReplyObserver {
  mutating func message(_ payload: Span<UInt8>, origin: Origin) {
    guard payload.count > 0 else { return }
    frames += payload.count <= 7 ? 1 : 1 + (payload.count - 6 + 6) / 7
    let isOwn = request.map { Self.answers(payload, $0) } ?? isClearing
    answersPrevious =
      !isOwn && (answersPrevious || messages == 0 && previous.map { Self.answers(payload, $0) } ?? false)
    guard request != nil || isClearing else { return }
    if payload[0] == 0x7F {
      negatives += 1
      negativeCode = payload.count > 2 ? payload[2] : 0
      if negativeCode != 0x78 { refusals += 1 }
      isPending = messages == 0 && negativeCode == 0x78 && (isPending || negatives == 1)
      return
    }
    isPending = false
    if isClearing, payload[0] == 0x44 { messages += 1 }
    guard let request else { return }
    // A message of any other service does not answer this request, and is ignored.
    guard payload[0] == request.service.rawValue | 0x40 else { return }
    messages += 1
    guard let sender = place(of: origin.ecu) else { return }
    places[sender] |= answered(payload, request)
    // PID 01 (SAE J1979, 5.3.3): bits 0 to 6 of data A are the number of stored codes.
    let isStatus = request.service == .currentData && payload.count >= 6 && payload[1] == 0x01
    if isStatus, payload[2] & 0x7F > 0 { withCodes |= 1 << UInt8(sender) }
  }

  /// Whether a message answers a request: it has the response code of the request's service and, if the request has
  /// identifiers, it begins with one of them.
  private static func answers(_ payload: Span<UInt8>, _ request: ReadRequest) -> Bool {
    guard payload[0] == request.service.rawValue | 0x40 else { return false }
    guard request.identifierCount > 0 else { return true }
    let width = request.service == .dataIdentifier ? 2 : 1
    guard payload.count > width else { return false }
    let identifier = width == 2 ? UInt16(payload[1]) << 8 | UInt16(payload[2]) : UInt16(payload[1])
    return request.place(of: identifier) != nil
  }

  private mutating func place(of address: ECUAddress) -> Int? {
    for i in 0..<senderCount where senders[i] == address { return i }
    guard senderCount < 8 else { return nil }
    senders[senderCount] = address
    senderCount += 1
    return senderCount - 1
  }

  /// Returns those identifiers of a request for which a message contains an answer. Bit n stands for the identifier
  /// with index n. If the length of an identifier's data is unknown, the search ends after this identifier.
  private func answered(_ payload: Span<UInt8>, _ request: ReadRequest) -> UInt8 {
    let width = request.service == .dataIdentifier ? 2 : 1
    var mask: UInt8 = 0
    var i = 1
    while i + width <= payload.count {
      let identifier = width == 2 ? UInt16(payload[i]) << 8 | UInt16(payload[i + 1]) : UInt16(payload[i])
      guard let place = request.place(of: identifier) else { break }
      var length = Self.dataLength(identifier, request.service)
      // The length is unknown: all remaining bytes belong to this identifier.
      if length == 0 { length = payload.count }
      let end = i + width + (request.service == .freezeFrame ? 1 : 0) + length
      guard end <= payload.count || length == payload.count else { break }
      mask |= 1 << UInt8(truncatingIfNeeded: place)
      i = end
      // In PIDs 06-09 and 55-58, a second data byte for banks 3 and 4 may follow the first. The next byte is this
      // second byte if it is not a requested identifier.
      if i < payload.count, length == 1, request.place(of: UInt16(payload[i])) == nil { i += 1 }
    }
    return mask
  }

  /// Returns the number of data bytes that follow an identifier; 0 if no standard defines the number.
  static func dataLength(_ identifier: UInt16, _ service: ReadService) -> Int {
    switch service {
    case .currentData: Int(saeParameterLengths.span[Int(identifier & 0xFF)])
    case .freezeFrame: identifier == 2 ? 2 : Int(saeParameterLengths.span[Int(identifier & 0xFF)])
    case .dataIdentifier where identifier >> 8 == 0xF4: Int(saeParameterLengths.span[Int(identifier & 0xFF)])
    default: 0
    }
  }

  mutating func reading(_ reading: Reading) {
    if reading.service == 0 {
      voltage = reading.value
      return
    }
    guard reading.service == 0x01 || reading.service == 0x22 && reading.identifier >> 8 == 0xF4 else { return }
    guard !reading.signal.isLoaded else { return }
    switch reading.identifier & 0xFF {
    case 0x0C:
      motion.engineSpeed = max(motion.engineSpeed ?? 0, reading.value)
      slowValues.engineSpeed = motion.engineSpeed
    case 0x0D: motion.speed = max(motion.speed ?? 0, reading.value)
    // Of several ECUs that report the same quantity, the first one's value is used.
    case 0x05: slowValues.coolantTemperature = slowValues.coolantTemperature ?? reading.value
    case 0x31: slowValues.distanceSinceClear = slowValues.distanceSinceClear ?? reading.value
    case 0xA6: slowValues.odometer = slowValues.odometer ?? reading.value
    // Of several ECUs that report the same quantity, the first one's value is used.
    case 0x42: controlModuleVoltage = controlModuleVoltage ?? reading.value
    case 0x51: fuelType = fuelType ?? UInt8(clamping: Int(reading.value))
    default: break
    }
  }

  mutating func text(_ reading: TextReading, _ bytes: Span<UInt8>) {
    // If several ECUs report a VIN, the VIN of the ECU with the lowest address is used: the order of the answers
    // varies, and an ECU may come from another vehicle.
    guard reading.kind == .vin, vinCount == 0 || reading.origin.ecu.value < vinSender.value else { return }
    vinSender = reading.origin.ecu
    vinCount = min(bytes.count, 20)
    for i in 0..<vinCount { vin[i] = bytes[i] }
  }

  mutating func codes(_ list: TroubleCodeList, _ codes: Span<TroubleCode>) {
    hasCodeList = true
    for i in 0..<codes.count {
      // The digest is the sum of FNV-1a hashes, one for each pair of address and code. It does not depend on the order
      // of ECUs and codes.
      var hash: UInt32 = 2_166_136_261
      hash = (hash ^ list.origin.ecu.value) &* 16_777_619
      hash = (hash ^ (UInt32(codes[i].code) << 8 | UInt32(codes[i].failureType))) &* 16_777_619
      codesDigest &+= hash | 1
    }
  }

  mutating func supported(_ bitmap: UInt32, service: UInt8, base: UInt16, origin: Origin) {
    guard supportCount < 24 else { return }
    supports[supportCount] = SupportAnswer(ecu: origin.ecu, service: service, base: base, bitmap: bitmap)
    supportCount += 1
  }

  mutating func adapter(_ answer: AdapterAnswer, _ bytes: Span<UInt8>) {
    let isBanner = answer == .identity && Self.isBanner(bytes)
    if isBanner {
      hasBanner = true
      if !expectsBanner { hasSurpriseBanner = true }
    }
    let isOKText = bytes.count == 2 && bytes[0] == UInt8(ascii: "O") && bytes[1] == UInt8(ascii: "K")
    if isOKText { isOK = true }
    if let isKept = PauseParameter.isKept(bytes) { keepsPause = isKept && keepsPause != false }
    // The adapter's name replaces other text, because a late answer to an earlier command may precede or follow the
    // name.
    guard textCount == 0 || isBanner, !isOKText else { return }
    textCount = min(bytes.count, 40)
    for i in 0..<textCount { text[i] = bytes[i] }
  }

  /// Whether ``text`` is an STN chip's name, such as `STN1110 v4.0.1`.
  var isSTN: Bool { textCount >= 3 && text[0] == 0x53 && text[1] == 0x54 && text[2] == 0x4E }

  /// Whether a text is an adapter's name, such as `ELM327 v1.5`: it contains a digit, and a letter that is not a
  /// hexadecimal digit.
  private static func isBanner(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count >= 4 else { return false }
    var (hasDigit, hasLetter) = (false, false)
    for i in 0..<bytes.count {
      let letter = bytes[i] | 0x20
      if bytes[i] >= UInt8(ascii: "0") && bytes[i] <= UInt8(ascii: "9") { hasDigit = true }
      if letter > UInt8(ascii: "f") && letter <= UInt8(ascii: "z") { hasLetter = true }
    }
    return hasDigit && hasLetter
  }

  mutating func failure(_ error: WireError, line: Span<UInt8>) {
    if error.kind == .adapterError, line.count >= 3, line[0] == UInt8(ascii: "E"), line[1] == UInt8(ascii: "R") {
      isFatal = true
    }
    failures |= 1 << UInt32(error.kind.rawValue)
    if error.kind == .adapterReset { hasSurpriseBanner = true }
    if error.kind != .negativeResponse { lastFailure = error.kind }
  }
}
