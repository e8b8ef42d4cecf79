// This package's own version; a test holds it against package.json.
export const kubeloopVersion = "0.0.0";
