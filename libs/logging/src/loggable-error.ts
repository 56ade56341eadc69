import { isAppError } from '@lateen/errors';
import { redactText } from '@lateen/kernel';

/** Deep enough for every chain we build; stops a cyclic `cause`. */
const causesMax = 8;

/** An error as data: `error` is its text and those of its causes that say something new, outermost first. */
export interface LoggableError {
  message: string;
  code?: string;
  nextStep?: string;
  causes?: string[];
  details?: unknown;
  stack?: string;
}

/** @param options.copy makes details loggable */
export function loggableError(
  error: Error,
  options: { withStack: boolean; copy: (details: unknown) => unknown },
): LoggableError {
  const chain = chainOf(error);
  const causes = chain
    .slice(1)
    .map((cause) => redactText(messageOf(cause)))
    .filter((text, at, all) => text !== '' && text !== error.message && all.indexOf(text) === at);
  const code = chain.map(codeOf).find((found) => found !== undefined);
  const nextStep = chain
    .map((one) => (isAppError(one) ? one.nextStep : undefined))
    .find((found) => found !== undefined);
  const details = isAppError(error) && Object.keys(error.details).length > 0 ? options.copy(error.details) : undefined;
  return {
    message: redactText(messageOf(error)),
    ...(code === undefined ? {} : { code }),
    ...(nextStep === undefined ? {} : { nextStep }),
    ...(causes.length === 0 ? {} : { causes }),
    ...(details === undefined ? {} : { details }),
    ...(options.withStack ? { stack: redactText(stackOf(chain)) } : {}),
  };
}

function chainOf(error: Error): unknown[] {
  const chain: unknown[] = [];
  for (let current: unknown = error; current !== undefined && current !== null && chain.length < causesMax; ) {
    chain.push(current);
    current = current instanceof Error ? current.cause : undefined;
  }
  return chain;
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  if (error instanceof Error) return error.message === '' ? error.name : error.message;
  return String(error);
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const stackOf = (chain: readonly unknown[]): string =>
  chain.map((one) => (one instanceof Error ? (one.stack ?? '') : '')).join('\ncaused by ');
