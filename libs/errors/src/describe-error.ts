import { isAppError } from './app-error.ts';

/** Deep enough for every chain we build; stops a cyclic `cause` from looping. */
const causesMax = 8;

/**
 * One line for people: the message, then each cause whose text is not already in it, then the next step.
 * Safe for status messages and Events as far as the messages are; nothing is redacted here.
 */
export function describeError(error: unknown): string {
  let text = '';
  let nextStep: string | undefined;
  let current: unknown = error;
  for (let depth = 0; current !== undefined && current !== null && depth < causesMax; depth++) {
    const message = messageOf(current);
    if (message !== '' && !text.includes(message)) text = text === '' ? message : `${text}: ${message}`;
    nextStep ??= isAppError(current) ? current.nextStep : undefined;
    current = current instanceof Error ? current.cause : undefined;
  }
  if (text === '') text = 'unknown error';
  // What others say may end in a full stop of its own.
  return nextStep === undefined ? text : `${text.replace(/[.\s]+$/, '')}. ${nextStep}`;
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  if (error instanceof Error) return error.message === '' ? error.name : error.message;
  return String(error);
}
