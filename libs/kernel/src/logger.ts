/** From the most detailed level to the least. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** `text` is logrus' form, as Velero logs by default; `json` is one document per line. */
export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

/** Values that accompany a constant message. Errors go under `err`. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The logger that libraries receive; the adapter is pino (`libs/logging`). The message is a constant, variable values are in the fields, and a child
 * is bound once per key.
 */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(fields: LogFields): Logger;
}

/** Drops everything. For tests and for callers who have no log. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
};
