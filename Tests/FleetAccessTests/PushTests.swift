import Crypto
import FleetDomain
import Telemetry
import Testing

@testable import FleetAccess

@Suite struct PushTests {
  /// The example of RFC 8291, section 5 and appendix A.
  @Test func a_message_is_encrypted_as_in_rfc_8291() throws {
    let encryption = try #require(
      PushEncryption(
        key: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth: "BTBZMqHH6r4Tts7J_aSIgg"))
    let sender = try P256.KeyAgreement.PrivateKey(
      rawRepresentation: try #require(Base64URL.bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")))
    let salt = try #require(Base64URL.bytes("DGv6ra1nlYgDCS1FRnbzlw"))
    let sealed = try #require(
      encryption.seal(Array("When I grow up, I want to be a watermelon".utf8), sender: sender, salt: salt))
    #expect(
      Base64URL.text(sealed)
        == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
  }

  @Test func keys_that_are_not_of_a_browser_are_rejected() {
    let (key, auth) = (
      "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      "BTBZMqHH6r4Tts7J_aSIgg"
    )
    #expect(PushEncryption(key: key, auth: auth) != nil)
    // A point that is not on the curve.
    let wrong = key.dropLast(2) + "iw"
    for (key, auth) in [(String(wrong), auth), ("", auth), (key, ""), (key, "BTBZMqHH6r4Tts7J_aSI"), ("?", "?")] {
      #expect(PushEncryption(key: key, auth: auth) == nil)
    }
  }

  @Test func a_message_that_push_services_may_reject_is_not_encrypted() throws {
    let encryption = try #require(
      PushEncryption(
        key: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth: "BTBZMqHH6r4Tts7J_aSIgg"))
    let longest = try #require(encryption.seal([UInt8](repeating: 7, count: PushEncryption.longest)))
    #expect(longest.count == PushEncryption.longest + 103 && longest.count <= 4_096)
    #expect(encryption.seal([UInt8](repeating: 7, count: PushEncryption.longest + 1)) == nil)
  }

  @Test func the_token_names_the_push_service_and_ends_within_a_day() throws {
    let signer = try #require(PushSigner(PushSigner().secret))
    let now = Timestamp(nanoseconds: 1_795_442_709_000_000_000)
    let text = try #require(
      signer.authorization(for: "https://push.example:8443/send/1?x=2", contact: "mailto:a@b.example", at: now))
    let parts = text.split(separator: ", k=")
    let token = parts[0].dropFirst("vapid t=".count).split(separator: ".")
    #expect(parts.count == 2 && String(parts[1]) == signer.publicKey && token.count == 3)
    let claims = try JSON(parsing: try #require(Base64URL.bytes(String(token[1]))))
    #expect(claims["aud"] == .text("https://push.example:8443") && claims["sub"] == .text("mailto:a@b.example"))
    #expect(claims["exp"] == .integer(1_795_442_709 + 43_200))
    let key = try P256.Signing.PublicKey(x963Representation: try #require(Base64URL.bytes(signer.publicKey)))
    let signature = try P256.Signing.ECDSASignature(
      rawRepresentation: try #require(Base64URL.bytes(String(token[2]))))
    #expect(key.isValidSignature(signature, for: Array("\(token[0]).\(token[1])".utf8)))
    #expect(signer.authorization(for: "ftp://push.example/", contact: nil, at: now) == nil)
  }
}
