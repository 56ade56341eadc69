import { AppError, isAppError, type RetryFate } from '@lateen/errors';

/** As many causes as an error's description tells. */
const causesMax = 8;

/** An error as plain data: structured clone keeps neither the brand of an AppError nor the code of a system error. */
export interface SentError {
  name: string;
  message: string;
  stack?: string | undefined;
  /** Of an AppError, or of the system (`ENOSPC`). */
  code?: string | undefined;
  /** Only an AppError has it. */
  retry?: RetryFate | undefined;
  nextStep?: string | undefined;
  details?: Readonly<Record<string, unknown>> | undefined;
  cause?: SentError | undefined;
}

/** For `postMessage`. Details that cannot be cloned are left out. */
export function sendable(error: unknown, depth = 1): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack } = error;
  const cause = error.cause === undefined || depth >= causesMax ? undefined : sendable(error.cause, depth + 1);
  if (!isAppError(error)) return { name, message, stack, code: systemCode(error), cause };
  const { code, retry, nextStep } = error;
  return { name, message, stack, code, retry, nextStep, details: cloneable(error.details), cause };
}

/** What `sendable` was given, as far as it could be sent: an AppError again, or an Error with its code. */
export function received(sent: SentError): Error {
  const cause = sent.cause === undefined ? undefined : received(sent.cause);
  const error =
    sent.retry === undefined || sent.code === undefined
      ? Object.assign(new Error(sent.message, { cause }), sent.code === undefined ? {} : { code: sent.code })
      : new AppError(sent.code, sent.message, {
          retry: sent.retry,
          cause,
          ...(sent.nextStep === undefined ? {} : { nextStep: sent.nextStep }),
          ...(sent.details === undefined ? {} : { details: sent.details }),
        });
  error.name = sent.name;
  if (sent.stack !== undefined) error.stack = sent.stack;
  return error;
}

function systemCode(error: Error): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : undefined;
}

function cloneable(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  try {
    return structuredClone(details);
  } catch {
    return undefined;
  }
}
