extension AuthenticatorData {
  /// Performs the checks that are the same for a registration and for a sign-in.
  func check(_ relyingParty: RelyingParty) throws(PasskeyError) {
    guard ConstantTime.isEqual(relyingPartyHash, relyingParty.idHash) else { throw PasskeyError(.wrongRelyingParty) }
    guard flags.contains(.userPresent) else { throw PasskeyError(.userNotPresent) }
    guard flags.contains(.userVerified) else { throw PasskeyError(.userNotVerified) }
    guard !flags.contains(.backedUp) || flags.contains(.backupEligible) else {
      throw PasskeyError(.inconsistentFlags, "backed up, but not eligible")
    }
  }
}
