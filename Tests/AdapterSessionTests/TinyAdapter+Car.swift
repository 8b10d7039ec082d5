/// The simulated car: the answers of its ECUs, and their times.
extension TinyAdapter {
  /// The data bytes of each frame, with its sender, in the order of their arrival.
  private func frames(_ request: [UInt8]) -> [(address: String, bytes: [UInt8])] {
    var out: [(String, [UInt8])] = []
    for ecu in ecus where !ecu.isSilent {
      if header != "7DF", header != "DB33F1", receiver != ecu.address { continue }
      guard let payload = payload(of: ecu, request) else { continue }
      if payload.count <= 7 {
        out.append((ecu.address, [UInt8(payload.count)] + payload))
        continue
      }
      out.append((ecu.address, [0x10 | UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload.prefix(6)))
      var rest = payload.dropFirst(6)
      var index: UInt8 = 1
      while !rest.isEmpty {
        var data = Array(rest.prefix(7))
        while data.count < 7 { data.append(0) }
        out.append((ecu.address, [0x20 | index] + data))
        rest = rest.dropFirst(7)
        index = (index + 1) & 0xF
      }
    }
    return out
  }

  private func payload(of ecu: ECU, _ request: [UInt8]) -> [UInt8]? {
    let asked = Array(request.dropFirst())
    switch request[0] {
    case 0x01:
      if let refusal = ecu.refusal { return [0x7F, 0x01, refusal] }
      if asked.count > 1, ecu.ignoresMulti { return nil }
      var out: [UInt8] = [0x41]
      for pid in ecu.refusesMulti ? Array(asked.prefix(1)) : asked {
        if pid & 0x1F == 0 {
          guard let map = Self.bitmap(Set(ecu.pids.keys), base: pid) else { continue }
          out += [pid] + map
        } else if let data = ecu.pids[pid] {
          out += [pid] + data
        }
      }
      return out.count > 1 ? out : nil
    case 0x02:
      guard let first = ecu.codes.first else { return asked[0] == 2 ? [0x42, 2, 0, 0, 0] : nil }
      var out: [UInt8] = [0x42]
      for i in stride(from: 0, to: asked.count, by: 2) {
        let pid = asked[i]
        if pid == 2 {
          out += [2, 0, UInt8(first >> 8), UInt8(first & 0xFF)]
        } else if pid & 0x1F == 0, let map = Self.bitmap([0x02, 0x04, 0x05, 0x0C, 0x0D], base: pid) {
          out += [pid, 0] + map
        } else if [0x04, 0x05, 0x0C, 0x0D].contains(pid), let data = ecu.pids[pid] {
          out += [pid, 0] + data
        }
      }
      return out.count > 1 ? out : nil
    case 0x03, 0x07, 0x0A:
      let codes = request[0] == 0x03 ? ecu.codes : []
      return [request[0] | 0x40, UInt8(codes.count)] + codes.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    case 0x04: return [0x44]
    case 0x09:
      if asked[0] == 0 {
        guard !ecu.information.isEmpty else { return nil }
        return [0x49, 0] + (Self.bitmap(Set(ecu.information.keys), base: 0) ?? [])
      }
      return ecu.information[asked[0]].map { [0x49, asked[0]] + $0 }
    case 0x22:
      var out: [UInt8] = [0x62]
      for i in stride(from: 0, to: asked.count - 1, by: 2) {
        let identifier = UInt16(asked[i]) << 8 | UInt16(asked[i + 1])
        if let data = ecu.identifiers[identifier] { out += [asked[i], asked[i + 1]] + data }
      }
      return out.count > 1 ? out : nil
    default: return nil
    }
  }

  static func bitmap(_ pids: Set<UInt8>, base: UInt8) -> [UInt8]? {
    guard !pids.isEmpty else { return nil }
    var value: UInt32 = 0
    for pid in pids where pid > base && Int(pid) <= Int(base) + 32 { value |= 1 << UInt32(Int(base) + 32 - Int(pid)) }
    if pids.contains(where: { Int($0) > Int(base) + 32 }) { value |= 1 }
    guard base == 0 || value != 0 || pids.contains(base) else { return nil }
    return [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
  }

  func vehicleReply(_ text: String, echo: String, from received: Int64) -> [Chunk] {
    let expected = text.count % 2 == 1 ? Int(text.suffix(1), radix: 16) : nil
    var request: [UInt8] = []
    var rest = Substring(text)
    while rest.count >= 2 {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return line(echo + "?\r\r>", from: received) }
      request.append(byte)
      rest = rest.dropFirst(2)
    }
    var chunks = echo.isEmpty ? [] : line(echo, from: received)
    var sent = received + Int64(echo.utf8.count) * byteTime
    var arrival = received + latency
    let all = frames(request)
    for (number, frame) in all.prefix(expected ?? all.count).enumerated() {
      if number > 0 { arrival += frameGap }
      let printed = self.text(of: frame)
      sent = max(sent, arrival) + Int64(printed.utf8.count) * byteTime
      chunks.append(Chunk(at: sent, bytes: Array(printed.utf8)))
    }
    let isEarly = expected.map { all.count >= $0 } ?? false
    if !isEarly { sent = max(sent, arrival + (all.isEmpty ? 200 * Self.millisecond : wait)) }
    let end = (all.isEmpty ? "NO DATA\r" : "") + "\r>"
    chunks += line(end, from: sent)
    busyUntil = sent
    return chunks
  }

  private func text(of frame: (address: String, bytes: [UInt8])) -> String {
    let separator = spaces ? " " : ""
    var out = headers ? frame.address + separator : ""
    var bytes = frame.bytes
    if !headers {
      bytes.removeFirst()
      switch frame.bytes[0] >> 4 {
      case 1:
        let length = String(Int(frame.bytes[0] & 0xF) << 8 | Int(frame.bytes[1]), radix: 16, uppercase: true)
        out = String(repeating: "0", count: 3 - length.count) + length + "\r0:" + separator
        bytes.removeFirst()
      case 2: out = String(frame.bytes[0] & 0xF, radix: 16, uppercase: true) + ":" + separator
      default: break
      }
    }
    for byte in bytes { out += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) + separator }
    return out + "\r"
  }
}
