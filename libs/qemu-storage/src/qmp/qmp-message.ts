import { AppError } from '@lateen/errors';

export interface QemuVersion {
  readonly major: number;
  readonly minor: number;
  readonly micro: number;
  /** Of the distribution; empty when built from source. */
  readonly package: string;
}

export interface QmpEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type QmpMessage =
  | { kind: 'greeting'; version: QemuVersion }
  | { kind: 'event'; event: QmpEvent }
  | { kind: 'answer'; id: number; value: unknown }
  /** `id` is absent when the daemon could not read the command at all. */
  | { kind: 'refusal'; id: number | undefined; class: string; description: string };

/** Reads one line of the protocol. @throws QMP_PROTOCOL for what is none of the four kinds of message */
export function readMessage(line: string): QmpMessage {
  const fields = parseObject(line);
  if (fields !== undefined) {
    if (typeof fields.event === 'string')
      return { kind: 'event', event: { event: fields.event, data: of(fields.data) } };
    if ('QMP' in fields) return { kind: 'greeting', version: versionOf(of(fields.QMP).version) };
    const id = typeof fields.id === 'number' ? fields.id : undefined;
    if ('error' in fields) {
      const error = of(fields.error);
      return { kind: 'refusal', id, class: text(error.class), description: text(error.desc) };
    }
    if ('return' in fields && id !== undefined) return { kind: 'answer', id, value: fields.return };
  }
  throw new AppError('QMP_PROTOCOL', 'the storage daemon sent a line that is not a message of its protocol', {
    details: { lineBegin: line.slice(0, lineShownMax) },
  });
}

/** Enough to see what it is. Answers hold no secret but the names of exports, and those stand further behind. */
const lineShownMax = 40;

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const of = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const count = (value: unknown): number => (typeof value === 'number' ? value : 0);

function versionOf(value: unknown): QemuVersion {
  const version = of(value);
  const { major, minor, micro } = of(version.qemu);
  return { major: count(major), minor: count(minor), micro: count(micro), package: text(version.package) };
}
