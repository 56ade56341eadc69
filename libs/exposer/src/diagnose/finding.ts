/** Why something does not progress, and what the user can do about it. */
export interface Finding {
  /** One clause, without a full stop at its end. */
  cause: string;
  /** One sentence; absent when nothing better is known than the cause. */
  nextStep?: string | undefined;
}

/** The API server keeps 1,024 bytes of an Event's message; a longer cause only repeats itself. */
const causeLengthMax = 1_024;

/** The text for status.message, after the colon. */
export function findingText({ cause, nextStep }: Finding): string {
  const clause = oneLine(cause);
  return nextStep === undefined ? clause : `${clause}. ${nextStep}`;
}

/** On one line, without a full stop at the end, bounded. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().replace(/\.+$/, '');
  return line.length <= causeLengthMax ? line : `${line.slice(0, causeLengthMax - 1)}…`;
}

/** ": text", or nothing when there is none. */
export function detail(text: string | undefined): string {
  return text === undefined || text.trim() === '' ? '' : `: ${oneLine(text)}`;
}

/** `namespace/name`, or only the name of an object without a namespace. */
export function nameOf(object: { metadata: { namespace?: string; name?: string } }): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? `${name}` : `${namespace}/${name}`;
}
