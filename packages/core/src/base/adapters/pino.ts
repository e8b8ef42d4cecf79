// A Log that writes through pino. Our Log takes the message first and the fields second; pino takes the fields first.
import type { Logger } from "pino";
import type { Log, LogFields } from "../log.ts";

export function pinoLog(logger: Logger): Log {
  return {
    debug: (message, fields) => logger.debug(forPino(fields), message),
    info: (message, fields) => logger.info(forPino(fields), message),
    warn: (message, fields) => logger.warn(forPino(fields), message),
    error: (message, fields) => logger.error(forPino(fields), message),
    with: (fields) => pinoLog(logger.child(forPino(fields))),
  };
}

// pino prints the stack, the message and the cause of an error only if the error is under the key "err".
function forPino(fields: LogFields = {}): LogFields {
  const { error, ...rest } = fields;
  return error === undefined || "err" in rest ? fields : { ...rest, err: error };
}
