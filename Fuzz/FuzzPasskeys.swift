// Fuzzes what authenticators, browsers and OpenID providers send, with any bytes: CBOR items, authenticator data, client
// data, public keys, and tokens.
//
// The first byte of an input selects what the rest is. For any bytes: nothing traps; an error is within the bytes; an item
// that was read has only one encoding, up to the order of its members, so that its encoding is as long as the bytes and
// gives the same item; client data are valid for one challenge, operation and origin only; a key that was read is the
// same after it was stored; no token is accepted without the signature of a key.

import Crypto
import FleetDomain

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPasskeys(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  let input = Array(UnsafeBufferPointer(start: start + 1, count: size - 1))
  switch start[0] & 7 {
  case 0, 1: readItem(input)
  case 2: readData(input)
  // A fixed head, so that most inputs reach the data after it.
  case 3: readData(Array(repeating: 0x5A, count: 32) + [0xC5, 0, 0, 0, 9] + input)
  case 4: readClientData(input)
  case 5: readKey(input)
  case 6: readToken(String(decoding: input, as: UTF8.self))
  // The input is split into header, content and signature. Therefore, most inputs pass the check of the form.
  default:
    let parts = input.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
    readToken(parts.map { Base64URL.text(Array($0)) }.joined(separator: "."))
  }
  return 0
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

// MARK: Client data

private func isValid(
  _ bytes: [UInt8], _ operation: ClientData.Operation = .get, challenge: [UInt8] = [1, 2, 3],
  origin: String = "https://a.bc"
) -> Bool {
  do throws(PasskeyError) {
    let site = RelyingParty(id: "a.bc", origins: [origin])
    let data = try ClientData(checking: bytes, operation, challenge: challenge, site)
    require(data.hash == Array(SHA256.hash(data: bytes)), "a hash of other bytes")
    return true
  } catch {
    return false
  }
}

private func readClientData(_ bytes: [UInt8]) {
  guard isValid(bytes) else { return }
  require(!isValid(bytes, .create), "client data of two operations")
  require(!isValid(bytes, challenge: [1, 2, 4]), "client data of two challenges")
  require(!isValid(bytes, origin: "https://a.bd"), "client data of two origins")
}

// MARK: Keys

private func readKey(_ bytes: [UInt8]) {
  do throws(CBORError) {
    verifyKey(try CBORReader.item(bytes))
  } catch {}
  // A key whose numbers are the bytes, repeated to the right length.
  guard let kind = bytes.first else { return }
  func number(_ count: Int) -> CBOR { .bytes((0..<count).map { bytes[$0 % bytes.count] }) }
  let members: [CBOR.Key: CBOR] =
    switch kind % 3 {
    case 0:
      [
        .integer(1): .unsigned(2), .integer(3): .negative(6), .integer(-1): .unsigned(1), .integer(-2): number(32),
        .integer(-3): number(32),
      ]
    case 1:
      [.integer(1): .unsigned(1), .integer(3): .negative(7), .integer(-1): .unsigned(6), .integer(-2): number(32)]
    default:
      [.integer(1): .unsigned(3), .integer(3): .negative(256), .integer(-1): number(256), .integer(-2): number(3)]
    }
  do throws(CBORError) {
    verifyKey(try CBORReader.item(encode(.map(members))))
  } catch {
    require(false, "an encoded key is refused")
  }
}

private func verifyKey(_ item: CBOR) {
  let key: PasskeyPublicKey
  do throws(PasskeyError) {
    key = try PasskeyPublicKey(item)
  } catch {
    require(error.kind == .unsupportedKey, "an error of another kind")
    return
  }
  require(PasskeyPublicKey.algorithms.contains(key.algorithm), "a key of another algorithm")
  require(PasskeyPublicKey(stored: key.stored) == key, "a stored key is another one")
  require(!key.isValid([], for: [1]), "a signature without bytes")
}

// MARK: Tokens

/// The provider's key: the base point of the curve P-256 (FIPS 186-4, D.1.2.3).
private let keys: OpenIDKeys? = try? OpenIDKeys(
  .object([
    "keys": .array([
      .object([
        "kty": .text("EC"), "crv": .text("P-256"), "kid": .text("k"),
        "x": .text("axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY"),
        "y": .text("T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"),
      ])
    ])
  ]))

private func readToken(_ text: String) {
  guard let keys else { fatalError("no key") }
  let token: JSONWebToken
  do throws(OpenIDError) {
    token = try JSONWebToken(text)
  } catch {
    require([.malformed, .wrongAlgorithm].contains(error.kind), "an error of another kind")
    return
  }
  require(text.utf8.count <= JSONWebToken.longest, "a token that is too long")
  require(text.utf8.count { $0 == UInt8(ascii: ".") } == 2, "a token of another number of parts")
  guard case .object = token.content else { fatalError("content that is no object") }
  do throws(OpenIDError) {
    _ = try token.verify(keys)
    require(false, "a token without the key's signature")
  } catch {
    require([.unknownKey, .wrongAlgorithm, .wrongSignature].contains(error.kind), "an error of another kind")
    require(error.kind != .wrongSignature || token.algorithm == "ES256", "an algorithm that is not the key's")
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
