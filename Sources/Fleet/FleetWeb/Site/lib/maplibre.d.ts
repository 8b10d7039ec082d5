declare const maplibregl: any;
export default maplibregl;
