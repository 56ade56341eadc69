/** Why something does not go on, and what the reader can do about it. */
export interface Finding {
  /** One clause, without a full stop at its end. */
  cause: string;
  /** One sentence; absent when nothing better is known than the cause. */
  nextStep?: string | undefined;
}

/** The API server keeps 1,024 bytes of an Event's message; more of any cause is repetition. */
const causeLengthMax = 1_024;

/** As it stands in status.message, after the colon. */
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

/** `namespace/name`, or the name of what has no namespace. */
export function nameOf(object: { metadata: { namespace?: string; name?: string } }): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? `${name}` : `${namespace}/${name}`;
}
