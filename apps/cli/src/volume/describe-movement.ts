import { annotations, attemptOf, type ChangedBlocksRead, type CoreEvent, type Pod } from '@lateen/api-types';
import { byteSize, plainLine } from '@lateen/errors';
import { age } from '@lateen/kernel';
import { kindOf, type Movement, movementRow, timeMs } from '@lateen/operations/volume';
import { eventTable } from '../describe/event-table.ts';
import { plainTable } from '../output/plain-table.ts';
import {
  differencesText,
  filesText,
  limitAdvice,
  limitText,
  ratesText,
  readerText,
} from '../output/throughput-text.ts';

export interface Described {
  movement: Movement;
  /** The data mover's pod, while there is one. */
  pod: Pod | undefined;
  events: readonly CoreEvent[];
}

/** The description as JSON: the objects unchanged, and the figures that the text shows. */
export function movementAsJson({ movement, pod, events }: Described, nowMs: number): Record<string, unknown> {
  const { bytesDone, totalBytes, bytesPerSecond, leftMs, throughput } = movementRow(movement, nowMs);
  const limit = limitText(throughput);
  return {
    movement,
    progress: {
      bytesDone,
      totalBytes,
      ...(bytesPerSecond === undefined ? {} : { bytesPerSecond: Math.round(bytesPerSecond) }),
      ...(leftMs === undefined ? {} : { leftMilliseconds: Math.round(leftMs) }),
      ...throughput,
    },
    ...(limit === '' ? {} : { limit: { text: limit, advice: limitAdvice(throughput) } }),
    ...(pod === undefined ? {} : { pod }),
    events,
  };
}

/** The whole description of a movement, as text; lines. @param phase how the phase is written */
export function describeMovement({ movement, pod, events }: Described, nowMs: number, phase: string): string[] {
  const row = movementRow(movement, nowMs);
  const { metadata, spec, status } = movement;
  const kind = kindOf(movement);
  return [
    ...fields([
      ['Name', row.name],
      ['Namespace', metadata.namespace ?? ''],
      ['Kind', row.kind],
      ['Labels', pairs(metadata.labels)],
      ['Volume', row.volume],
      ['Claim', kind.claimOf(movement) ?? ''],
      ['Storage location', row.location],
      ['Phase', phase],
      ['Message', row.message],
      ['Attempt', attemptsText(movement)],
      ['Canceled', spec.cancel === true ? 'asked for' : ''],
      ['Node', row.node],
      ['Pod', podText(pod)],
      ['Snapshot', kind.snapshotOf(movement) ?? ''],
      ['Data mover config', pairs(kind.settingsOf(movement))],
    ]),
    '',
    'Progress:',
    ...fields(
      [
        [
          'Done',
          row.totalBytes > 0 || row.bytesDone > 0 ? `${byteSize(row.bytesDone)} of ${byteSize(row.totalBytes)}` : '',
        ],
        ['New since the upload before', incrementalText(movement)],
        ...readRows(kind.changedBlocksOf(movement)),
        ['Files', filesText(row.throughput)],
        ['Rate', ratesText({ ...row.throughput, ...row })],
        ['Time left', row.leftMs === undefined ? '' : age(row.leftMs)],
        ['Limited by', limitText(row.throughput)],
        ['What helps', limitAdvice(row.throughput)],
        ['Read by', readerText(row.throughput)],
        ['Volume', differencesText(row.throughput)],
      ],
      'nothing yet',
    ),
    '',
    'Times:',
    ...plainTable(
      ['STEP', 'AT', 'AFTER'],
      stepsOf(metadata.creationTimestamp, status).map((step) => [step.name, step.at, step.after]),
    ).map(indented),
    '',
    ...(events.length === 0 ? ['Events: none'] : ['Events:', ...eventTable(events, nowMs).map(indented)]),
  ];
}

const indented = (line: string): string => `  ${line}`;

/** `Name:  value`, aligned; fields without a value are left out. */
function fields(rows: readonly [string, string][], otherwise?: string): string[] {
  const shown = rows.filter(([, value]) => value !== '');
  if (shown.length === 0 && otherwise !== undefined) return [indented(otherwise)];
  const width = Math.max(...shown.map(([name]) => name.length)) + 1;
  const indent = otherwise === undefined ? '' : '  ';
  return shown.map(([name, value]) => `${indent}${`${name}:`.padEnd(width)}  ${value}`);
}

function pairs(record: Readonly<Record<string, string>> | null | undefined): string {
  return Object.entries(record ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

function attemptsText(movement: Movement): string {
  const next = movement.metadata.annotations?.[annotations.nextAttemptAt];
  const attempts = attemptOf(movement);
  if (attempts === 1 && next === undefined) return '';
  return next === undefined ? String(attempts) : `${attempts}, not before ${next}`;
}

/** Phase, node, and the reason for which a container waits or has ended. */
function podText(pod: Pod | undefined): string {
  if (pod === undefined) return '';
  const { state = {} } = pod.status?.containerStatuses?.[0] ?? {};
  const detail = state.waiting?.reason ?? state.terminated?.reason;
  const node = pod.spec.nodeName === undefined ? 'no node yet' : `on ${pod.spec.nodeName}`;
  return `${pod.metadata.name} ${pod.status?.phase ?? 'Pending'}, ${node}${detail === undefined ? '' : `, ${detail}`}`;
}

function incrementalText(movement: Movement): string {
  const bytes = kindOf(movement).incrementalBytesOf(movement);
  return bytes === undefined ? '' : byteSize(bytes);
}

/** How much of the volume was read, of an upload that asked which blocks have changed. */
function readRows({
  readBytes,
  changedBytes,
  uploadedBytes,
  verifiedBytes,
  differsAt,
  fullReadReason,
}: ChangedBlocksRead = {}): [string, string][] {
  const size = (bytes: number | undefined): string => (bytes === undefined ? '' : byteSize(bytes));
  return [
    ['Read', size(readBytes)],
    ['Changed', size(changedBytes)],
    ['Uploaded', size(uploadedBytes)],
    ['Verified', size(verifiedBytes)],
    ['Verification', differsAt === undefined ? '' : `FAILED: the base differs from offset ${differsAt} on`],
    ['Read as a whole', plainLine(fullReadReason ?? '')],
  ];
}

/** The timestamps of the API, each with the time since the previous one. */
function stepsOf(created: string | null | undefined, status: Movement['status']) {
  const known: [string, string | null | undefined][] = [
    ['created', created],
    ['accepted', status?.acceptedTimestamp],
    ['started', status?.startTimestamp],
    ['ended', status?.completionTimestamp],
  ];
  let beforeMs: number | undefined;
  return known.flatMap(([name, timestamp]) => {
    const ms = timeMs(timestamp);
    if (ms === undefined) return [];
    const after = beforeMs === undefined ? '' : age(ms - beforeMs);
    beforeMs = ms;
    return [{ name, at: timestamp ?? '', after }];
  });
}
