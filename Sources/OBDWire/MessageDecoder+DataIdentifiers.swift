/// Services 21 and 22: local and data identifiers, by signal sets and by SAE J1979-2 (OBDonUDS).
///
///     62 F4 0C 1A F8       data identifier F40C is PID 0C
///     62 F8 02 57 50 …     F802 is the VIN
///     62 40 4C 01 E2 40    a maker's identifier, by the signal set loaded
extension MessageDecoder {
  mutating func localIdentifier<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, line: Span<UInt8>, origin: Origin,
    loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    guard payload.count >= 2 else {
      fail(.truncated, at: payload.count, line, origin, into: &handler)
      return
    }
    guard request.admits(UInt16(payload[1])) else {
      fail(.unexpected, at: 1, line, origin, into: &handler)
      return
    }
    loadedRows(
      payload.extracting(2..<payload.count), service: 0x21, identifier: UInt16(payload[1]), origin: origin,
      loaded: loaded, into: &handler)
  }

  mutating func dataIdentifiers<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, slot: Int, line: Span<UInt8>, origin: Origin,
    loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    var i = 1
    // Where in the question the answer stands: it keeps the question's order, and leaves out what the ECU lacks.
    var asked = 0
    repeat {
      guard i + 1 < payload.count else {
        fail(.truncated, at: payload.count, line, origin, into: &handler)
        return
      }
      let identifier = UInt16(payload[i]) << 8 | UInt16(payload[i + 1])
      guard request.admits(identifier) else {
        fail(.unexpected, at: i, line, origin, into: &handler)
        return
      }
      if request.kind == .data {
        while asked < request.identifierCount, request.identifiers[asked] != identifier { asked += 1 }
      }
      guard let end = endOfRecord(payload, from: i, identifier: identifier, asked: asked, loaded) else {
        fail(.malformed, at: i, line, origin, into: &handler)
        return
      }
      guard end <= payload.count else {
        fail(.truncated, at: payload.count, line, origin, into: &handler)
        return
      }
      record(
        payload.extracting(i + 2..<end), at: i, identifier: identifier, slot: slot, line: line, origin: origin,
        loaded: loaded, into: &handler)
      i = end
      asked += 1
    } while i < payload.count
  }

  /// Where an identifier's data ends. Only a PID's length is law; elsewhere the next identifier asked for marks the
  /// end, if it stands at one place only. nil: cannot be told.
  private mutating func endOfRecord(
    _ payload: Span<UInt8>, from index: Int, identifier: UInt16, asked: Int,
    _ loaded: Span<SignalDefinition>
  ) -> Int? {
    let start = index + 2
    if identifier >> 8 == 0xF4 {
      let length = parameterLength(UInt8(truncatingIfNeeded: identifier))
      if length > 0 { return start + length }
    }
    // One identifier, or the last: everything to the message's end is its own.
    guard request.kind == .data, asked + 1 < request.identifierCount else { return payload.count }
    let least = start + definedBytes(identifier, loaded)
    if least > start, least + 1 < payload.count {
      let following = UInt16(payload[least]) << 8 | UInt16(payload[least + 1])
      for k in (asked + 1)..<request.identifierCount where request.identifiers[k] == following { return least }
    }
    for k in (asked + 1)..<request.identifierCount {
      let next = request.identifiers[k]
      var found: Int?
      var at = max(least, start + 1)
      while at + 1 < payload.count {
        if payload[at] == UInt8(truncatingIfNeeded: next >> 8), payload[at + 1] == UInt8(truncatingIfNeeded: next) {
          guard found == nil else { return nil }
          found = at
        }
        at += 1
      }
      if let found { return found }
    }
    return payload.count
  }

  /// Bytes that the signals of an identifier reach over; 0 where none is defined.
  private mutating func definedBytes(_ identifier: UInt16, _ loaded: Span<SignalDefinition>) -> Int {
    var bits = 0
    var i = firstLoaded(0x22, identifier, loaded)
    while i < loaded.count, loaded[i].service == 0x22, loaded[i].identifier == identifier {
      bits = max(bits, Int(loaded[i].bitOffset) + Int(loaded[i].bitLength))
      i += 1
    }
    return (bits + 7) / 8
  }

  private mutating func record<H: ReplyHandler & ~Copyable>(
    _ data: Span<UInt8>, at index: Int, identifier: UInt16, slot: Int, line: Span<UInt8>, origin: Origin,
    loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    let low = UInt8(truncatingIfNeeded: identifier)
    switch identifier >> 8 {
    case 0xF4:
      let length = parameterLength(low)
      guard length > 0, data.count >= length else { break }
      if low & 0x1F == 0 {
        supported(data, service: 0x22, base: identifier, origin: origin, into: &handler)
      } else {
        learn(low, data, slot: slot, origin: origin)
        rows(
          of: Int(low), data: data, slot: slot, service: 0x22, identifier: identifier, frame: 0, origin: origin,
          into: &handler)
      }
    case 0xF6:
      if low & 0x1F == 0 {
        guard data.count == 4 else { break }
        supported(data, service: 0x22, base: identifier, origin: origin, into: &handler)
      } else {
        tests(data, monitor: low, at: index, line: line, origin: origin, into: &handler)
      }
    case 0xF8:
      if low & 0x1F == 0 {
        guard data.count == 4 else { break }
        supported(data, service: 0x22, base: identifier, origin: origin, into: &handler)
      } else {
        information(data, identifier: identifier, line: line, origin: origin, into: &handler)
      }
    default: break
    }
    loadedRows(data, service: 0x22, identifier: identifier, origin: origin, loaded: loaded, into: &handler)
  }

  /// F6xx: results of monitor xx, each without the monitor's id (SAE J1979-2).
  private mutating func tests<H: ReplyHandler & ~Copyable>(
    _ data: Span<UInt8>, monitor: UInt8, at index: Int, line: Span<UInt8>, origin: Origin, into handler: inout H
  ) {
    guard data.count % 8 == 0 else {
      fail(.truncated, at: index + 2 + data.count, line, origin, into: &handler)
      return
    }
    var k = 0
    while k + 8 <= data.count {
      test(
        data.extracting(k..<k + 8), service: 0x22, monitor: monitor, line: line, origin: origin, at: index + 1 + k,
        into: &handler)
      k += 8
    }
  }

  /// F8xx: information type xx. Items of one kind may stand behind their number, as in service 09.
  private mutating func information<H: ReplyHandler & ~Copyable>(
    _ data: Span<UInt8>, identifier: UInt16, line: Span<UInt8>, origin: Origin, into handler: inout H
  ) {
    let size: Int
    switch UInt8(truncatingIfNeeded: identifier) {
    case 0x02: size = 17
    case 0x04: size = 16
    case 0x06: size = 4
    case 0x0A: size = 20
    default: size = 0
    }
    let hasNumber =
      size > 0 && data.count > 1 && (data.count - 1) % size == 0 && (data.count - 1) / size == Int(data[0])
    let items = hasNumber ? data.extracting(1..<data.count) : data
    self.items(
      items, announced: size > 0 ? max(1, items.count / size) : 1, service: 0x22, identifier: identifier, line: line,
      origin: origin, into: &handler)
  }

  /// The signals that loaded sets define for an identifier; those that reach past the data are absent.
  mutating func loadedRows<H: ReplyHandler & ~Copyable>(
    _ data: Span<UInt8>, service: UInt8, identifier: UInt16, origin: Origin, loaded: Span<SignalDefinition>,
    into handler: inout H
  ) {
    var i = firstLoaded(service, identifier, loaded)
    while i < loaded.count, loaded[i].service == service, loaded[i].identifier == identifier {
      let row = loaded[i]
      if row.ecu == .unknown || origin.ecu == .unknown || row.ecu == origin.ecu, row.applies(to: data),
        let value = row.value(in: data), value > row.nullAtOrBelow, value < row.nullAtOrAbove
      {
        let signal = SignalID(rawValue: SignalID.firstLoaded + UInt16(truncatingIfNeeded: i))
        handler.reading(
          Reading(origin: origin, signal: signal, service: service, identifier: identifier, value: value))
      }
      i += 1
    }
  }

  /// Index of the first definition of an identifier in the sorted span; its count where there is none.
  private mutating func firstLoaded(_ service: UInt8, _ identifier: UInt16, _ loaded: Span<SignalDefinition>) -> Int {
    let key = UInt32(service) << 16 | UInt32(identifier)
    var low = 0
    var high = loaded.count
    while low < high {
      let middle = (low + high) / 2
      let at = UInt32(loaded[middle].service) << 16 | UInt32(loaded[middle].identifier)
      if at < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
