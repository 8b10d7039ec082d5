/// Words that people and programs in several languages use for energies, expenses and services.
enum ImportWords {
  /// Returns the energy that a name contains; `nil` if it is unknown.
  static func energy(_ text: String) -> FuelEntry.Energy? {
    let words: [(FuelEntry.Energy, [String])] = [
      (.adBlue, ["adblue", "ad blue", "diesel exhaust fluid"]),
      (.diesel, ["diesel", "gasóleo", "gasoleo", "gasoil", "gazole", "gasolio", "дизель"]),
      (.lpg, ["lpg", "glp", "gpl", "autogas", "propane", "gas lpg"]),
      (.cng, ["cng", "gnv", "gnc", "metano", "erdgas"]),
      (.electric, ["elec", "eléc", "elét", "elek", "strom", "kwh"]),
      (
        .petrol,
        [
          "gas. ", "gasol", "petrol", "benzin", "super", "essence", "unleaded", "regular", "premium", "midgrade",
          "mid-grade", "бензин", "e10",
        ]
      ),
    ]
    let name = text.lowercased()
    return words.first { $0.1.contains { name.contains($0) } }?.0
  }

  /// Returns the category of an expense; `other` if no text has a known word.
  static func category(_ texts: [String?]) -> Expense.Category {
    let words: [(Expense.Category, [String])] = [
      (.parking, ["park", "estacion"]), (.toll, ["toll", "maut", "peaje", "pedágio", "pedaggio", "péage"]),
      (.fine, ["fine", "ticket", "multa", "strafe", "amende"]),
      (.insurance, ["insur", "versicher", "segur", "assicur"]),
      (.tax, ["tax", "steuer", "bollo", "impuesto", "imposto", "registration"]), (.lease, ["leas"]),
      (.wash, ["wash", "wäsche", "lavad", "lavag"]),
    ]
    return first(of: texts, words) ?? .other
  }

  /// Returns the built-in type of a service; `other` if no text has a known word.
  static func serviceType(_ texts: [String?]) -> String {
    let words: [(String, [String])] = [
      (
        "oilChange",
        ["oil", "öl", "ölwechsel", "motoröl", "óleo", "oleo", "aceite", "olio", "huile", "vidange", "масл"]
      ),
      (
        "brakeService", ["brake", "brems", "freio", "freno", "freni", "frein", "тормоз"]
      ),
      (
        "tireRotation",
        ["tire rotation", "tyre rotation", "rotate tire", "rotate tyre", "rodízio de pneus", "rotación de"]
      ),
      (
        "inspection",
        ["inspe", "inspi", "mot", "hauptuntersuchung", "tüv", "revisão", "revisión", "revisione", "tagliando", "itv"]
      ),
      ("repair", ["repair", "reparat", "reparo", "reparac", "riparazione", "réparation", "ремонт"]),
    ]
    return first(of: texts, words) ?? "other"
  }

  /// Returns the first value for which one of its words occurs in the texts; `nil` if no word occurs. Words of up to
  /// three letters must occur as whole words.
  private static func first<Value>(of texts: [String?], _ words: [(Value, [String])]) -> Value? {
    let text = texts.compactMap { $0?.lowercased() }.joined(separator: " ")
    let whole = Set(text.split { !$0.isLetter }.map(String.init))
    return words.first { $0.1.contains { $0.count <= 3 ? whole.contains($0) : text.contains($0) } }?.0
  }
}
