import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { AppError, describeError, isAppError, type RetryFate } from '@lateen/errors';
import { detailsCharactersMax, toWireError, type WireError } from './status-codes.ts';

/** The trailer that carries an AppError; `-bin` has grpc-js send bytes. */
const trailer = 'lateen-error-bin';

interface WholeError {
  code: string;
  message: string;
  retry: RetryFate;
  nextStep?: string | undefined;
}

/** The status of an error, and for an AppError the rest of it as a trailer. Its `details` stay here: they are for our log. */
export function withWholeError(error: unknown): WireError & { metadata?: Metadata } {
  const wire = toWireError(error);
  if (!isAppError(error)) return wire;
  const { code, retry, nextStep } = error;
  const whole: WholeError = { code, retry, message: messageOf(error), nextStep: nextStep?.slice(0, nextStepMax) };
  const metadata = new Metadata();
  metadata.set(trailer, Buffer.from(JSON.stringify(whole)));
  return { ...wire, metadata };
}

const nextStepMax = 500;

/** The message with its causes, without the next step, which travels by itself. */
function messageOf({ code, message, cause }: AppError): string {
  return describeError(new AppError(code, message, { cause })).slice(0, detailsCharactersMax);
}

/** The AppError that the other side threw, when it sent one. Never throws: the other side may be of another version. */
export function wholeErrorOf(error: ServiceError): AppError | undefined {
  const [sent] = error.metadata?.get(trailer) ?? [];
  if (!Buffer.isBuffer(sent)) return undefined;
  const whole = parsed(sent.toString());
  if (whole === undefined) return undefined;
  const { code, message, retry, nextStep } = whole;
  return new AppError(code, message, { retry, cause: error, ...(nextStep === undefined ? {} : { nextStep }) });
}

const fates: readonly RetryFate[] = ['soon', 'later', 'never'];

function parsed(text: string): WholeError | undefined {
  let value: Partial<Record<keyof WholeError, unknown>> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { code, message, retry, nextStep } = value ?? {};
  if (typeof code !== 'string' || code === '' || typeof message !== 'string') return undefined;
  return {
    code,
    message,
    retry: fates.find((fate) => fate === retry) ?? 'never',
    nextStep: typeof nextStep === 'string' ? nextStep : undefined,
  };
}
