/// Services 21 and 22: local identifiers and data identifiers, which signal sets and SAE J1979-2 (OBDonUDS) define.
///
///     62 F4 0C 1A F8       data identifier F40C is PID 0C
///     62 F8 02 57 50 …     F802 is the VIN
///     62 40 4C 01 E2 40    a manufacturer's identifier, defined by a signal set
extension MessageDecoder {
  mutating func localIdentifier<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, in context: LineContext, into handler: inout H
  ) {
    guard payload.count >= 2 else {
      fail(.truncated, at: payload.count, in: context, into: &handler)
      return
    }
    guard request.admits(UInt16(payload[1])) else {
      fail(.unexpected, at: 1, in: context, into: &handler)
      return
    }
    loadedRows(
      payload.extracting(2..<payload.count), service: 0x21, identifier: UInt16(payload[1]), in: context, into: &handler)
  }

  mutating func dataIdentifiers<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, in context: LineContext, into handler: inout H
  ) {
    var i = 1
    // Position, in the request, of the identifier that is expected next. The identifiers of an answer have the same
    // order as in the request. Identifiers that the ECU does not support are left out.
    var asked = 0
    repeat {
      guard i + 1 < payload.count else {
        fail(.truncated, at: payload.count, in: context, into: &handler)
        return
      }
      let identifier = UInt16(payload[i]) << 8 | UInt16(payload[i + 1])
      guard request.admits(identifier) else {
        fail(.unexpected, at: i, in: context, into: &handler)
        return
      }
      if request.kind == .data {
        while asked < request.identifierCount, request.identifiers[asked] != identifier { asked += 1 }
      }
      guard let end = endOfRecord(payload, from: i, identifier: identifier, asked: asked, context.loaded) else {
        fail(.malformed, at: i, in: context, into: &handler)
        return
      }
      guard end <= payload.count else {
        fail(.truncated, at: payload.count, in: context, into: &handler)
        return
      }
      record(
        payload.extracting(i + 2..<end), at: i, identifier: identifier, in: context, into: &handler)
      i = end
      asked += 1
    } while i < payload.count
  }

  /// Returns where the data of an identifier end; `nil` if that is unknown. Only PIDs have a fixed length. For other
  /// identifiers, the data end where the next requested identifier begins. If that identifier does not occur exactly
  /// once, the end is unknown.
  private mutating func endOfRecord(
    _ payload: Span<UInt8>, from index: Int, identifier: UInt16, asked: Int,
    _ loaded: Span<SignalDefinition>
  ) -> Int? {
    let start = index + 2
    if identifier >> 8 == 0xF4 {
      let length = parameterLength(UInt8(truncatingIfNeeded: identifier))
      if length > 0 { return start + length }
    }
    // If there is a single identifier or this is the last identifier, the rest of the message belongs to it.
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

  /// Returns the number of bytes that contain the defined signals of an identifier; 0 if no signals are defined.
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
    _ data: Span<UInt8>, at index: Int, identifier: UInt16, in context: LineContext, into handler: inout H
  ) {
    let low = UInt8(truncatingIfNeeded: identifier)
    switch identifier >> 8 {
    case 0xF4:
      let length = parameterLength(low)
      guard length > 0, data.count >= length else { break }
      if low & 0x1F == 0 {
        supported(data, service: 0x22, base: identifier, in: context, into: &handler)
      } else {
        learn(low, data, in: context)
        values(
          parameterRows[Int(low)], of: Int(low), data: data, service: 0x22, identifier: identifier, frame: 0,
          in: context, into: &handler)
      }
    case 0xF6:
      if low & 0x1F == 0 {
        guard data.count == 4 else { break }
        supported(data, service: 0x22, base: identifier, in: context, into: &handler)
      } else {
        tests(data, monitor: low, at: index, in: context, into: &handler)
      }
    case 0xF8:
      if low & 0x1F == 0 {
        guard data.count == 4 else { break }
        supported(data, service: 0x22, base: identifier, in: context, into: &handler)
      } else {
        information(data, identifier: identifier, in: context, into: &handler)
      }
    default: break
    }
    loadedRows(data, service: 0x22, identifier: identifier, in: context, into: &handler)
  }

  /// Reads an answer to F6xx: the test results of monitor xx. The results do not contain the monitor's identifier (SAE
  /// J1979-2).
  private mutating func tests<H: ReplyHandler & ~Copyable>(
    _ data: Span<UInt8>, monitor: UInt8, at index: Int, in context: LineContext, into handler: inout H
  ) {
    guard data.count % 8 == 0 else {
      fail(.truncated, at: index + 2 + data.count, in: context, into: &handler)
      return
    }
    var k = 0
    while k + 8 <= data.count {
      test(
        data.extracting(k..<k + 8), service: 0x22, monitor: monitor, at: index + 1 + k, in: context, into: &handler)
      k += 8
    }
  }

  /// Reads an answer to F8xx: information type xx. As in service 09, the number of items may precede the items.
  private mutating func information<H: ReplyHandler & ~Copyable>(
    _ data: Span<UInt8>, identifier: UInt16, in context: LineContext, into handler: inout H
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
      items, announced: size > 0 ? max(1, items.count / size) : 1, service: 0x22, identifier: identifier, in: context,
      into: &handler)
  }

  /// Reports the values of the signals that the loaded signal sets define for an identifier. A signal for which the
  /// data are too short is left out.
  mutating func loadedRows<H: ReplyHandler & ~Copyable>(
    _ data: Span<UInt8>, service: UInt8, identifier: UInt16, in context: LineContext, into handler: inout H
  ) {
    var i = firstLoaded(service, identifier, context.loaded)
    while i < context.loaded.count, context.loaded[i].service == service, context.loaded[i].identifier == identifier {
      let row = context.loaded[i]
      if row.ecu == .unknown || context.origin.ecu == .unknown || row.ecu == context.origin.ecu, row.applies(to: data),
        let value = row.value(in: data), value > row.nullAtOrBelow, value < row.nullAtOrAbove
      {
        let signal = SignalID(rawValue: SignalID.firstLoaded + UInt16(truncatingIfNeeded: i))
        handler.reading(
          Reading(origin: context.origin, signal: signal, service: service, identifier: identifier, value: value))
      }
      i += 1
    }
  }

  /// Returns the index of an identifier's first definition in the sorted span; the length of the span if it has none.
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
