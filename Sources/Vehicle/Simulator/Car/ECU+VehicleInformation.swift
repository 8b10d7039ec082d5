/// Service 09 (SAE J1979), and data identifiers F4xx and F8xx of service 22 (SAE J1979-2).
extension ECU {
  /// Returns the information types that the ECU supports: VIN, calibration IDs, calibration verification numbers,
  /// performance counters, and ECU name.
  private func informationTypes(_ view: ECUView) -> Set<UInt8> {
    var types: Set<UInt8> = [0x0A]
    if !view.vin.isEmpty, knowsVIN { types.insert(0x02) }
    if !calibrations.isEmpty { types.formUnion([0x04, 0x06]) }
    if watchesEngine, view.isCAN { types.insert(view.isDiesel ? 0x0B : 0x08) }
    // These types have even numbers. On buses before CAN, the preceding odd number is an additional type, which reports
    // in how many messages the even type is sent.
    if !view.isCAN { for type in types { types.insert(type - 1) } }
    return types
  }

  /// Answers service 09. On CAN, the VIN is one message: `49 02 01` and 17 characters. On other buses, each message
  /// contains four data bytes, and its number, which is counted from 1.
  func vehicleInformation(_ request: [UInt8], _ view: ECUView) -> ECUAnswer {
    guard request.count == 2 else { return .refusal(Refusal.subFunctionNotSupported) }
    let type = request[1]
    let types = informationTypes(view)
    if type & 0x1F == 0 {
      guard let bitmap = ECU.bitmap(type, of: types) else { return .refusal(Refusal.subFunctionNotSupported) }
      return .message([0x49, type] + (view.isCAN ? [] : [0x01]) + bitmap)
    }
    guard types.contains(type) else { return .refusal(Refusal.subFunctionNotSupported) }
    if view.isCAN {
      let (items, data) = information(type, view)
      return .message([0x49, type, items] + data)
    }
    if type & 1 == 1 {
      return .message([0x49, type, UInt8(legacyData(type + 1, view).count / 4)])
    }
    let data = legacyData(type, view)
    let starts = stride(from: 0, to: data.count, by: 4)
    return .messages(
      starts.map { (start: Int) -> [UInt8] in [0x49, type, UInt8(start / 4 + 1)] + data[start..<start + 4] })
  }

  /// Returns the number of items that an information type has, and the bytes of the items.
  private func information(_ type: UInt8, _ view: ECUView) -> (UInt8, [UInt8]) {
    switch type {
    case 0x02: (1, Array(view.vin.utf8))
    case 0x04: (UInt8(calibrations.count), calibrations.flatMap { Self.padded($0.id, to: 16) })
    case 0x06: (UInt8(calibrations.count), calibrations.flatMap { Self.bytes($0.cvn) })
    case 0x08, 0x0B: performance(view)
    default: (1, nameBytes)
    }
  }

  private func legacyData(_ type: UInt8, _ view: ECUView) -> [UInt8] {
    // On these buses, each message has four bytes. The VIN of 17 characters takes five messages, so three zeros precede
    // it.
    let data = information(type, view).1
    return [UInt8](repeating: 0, count: (4 - data.count % 4) % 4) + data
  }

  /// Returns the in-use performance counters: how often the monitoring conditions were met, the number of ignition
  /// cycles, and for each monitor its completions and opportunities.
  private func performance(_ view: ECUView) -> (UInt8, [UInt8]) {
    let cycles = UInt16(clamping: 412 + view.state.starts)
    let counts: [UInt16] = [cycles, cycles] + (0..<7).flatMap { [cycles / 2 + UInt16($0), cycles - UInt16($0)] }
    return (UInt8(counts.count), counts.flatMap(ECU.bytes))
  }

  /// Answers service 22: `22 F4 0C` → `62 F4 0C 1A F8`. Identifier F4xx is PID xx of service 01, and F8xx is
  /// information type xx of service 09. A request may have up to three identifiers.
  func dataIdentifiers(_ request: [UInt8], _ view: ECUView) -> ECUAnswer {
    let asked = Array(request.dropFirst())
    guard !asked.isEmpty, asked.count % 2 == 0, asked.count <= 6 else {
      return .refusal(Refusal.requestOutOfRange)
    }
    var message: [UInt8] = [0x62]
    for index in stride(from: 0, to: asked.count, by: 2) {
      let identifier = asked[index..<index + 2]
      if let reply = replies[[0x22] + identifier], reply.count > 3 {
        message += reply.dropFirst()
      } else if asked[index] == 0xF4, let bytes = parameter(asked[index + 1], view) {
        message += identifier + bytes
      } else if asked[index] == 0xF8, let bytes = informationUDS(asked[index + 1], view) {
        message += identifier + bytes
      }
    }
    return message.count > 1 ? .message(message) : .refusal(Refusal.requestOutOfRange)
  }

  private func informationUDS(_ type: UInt8, _ view: ECUView) -> [UInt8]? {
    let types = informationTypes(view)
    if type & 0x1F == 0 { return ECU.bitmap(type, of: types) }
    guard types.contains(type) else { return nil }
    let (items, data) = information(type, view)
    // According to SAE J1979-2, only types that can have several items report the number of items.
    return type == 0x04 || type == 0x06 ? [items] + data : data
  }

  /// The ECU's name in 20 characters, such as `ECM-EngineControl`. The acronym before the hyphen is padded with NUL to
  /// 4 characters, and the rest, beginning with the hyphen, to 16 characters.
  private var nameBytes: [UInt8] {
    guard let hyphen = name.firstIndex(of: "-"), name[..<hyphen].utf8.count <= 4 else {
      return Self.padded(name, to: 20)
    }
    return Self.padded(String(name[..<hyphen]), to: 4) + Self.padded(String(name[hyphen...]), to: 16)
  }

  private static func padded(_ text: String, to count: Int) -> [UInt8] {
    let bytes = Array(text.utf8.prefix(count))
    return bytes + [UInt8](repeating: 0, count: count - bytes.count)
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
  }
}
