/// Services 01 and 02: current data and freeze frames (SAE J1979, 6.1 and 6.2).
///
///     41 0C 1A F8 0D 00 05 7B     three PIDs in one answer (CAN)
///     42 0C 00 1A F8              PID 0C of freeze frame 0
extension MessageDecoder {
  @inline(__always)
  mutating func parameters<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, slot: Int, line: Span<UInt8>, origin: Origin,
    loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    guard request.admits(service: 0x01) else {
      fail(.unexpected, at: 0, line, origin, into: &handler)
      return
    }
    guard payload.count > 1 else {
      fail(.truncated, at: 1, line, origin, into: &handler)
      return
    }
    var i = 1
    repeat {
      let parameter = payload[i]
      guard request.admits(UInt16(parameter)) else {
        fail(.unexpected, at: i, line, origin, into: &handler)
        return
      }
      let start = i + 1
      let length = parameterLength(parameter) + extraBank(parameter, payload, from: start, slot: slot, origin: origin)
      if length == 0 {
        loadedParameter(payload, from: i, line: line, origin: origin, loaded: loaded, into: &handler)
        return
      }
      guard start + length <= payload.count else {
        fail(.truncated, at: payload.count, line, origin, into: &handler)
        return
      }
      let data = payload.extracting(start..<start + length)
      if plainParameter(parameter, data: data, slot: slot, origin: origin, into: &handler) {
        if !loaded.isEmpty {
          loadedRows(data, service: 0x01, identifier: UInt16(parameter), origin: origin, loaded: loaded, into: &handler)
        }
      } else if parameter & 0x1F == 0 {
        supported(data, service: 0x01, base: UInt16(parameter), origin: origin, into: &handler)
      } else {
        if parameter == 0x13 || parameter == 0x1D || parameter & 0xFE == 0x4E || parameter == 0x50 {
          learn(parameter, data, slot: slot, origin: origin)
        }
        rows(
          of: Int(parameter), data: data, slot: slot, service: 0x01, identifier: UInt16(parameter), frame: 0,
          origin: origin, into: &handler)
        if !loaded.isEmpty {
          loadedRows(data, service: 0x01, identifier: UInt16(parameter), origin: origin, loaded: loaded, into: &handler)
        }
      }
      i = start + length
    } while i < payload.count
  }

  /// Returns 1 if a fuel trim (PIDs 06–09, 55–58) has a second byte for bank 3 or 4, otherwise 0 (SAE J1979-DA). It has
  /// one if PID 1D was seen, or if one byte is left over and no other PID was requested.
  @inline(__always)
  private mutating func extraBank(
    _ parameter: UInt8, _ payload: Span<UInt8>, from start: Int, slot: Int, origin: Origin
  ) -> Int {
    guard parameter >= 0x06 && parameter <= 0x09 || parameter >= 0x55 && parameter <= 0x58 else { return 0 }
    if knowledge[slot].address == origin.ecu, knowledge[slot].layout == .fourBanks { return 1 }
    guard payload.count == start + 2 else { return 0 }
    return request.kind == .data && request.identifierCount > 1 ? 0 : 1
  }

  /// Reads a PID that the standard does not define. Its length is unknown, so the rest of the message cannot be read.
  private mutating func loadedParameter<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, from index: Int, line: Span<UInt8>, origin: Origin, loaded: Span<SignalDefinition>,
    into handler: inout H
  ) {
    guard index == 1 else {
      fail(.malformed, at: index, line, origin, into: &handler)
      return
    }
    loadedRows(
      payload.extracting(2..<max(2, payload.count)), service: 0x01, identifier: UInt16(payload[1]), origin: origin,
      loaded: loaded, into: &handler)
  }

  mutating func supported<H: ReplyHandler & ~Copyable>(
    _ data: Span<UInt8>, service: UInt8, base: UInt16, origin: Origin, into handler: inout H
  ) {
    let bitmap = UInt32(data[0]) << 24 | UInt32(data[1]) << 16 | UInt32(data[2]) << 8 | UInt32(data[3])
    handler.supported(bitmap, service: service, base: base, origin: origin)
  }

  mutating func learn(_ parameter: UInt8, _ data: Span<UInt8>, slot: Int, origin: Origin) {
    if knowledge[slot].address != origin.ecu {
      knowledge[slot] = ECUKnowledge()
      knowledge[slot].address = origin.ecu
    }
    switch parameter {
    case 0x13: knowledge[slot].layout = .twoBanks
    case 0x1D: knowledge[slot].layout = .fourBanks
    case 0x4F: knowledge[slot].learnScales4F(data)
    case 0x50: knowledge[slot].learnScale50(data)
    default: break
    }
  }

  mutating func freezeFrame<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, slot: Int, line: Span<UInt8>, origin: Origin,
    into handler: inout H
  ) {
    var i = 1
    repeat {
      guard i + 1 < payload.count else {
        fail(.truncated, at: payload.count, line, origin, into: &handler)
        return
      }
      let parameter = payload[i]
      let frame = payload[i + 1]
      guard request.admits(UInt16(parameter)) else {
        fail(.unexpected, at: i, line, origin, into: &handler)
        return
      }
      let length = parameter == 0x02 ? 2 : parameterLength(parameter)
      let start = i + 2
      guard length > 0 else {
        if i > 1 { fail(.malformed, at: i, line, origin, into: &handler) }
        return
      }
      guard start + length <= payload.count else {
        fail(.truncated, at: payload.count, line, origin, into: &handler)
        return
      }
      let data = payload.extracting(start..<start + length)
      if parameter & 0x1F == 0 {
        supported(data, service: 0x02, base: UInt16(parameter), origin: origin, into: &handler)
      } else if parameter == 0x02 {
        freezeFrameCode(data, frame: frame, origin: origin, into: &handler)
      } else {
        rows(
          of: Int(parameter), data: data, slot: slot, service: 0x02, identifier: UInt16(parameter), frame: frame,
          origin: origin, into: &handler)
      }
      i = start + length
    } while i < payload.count
  }

  /// Reports the code that caused the freeze frame. 0000 means that no frame is stored.
  private mutating func freezeFrameCode<H: ReplyHandler & ~Copyable>(
    _ data: Span<UInt8>, frame: UInt8, origin: Origin, into handler: inout H
  ) {
    let code = UInt16(data[0]) << 8 | UInt16(data[1])
    codes[0] = TroubleCode(code: code)
    handler.troubleCodes(
      TroubleCodeList(origin: origin, kind: .freezeFrame, service: 0x02, subfunction: frame),
      codes.span.extracting(first: code == 0 ? 0 : 1))
  }
}
