export const THREE: any;
export const GLTFLoader: any;
export const OrbitControls: any;
