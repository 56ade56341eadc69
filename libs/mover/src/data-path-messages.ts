import { dataPathReasons } from '@lateen/api-types';
import type { BackupResult, DataPathProgress, RestoreResult } from '@lateen/datapath';
import type { DataPathSubject } from './data-path-subject.ts';

/** One Event: reason and message exactly as data-movement.md section 7 has them. */
export interface DataPathEvent {
  reason: string;
  message: string;
  /** Normal when absent. */
  type?: 'Warning';
}

const event = (reason: string, message: string): DataPathEvent => ({ reason, message });

export const startedEvent = (name: string) => event(dataPathReasons.started, `Data path for ${name} started`);

export const stoppedEvent = (name: string, started: boolean) =>
  event(dataPathReasons.stopped, `Data path for ${name} ${started ? 'stopped' : 'exited without start'}`);

/** Zero is left out, as Velero's encoder does. */
export const progressEvent = ({ totalBytes, doneBytes, totalFiles, doneFiles, limitedBy }: DataPathProgress) => {
  const figures = Object.entries({ totalBytes, doneBytes, totalFiles, doneFiles, limitedBy });
  return event(dataPathReasons.progress, JSON.stringify(Object.fromEntries(figures.filter(([, value]) => value))));
};

export const completedEvent = (text: string) => event(dataPathReasons.completed, text);

/** Of the Data-Path-Completed Event and the termination message: both have to hold it whole. */
export function resultText(result: BackupResult | RestoreResult): string {
  const cutTo = (bytesMax: number) => (text: string) => cutMiddle(text, bytesMax);
  if ('target' in result) {
    const report = result.report && withText(result.report, 'reason', cutTo(reasonBytesMax));
    return JSON.stringify({ ...result, ...(report === undefined ? {} : { report }) });
  }
  const readReport = result.readReport && withText(result.readReport, 'fullReadReason', cutTo(additionBytesMax));
  const cut = withText(result, 'warning', cutTo(additionBytesMax));
  return JSON.stringify({ ...cut, ...(readReport === undefined ? {} : { readReport }) });
}

function withText<T extends object>(object: T, key: keyof T, change: (text: string) => string): T {
  const text = object[key];
  return typeof text === 'string' ? { ...object, [key]: change(text) } : object;
}

/** Something that a person should know of a data path that goes well; the message may be long, so its middle goes. */
export const warningEvent = (text: string): DataPathEvent => ({
  ...event(dataPathReasons.warning, cutMiddle(text, eventMessageBytesMax)),
  type: 'Warning',
});

export const failedEvent = (subject: DataPathSubject, name: string, error: string) =>
  event(dataPathReasons.failed, `Data path for ${subject.words} ${name} failed, error ${error}`);

export const cancelingEvent = (subject: DataPathSubject, name: string) =>
  event(dataPathReasons.canceling, `Canceling for ${subject.words} ${name}`);

export const canceledEvent = (subject: DataPathSubject, name: string) =>
  event(dataPathReasons.canceled, `Data path for ${subject.words} ${name} canceled`);

/** Leaves room for what is beside it in a message of 1024 bytes, also when half of it has to be escaped. */
const additionBytesMax = 300;
/** The same beside a report, which has more figures than the result of a backup. */
const reasonBytesMax = 250;

/** Kubernetes refuses longer ones (events.k8s.io `note`). */
const eventMessageBytesMax = 1024;

/** kubelet keeps 4096 bytes and drops the rest, and with it the ending words; so we cut in the middle, ourselves. */
export const terminationBytesMax = 4096;

/** The termination message of a data path that did not complete. */
export function failureText(subject: DataPathSubject, name: string, error: string): string {
  const text = `Failed to run data path service for ${subject.inMessage} ${name}: ${error}`;
  return cutMiddle(text, terminationBytesMax);
}

function cutMiddle(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  const gap = ' … ';
  const half = Math.floor((bytesMax - Buffer.byteLength(gap)) / 2);
  // A character cut in two decodes to U+FFFD (3 bytes for up to 3 bytes); dropped, so that the result cannot grow.
  const decode = (part: Buffer) => part.toString('utf8').replaceAll('�', '');
  return decode(bytes.subarray(0, half)) + gap + decode(bytes.subarray(bytes.length - half));
}
