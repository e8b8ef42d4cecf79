// The HTTPS endpoints of the manager and who may read them. Start with secure-serving.ts.
export { newSecureServing, type SecureServing, type SecureServingOptions } from "./secure-serving.ts";
