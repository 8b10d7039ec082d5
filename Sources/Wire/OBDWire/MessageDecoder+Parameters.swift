/// Services 01 and 02: current data and freeze frames (SAE J1979, 6.1 and 6.2).
///
///     41 0C 1A F8 0D 00 05 7B     three PIDs in one answer (CAN)
///     42 0C 00 1A F8              PID 0C of freeze frame 0
extension MessageDecoder {
  @inline(__always)
  mutating func parameters<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, in context: LineContext, into handler: inout H
  ) {
    guard request.admits(service: 0x01) else {
      fail(.unexpected, at: 0, in: context, into: &handler)
      return
    }
    guard payload.count > 1 else {
      fail(.truncated, at: 1, in: context, into: &handler)
      return
    }
    var i = 1
    var next = 0
    repeat {
      let parameter = payload[i]
      guard request.admits(UInt16(parameter), next: &next) else {
        fail(.unexpected, at: i, in: context, into: &handler)
        return
      }
      let rows = parameterRows[Int(parameter)]
      let start = i &+ 1
      var end = start &+ Int(rows.length)
      if rows.form != .number {
        if rows.form == .undefined {
          loadedParameter(payload, from: i, in: context, into: &handler)
          return
        }
        if rows.form == .fuelTrim { end &+= extraBank(payload, from: start, in: context) }
      }
      guard end <= payload.count else {
        fail(.truncated, at: payload.count, in: context, into: &handler)
        return
      }
      let data = payload.extracting(start..<end)
      if rows.form == .supported {
        supported(data, service: 0x01, base: UInt16(parameter), in: context, into: &handler)
      } else {
        if rows.form == .description { learn(parameter, data, in: context) }
        values(
          rows, of: Int(parameter), data: data, service: 0x01, identifier: UInt16(parameter), frame: 0, in: context,
          into: &handler)
        if !context.loaded.isEmpty {
          loadedRows(data, service: 0x01, identifier: UInt16(parameter), in: context, into: &handler)
        }
      }
      i = end
    } while i < payload.count
  }

  /// Returns the number of additional bytes of a fuel trim (PIDs 06–09, 55–58; SAE J1979-DA): 1 if a second byte for
  /// bank 3 or 4 follows, otherwise 0. It follows if the ECU has answered PID 1D, or if one byte is left over and no
  /// other PID was requested.
  private mutating func extraBank(
    _ payload: Span<UInt8>, from start: Int, in context: LineContext
  ) -> Int {
    if knowledge[context.slot].address == context.origin.ecu, knowledge[context.slot].layout == .fourBanks { return 1 }
    guard payload.count == start + 2 else { return 0 }
    return request.kind == .data && request.identifierCount > 1 ? 0 : 1
  }

  /// Reads a PID that the standard does not define, but a loaded signal set does. Its length is unknown, so the PIDs
  /// after it cannot be read.
  private mutating func loadedParameter<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, from index: Int, in context: LineContext, into handler: inout H
  ) {
    guard index == 1 else {
      fail(.malformed, at: index, in: context, into: &handler)
      return
    }
    loadedRows(
      payload.extracting(2..<max(2, payload.count)), service: 0x01, identifier: UInt16(payload[1]), in: context,
      into: &handler)
  }

  mutating func supported<H: ReplyHandler & ~Copyable>(
    _ data: Span<UInt8>, service: UInt8, base: UInt16, in context: LineContext, into handler: inout H
  ) {
    let bitmap = UInt32(data[0]) << 24 | UInt32(data[1]) << 16 | UInt32(data[2]) << 8 | UInt32(data[3])
    handler.supported(bitmap, service: service, base: base, origin: context.origin)
  }

  mutating func learn(_ parameter: UInt8, _ data: Span<UInt8>, in context: LineContext) {
    if knowledge[context.slot].address != context.origin.ecu {
      knowledge[context.slot] = ECUKnowledge()
      knowledge[context.slot].address = context.origin.ecu
    }
    switch parameter {
    case 0x13: knowledge[context.slot].layout = .twoBanks
    case 0x1D: knowledge[context.slot].layout = .fourBanks
    case 0x4F: knowledge[context.slot].learnScales4F(data)
    case 0x50: knowledge[context.slot].learnScale50(data)
    default: break
    }
  }

  mutating func freezeFrame<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, in context: LineContext, into handler: inout H
  ) {
    var i = 1
    repeat {
      guard i + 1 < payload.count else {
        fail(.truncated, at: payload.count, in: context, into: &handler)
        return
      }
      let parameter = payload[i]
      let frame = payload[i + 1]
      guard request.admits(UInt16(parameter)) else {
        fail(.unexpected, at: i, in: context, into: &handler)
        return
      }
      let length = parameter == 0x02 ? 2 : parameterLength(parameter)
      let start = i + 2
      guard length > 0 else {
        if i > 1 { fail(.malformed, at: i, in: context, into: &handler) }
        return
      }
      guard start + length <= payload.count else {
        fail(.truncated, at: payload.count, in: context, into: &handler)
        return
      }
      let data = payload.extracting(start..<start + length)
      if parameter & 0x1F == 0 {
        supported(data, service: 0x02, base: UInt16(parameter), in: context, into: &handler)
      } else if parameter == 0x02 {
        freezeFrameCode(data, frame: frame, in: context, into: &handler)
      } else {
        values(
          parameterRows[Int(parameter)], of: Int(parameter), data: data, service: 0x02, identifier: UInt16(parameter),
          frame: frame, in: context, into: &handler)
      }
      i = start + length
    } while i < payload.count
  }

  /// Reports the code that caused the freeze frame. 0000 means that no freeze frame is stored.
  private mutating func freezeFrameCode<H: ReplyHandler & ~Copyable>(
    _ data: Span<UInt8>, frame: UInt8, in context: LineContext, into handler: inout H
  ) {
    let code = UInt16(data[0]) << 8 | UInt16(data[1])
    codes[0] = TroubleCode(code: code)
    handler.troubleCodes(
      TroubleCodeList(origin: context.origin, kind: .freezeFrame, service: 0x02, subfunction: frame),
      codes.span.extracting(first: code == 0 ? 0 : 1))
  }
}
