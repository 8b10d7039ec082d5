extension Money {
  /// Whether a text is the code of a currency in ISO 4217: a present one, or one that was withdrawn since 1999. Old
  /// entries that are imported may have withdrawn currencies.
  public static func isCurrency(_ code: String) -> Bool { currencies.contains(code) }

  /// Returns the number of decimals of the smallest unit of a currency: for example 2 for `EUR` (0.01), and 0 for
  /// `JPY`. Returns 2 for currencies that ISO 4217 does not list.
  public static func decimals(of code: String) -> Int {
    if withoutDecimals.contains(code) { return 0 }
    return withThreeDecimals.contains(code) ? 3 : withFourDecimals.contains(code) ? 4 : 2
  }

  private static let withoutDecimals: Set<String> = [
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF",
    "XPF",
  ]
  private static let withThreeDecimals: Set<String> = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]
  private static let withFourDecimals: Set<String> = ["CLF", "UYW"]

  private static let currencies = Set((present + " " + withdrawn).split { $0.isWhitespace }.map(String.init))

  /// The codes of list one of ISO 4217, without metals, units of account and codes for tests.
  private static let present = """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF
    CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD
    HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD
    MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN
    PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD
    TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
    """

  /// The codes of list three of ISO 4217 that were withdrawn since 1999.
  private static let withdrawn = """
    ANG ATS AZM BEF BGN BYB BYR CSD CUC CYP DEM EEK ESP FIM FRF GHC GRD HRK IEP ITL LTL LUF LVL MGF MRO MTL MZM NLG
    PTE ROL SDD SIT SKK SLL SRG STD TMM TRL VEB VEF YUM ZMK ZWD ZWL ZWN ZWR
    """
}
