// The checks of everything that the reader finds in a reply.

extension Exchange {
  /// Returns the index of the message with this sender and these bytes, whether it is expected or not; `nil` if there
  /// is none.
  func message(_ ecu: ECUAddress, equal bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    for index in 0..<messageCount where messages[index].ecu == ecu && messages[index].bytes.elementsEqual(bytes) {
      return index
    }
    return nil
  }

  func check(_ payload: Span<UInt8>, from ecu: ECUAddress) {
    guard isListening else { return }
    for index in 0..<messageCount where messages[index].ecu == ecu {
      require(!messages[index].isBroken, "a message whose frames were broken")
    }
    guard let index = payload.withUnsafeBufferPointer({ message(ecu, equal: $0) }) else {
      return require(false, "a message that nobody sent")
    }
    require(messages[index].turn == 0, "a message came twice")
    found += 1
    messages[index].turn = found
  }

  func check(_ reading: Reading) {
    guard isListening else { return }
    require(reading.value.isFinite, "a reading that is no number")
    var last = -1
    for index in 0..<messageCount where messages[index].ecu == reading.origin.ecu && messages[index].turn > 0 {
      if last < 0 || messages[index].turn > messages[last].turn { last = index }
    }
    guard last >= 0 else { return require(false, "a reading without a message") }
    let payload = messages[last].bytes
    // The counters of service 09 may come from lines that are joined at the prompt.
    if reading.service != 0x09 { require(payload[0] == reading.service + 0x40, "a reading of another service") }
    if question.count >= 2 {
      let asked = Hex.value(question.all[0]) << 4 | Hex.value(question.all[1])
      require(reading.service == asked, "a reading that nobody asked for")
    }
    if reading.signal.isLoaded { verify(reading, payload) }
  }

  func check(_ error: WireError, line: Span<UInt8>) {
    require(Int(error.offset) <= line.count, "an error points behind its line")
    errors += 1
  }

  func finish() {
    for index in 0..<messageCount {
      if messages[index].isBroken {
        require(errors > 0, "a broken message was no error")
      } else {
        require(messages[index].turn > 0, "a message was lost")
      }
    }
  }

  /// Checks the value of a reading by its bits, one by one.
  private func verify(_ reading: Reading, _ payload: UnsafeBufferPointer<UInt8>) {
    let number = Int(reading.signal.rawValue - SignalID.firstLoaded)
    require(number < definitionCount, "a signal that is not defined")
    let row = definitions[number]
    require(row.service == reading.service && row.identifier == reading.identifier, "a signal of another identifier")
    // The place of the data is known here only if the message has a single identifier.
    guard row.service != 0x01 else { return }
    let data = UnsafeBufferPointer(rebasing: payload[(row.service == 0x22 ? 3 : 2)...])
    let first = Int(row.bitOffset)
    let length = Int(row.bitLength)
    require(first + length <= data.count * 8, "a signal behind the end of its data")
    var raw: UInt64 = 0
    let isLittleEndian = row.encoding == .unsignedLittleEndian || row.encoding == .signedLittleEndian
    if isLittleEndian, first % 8 == 0, length % 8 == 0 {
      for byte in data[first / 8..<(first + length) / 8].reversed() { raw = raw << 8 | UInt64(byte) }
    } else {
      for bit in first..<first + length { raw = raw << 1 | UInt64(data[bit / 8] >> UInt8(7 - bit % 8) & 1) }
    }
    let isSigned = row.encoding == .signed || row.encoding == .signedLittleEndian
    var value = Double(raw)
    if isSigned, raw >> UInt64(length - 1) == 1 {
      value = Double(Int64(bitPattern: length == 64 ? raw : raw | ~0 << UInt64(length)))
    }
    require(reading.value == value, "a value that is not what its bits say")
  }
}
