/** A 3D model on a canvas: turned by pointer and keyboard, and measured between two points. */
import { GLTFLoader, OrbitControls, THREE } from "../lib/three.js";

/** The distance on the screen within which a click chooses the vertex instead of the surface, pixels. */
const snap = 10;

/** A point of the model: its position in metres, or in the file's unit, and its vertex if it is one. */
/** @typedef {{ position: any, vertex: number | null }} Point */

/** Shows a model. Pictures are only drawn when something has changed. */
export class ModelScene {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {(point: Point) => void} onPick a click chose a point
   */
  constructor(canvas, onPick) {
    this.canvas = canvas;
    this.onPick = onPick;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    const light = new THREE.DirectionalLight(0xffffff, 2);
    light.position.set(-0.5, 0.7, 1);
    this.camera.add(light);
    this.scene.add(this.camera, new THREE.HemisphereLight(0xffffff, 0x777777, 1.6));
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.draw());
    this.marks = new THREE.Group();
    this.scene.add(this.marks);
    /** @type {{ mesh: any, start: number, count: number }[]} */
    this.parts = [];
    /** The number of vertices. */
    this.count = 0;
    this.size = 1;
    this.frame = 0;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas.parentElement ?? canvas);
    canvas.addEventListener("pointerdown", this.press);
    canvas.addEventListener("pointerup", this.release);
    canvas.addEventListener("keydown", this.turn);
  }

  /**
   * @param {ArrayBuffer} data binary glTF
   */
  async load(data) {
    const loader = new GLTFLoader();
    // Textures are loaded as images: the content security policy allows no requests for addresses in memory.
    loader.register((/** @type {any} */ parser) => {
      parser.textureLoader = new THREE.TextureLoader(parser.options.manager);
      return { name: "images" };
    });
    const { scene } = await loader.parseAsync(data, "");
    this.model = scene;
    this.scene.add(scene);
    scene.updateMatrixWorld(true);
    scene.traverse((/** @type {any} */ mesh) => {
      const positions = mesh.geometry?.getAttribute("position");
      if (!positions) return;
      this.parts.push({ mesh, start: this.count, count: positions.count });
      this.count += positions.count;
    });
    const box = new THREE.Box3().setFromObject(scene);
    const middle = box.getCenter(new THREE.Vector3());
    this.size = Math.max(box.getSize(new THREE.Vector3()).length(), 1e-6);
    this.camera.near = this.size / 1000;
    this.camera.far = this.size * 100;
    this.camera.position.copy(middle).addScaledVector(new THREE.Vector3(0.55, 0.45, 0.75).normalize(), this.size * 1.5);
    this.controls.target.copy(middle);
    this.controls.update();
    this.resize();
  }

  resize() {
    const place = this.canvas.parentElement ?? this.canvas;
    const [width, height] = [Math.max(1, place.clientWidth), Math.max(1, place.clientHeight)];
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  draw() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.renderer.render(this.scene, this.camera);
    });
  }

  /**
   * The position of a vertex.
   * @param {number} vertex from 0
   */
  position(vertex) {
    const part = this.parts.find(({ start, count }) => vertex >= start && vertex < start + count);
    if (!part) return null;
    const position = new THREE.Vector3().fromBufferAttribute(part.mesh.geometry.getAttribute("position"), vertex - part.start);
    return position.applyMatrix4(part.mesh.matrixWorld);
  }

  /**
   * Shows marks at points, and a line between two of them.
   * @param {(Point | null)[]} points
   */
  mark(points) {
    this.marks.clear();
    const material = new THREE.MeshBasicMaterial({ color: 0xd8341f, depthTest: false });
    const found = points.filter(point => point !== null);
    for (const point of found) {
      const ball = new THREE.Mesh(new THREE.SphereGeometry(this.size / 120, 16, 12), material);
      ball.position.copy(point?.position);
      ball.renderOrder = 2;
      this.marks.add(ball);
    }
    if (found.length === 2) {
      const line = new THREE.BufferGeometry().setFromPoints(found.map(point => point?.position));
      this.marks.add(new THREE.Line(line, new THREE.LineBasicMaterial({ color: 0xd8341f, depthTest: false })));
    }
    this.draw();
  }

  press = (/** @type {PointerEvent} */ event) => { this.pressed = [event.clientX, event.clientY]; };

  release = (/** @type {PointerEvent} */ event) => {
    const [x, y] = this.pressed ?? [NaN, NaN];
    // A longer movement turned the model.
    if (Math.hypot(event.clientX - x, event.clientY - y) < 4) this.pick(event);
  };

  /** @param {PointerEvent} event */
  pick(event) {
    if (!this.model) return;
    const place = this.canvas.getBoundingClientRect();
    const screen = (/** @type {any} */ position) => {
      const { x, y } = position.clone().project(this.camera);
      return [place.left + (x + 1) / 2 * place.width, place.top + (1 - y) / 2 * place.height];
    };
    const ray = new THREE.Raycaster();
    ray.params.Points.threshold = this.size / 100;
    ray.setFromCamera(new THREE.Vector2((event.clientX - place.left) / place.width * 2 - 1, 1 - (event.clientY - place.top) / place.height * 2), this.camera);
    const [hit] = ray.intersectObject(this.model, true);
    if (!hit) return;
    const start = this.parts.find(({ mesh }) => mesh === hit.object)?.start ?? 0;
    const corners = hit.face ? [hit.face.a, hit.face.b, hit.face.c] : [hit.index];
    for (const corner of corners.map((/** @type {number} */ index) => start + index)) {
      const position = this.position(corner);
      if (!position) continue;
      const [x, y] = screen(position);
      if (!hit.face || Math.hypot(x - event.clientX, y - event.clientY) <= snap) return this.onPick({ position, vertex: corner });
    }
    this.onPick({ position: hit.point.clone(), vertex: null });
  }

  turn = (/** @type {KeyboardEvent} */ event) => {
    const offset = new THREE.Spherical().setFromVector3(this.camera.position.clone().sub(this.controls.target));
    switch (event.key) {
      case "ArrowLeft": offset.theta -= 0.15; break;
      case "ArrowRight": offset.theta += 0.15; break;
      case "ArrowUp": offset.phi -= 0.15; break;
      case "ArrowDown": offset.phi += 0.15; break;
      case "+": offset.radius /= 1.15; break;
      case "-": offset.radius *= 1.15; break;
      default: return;
    }
    event.preventDefault();
    offset.makeSafe();
    this.camera.position.setFromSpherical(offset).add(this.controls.target);
    this.controls.update();
    this.draw();
  };

  end() {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
  }
}
