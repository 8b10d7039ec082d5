import FleetDomain
import FleetFiles
import ModelFiles

extension FileService {
  /// Extensions of glTF that need a decoder. The web app has no such decoder, and cannot show a model that uses one of
  /// these extensions.
  private static let missingExtensions: Set<String> = [
    "KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_texture_basisu",
  ]

  /// Checks a 3D model, and creates preview images and a copy that the web app can show.
  ///
  /// The server itself only checks the model. The sandbox does everything else. If the model is invalid, the file can
  /// still be downloaded, and its `problem` states the reason.
  func checkModel(
    _ file: inout StoredFile, _ format: ModelFormat, _ contents: any FileStore, _ tenant: TenantID
  ) async throws {
    guard let sha256 = file.sha256 else { return }
    let content = try await contents.open(sha256, tenant: tenant)
    let facts: ModelFacts
    do {
      facts = try await content.model(as: format)
    } catch let error as ModelError {
      file.problem = "not a valid \(format.rawValue.uppercased()) model: \(error.message)"
      return
    } catch FairTurns.Stop.tooLong {
      file.problem = "checking the model takes too long"
      return
    }
    var model = StoredFile.Model(facts)
    if let name = facts.requiredExtensions.first(where: Self.missingExtensions.contains) {
      file.problem = "the web app cannot show models with the extension \(name)"
    } else {
      model.isViewable = format == .glb
      try await addCopies(&file, &model, format, content, contents, tenant)
    }
    file.model = model
  }

  private func addCopies(
    _ file: inout StoredFile, _ model: inout StoredFile.Model, _ format: ModelFormat, _ content: any StoredContent,
    _ contents: any FileStore, _ tenant: TenantID
  ) async throws {
    guard let helper else {
      if format != .glb { file.problem = "this server does not convert models" }
      return
    }
    do {
      let made = try await helper.model(in: content, format)
      file.problem = made.problem
      for copy in made.copies {
        if copy.version.mediaType == ContentType.glb.rawValue {
          let facts = try ModelFacts(checking: ModelBytes(copy.bytes), as: .glb)
          model.add(converted: facts)
        }
        var version = copy.version
        version.sha256 = try await contents.store(copy.bytes, tenant: tenant)
        file.versions.append(version)
      }
    } catch let error as ImageHelper.Unusable {
      file.problem = error.reason
    } catch let error as ModelError {
      logger.error("models: the converter wrote an invalid model: \(error.message)")
      file.problem = "this server could not convert it"
    }
  }
}

extension StoredFile.Model {
  init(_ facts: ModelFacts) {
    self.init()
    format = facts.format.rawValue
    unit = facts.isMetric ? "m" : nil
    add(facts)
  }

  /// Adds facts about the converted model that are unknown for the original format.
  mutating func add(converted facts: ModelFacts) {
    isViewable = true
    add(facts)
  }

  private mutating func add(_ facts: ModelFacts) {
    vertices = vertices ?? facts.vertices.map { Int64($0) }
    triangles = triangles ?? facts.triangles.map { Int64($0) }
    materials = materials ?? facts.materials.map { Int64($0) }
    textures = textures ?? facts.textures.map { Int64($0) }
    if least == nil, !facts.box.isEmpty { (least, most) = (facts.box.least, facts.box.most) }
  }
}
