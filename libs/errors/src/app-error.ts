/**
 * What a caller may do about an error.
 * - `soon`: the same call may succeed at once or after a short backoff (connection reset, conflict).
 * - `later`: something outside has to change first, and will without a person (not ready yet, throttled).
 * - `never`: repeating the call cannot help; a person or another object has to change.
 */
export type RetryFate = 'soon' | 'later' | 'never';

export interface AppErrorOptions {
  retry?: RetryFate;
  cause?: unknown;
  /** What the reader can do about it, one sentence. Printed after the message by {@link describeError}. */
  nextStep?: string;
  /** Facts for logs. Never put a secret here: details are logged. */
  details?: Readonly<Record<string, unknown>>;
}

const brand = Symbol.for('lateen.dev/AppError');

/**
 * The one error class of this project. Told apart by `code`, never by message text.
 * `name` is set by hand because bundlers rename classes, and the brand makes the check work when two copies
 * of this module meet in one process.
 */
export class AppError extends Error {
  readonly [brand] = true;
  readonly code: string;
  readonly retry: RetryFate;
  readonly nextStep: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.retry = options.retry ?? 'never';
    this.nextStep = options.nextStep;
    this.details = options.details ?? {};
  }
}

/** True for an {@link AppError}, of the given code if one is given. */
export function isAppError(error: unknown, code?: string): error is AppError {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false;
  return code === undefined || (error as AppError).code === code;
}
