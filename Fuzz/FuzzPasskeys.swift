// Fuzzes what authenticators send: CBOR items and authenticator data, with any bytes.
//
// The first byte of an input selects what the rest is: an item, authenticator data, or both flags that precede attested
// data and extensions. For any bytes: nothing traps; an error is within the bytes; an item that was read has only one
// encoding, up to the order of its members, so that its encoding is as long as the bytes and gives the same item.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPasskeys(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  let input = Array(UnsafeBufferPointer(start: start + 1, count: size - 1))
  switch start[0] & 3 {
  case 0, 1: readItem(input)
  case 2: readData(input)
  // A fixed head, so that most inputs reach the data behind it.
  default: readData(Array(repeating: 0x5A, count: 32) + [0xC5, 0, 0, 0, 9] + input)
  }
  return 0
}

/// Reports a broken rule and ends the program. A release build would not report a failed precondition.
@inline(__always)
private func require(_ condition: Bool, _ what: StaticString) {
  if !condition { fatalError("\(what)") }
}

private func readItem(_ bytes: [UInt8]) {
  do throws(CBORError) {
    verify(try CBORReader.item(bytes), count: bytes.count)
  } catch {
    require((0...bytes.count).contains(error.offset), "an error behind the bytes")
  }
  // Items in the middle of other bytes: the reader continues exactly behind them.
  var reader = CBORReader(bytes[...])
  do throws(CBORError) {
    while reader.position < bytes.count {
      let before = reader.position
      let item = try reader.next()
      require(reader.position > before, "an item without bytes")
      verify(item, count: reader.position - before)
    }
  } catch {
    require((0...bytes.count).contains(error.offset), "an error behind the bytes")
  }
}

private func verify(_ item: CBOR, count: Int) {
  let encoded = encode(item)
  require(encoded.count == count, "an item that has two encodings")
  do throws(CBORError) {
    require(try CBORReader.item(encoded) == item, "an encoded item is another one")
  } catch {
    require(false, "an encoded item is refused")
  }
}

private func readData(_ bytes: [UInt8]) {
  do throws(PasskeyError) {
    let data = try AuthenticatorData(parsing: bytes)
    require(bytes.count >= 37, "data without a head")
    require(data.credential == nil || data.flags.contains(.attestedCredential), "a credential that the flags lack")
    guard let credential = data.credential else { return }
    require((1...AuthenticatorData.maximumIdCount).contains(credential.id.count), "an id of a wrong length")
    require(bytes[55..<(55 + credential.id.count)].elementsEqual(credential.id), "an id of other bytes")
    require(credential.aaguid.elementsEqual(bytes[37..<53]), "a model of other bytes")
  } catch {
    require(error.kind == .malformedAuthenticatorData || error.kind == .wrongCredential, "an error of another kind")
  }
}

// MARK: An encoder that shares nothing with the reader

private func encode(_ item: CBOR) -> [UInt8] {
  switch item {
  case .unsigned(let number): return head(0, number)
  case .negative(let number): return head(1, number)
  case .bytes(let bytes): return head(2, UInt64(bytes.count)) + bytes
  case .text(let text): return head(3, UInt64(text.utf8.count)) + Array(text.utf8)
  case .array(let items): return items.reduce(head(4, UInt64(items.count))) { $0 + encode($1) }
  case .map(let members):
    var bytes = head(5, UInt64(members.count))
    for (key, value) in members {
      switch key {
      case .integer(let number): bytes += number < 0 ? head(1, UInt64(-1 - number)) : head(0, UInt64(number))
      case .text(let text): bytes += encode(.text(text))
      }
      bytes += encode(value)
    }
    return bytes
  case .bool(let flag): return [flag ? 0xF5 : 0xF4]
  case .null: return [0xF6]
  }
}

private func head(_ major: UInt8, _ number: UInt64) -> [UInt8] {
  switch number {
  case 0..<24: [major << 5 | UInt8(number)]
  case 24...0xFF: [major << 5 | 24, UInt8(number)]
  case 0x100...0xFFFF: [major << 5 | 25] + bigEndian(number, 2)
  case 0x1_0000...0xFFFF_FFFF: [major << 5 | 26] + bigEndian(number, 4)
  default: [major << 5 | 27] + bigEndian(number, 8)
  }
}

private func bigEndian(_ number: UInt64, _ width: Int) -> [UInt8] {
  (0..<width).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (width - 1 - $0))) }
}
