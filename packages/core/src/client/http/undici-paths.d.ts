// The types for the imports of undici-parts.ts, because undici has types only for its main module.
declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici";
}

declare module "undici/lib/api/api-request.js" {
  import type { Client, Dispatcher } from "undici";

  export default function request(this: Client, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
}
