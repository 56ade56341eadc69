import { type RestoreItemOutcome, restoreItemActs } from '@lateen/backup-store';
import { byteSize, plainLine } from '@lateen/errors';
import { age } from '@lateen/kernel';
import type { RestorePlan } from '@lateen/operations/restore';
import { plainTable } from '../../output/plain-table.ts';
import { restoredObjectText } from '../describe/describe-restore.ts';

/** The most lines that are useful as text; `-o json` has all objects. */
const shownMax = 10_000;

/**
 * The plan as text: the number of objects per outcome, volumes with their data, and the objects that are neither simply created
 * nor already as wanted.
 */
export function planLines({ backup, counts, objects }: RestorePlan, { details }: { details: boolean }): string[] {
  const summary = restoreItemActs.flatMap((act) => (counts[act] ? [`${counts[act]} ${act}`] : []));
  const wanted = objects.filter(({ act }) => details || (act !== 'create' && act !== 'unchanged'));
  const shown = wanted.slice(0, shownMax);
  const table = plainTable(['ACT', 'KIND', 'OBJECT', 'REASON', 'BY'], shown.map(cellsOf));
  return [
    `Restore of ${backup}: ${summary.join(', ') || 'no objects'}`,
    ...volumeLines(objects),
    ...(shown.length === 0 ? [] : ['', ...table]),
    ...(wanted.length > shown.length ? [`… and ${wanted.length - shown.length} more; -o json has all`] : []),
  ];
}

const cellsOf = (outcome: RestoreItemOutcome): string[] =>
  [outcome.act, outcome.kind, restoredObjectText(outcome), outcome.reason ?? '', outcome.by ?? ''].map(plainLine);

/** Volumes whose data is restored: the method, the amount and the expected time. */
function volumeLines(objects: readonly RestoreItemOutcome[]): string[] {
  const volumes = objects.flatMap(volumesOf);
  if (volumes.length === 0) return [];
  const rows = volumes.map(({ name, way, bytes, seconds }) => [
    plainLine(name),
    way,
    byteSize(bytes),
    seconds === undefined ? '' : `about ${age(seconds * 1_000)}`,
  ]);
  const all = volumes.reduce((sum, { bytes }) => sum + bytes, 0);
  return ['', ...plainTable(['VOLUME', 'WAY', 'DATA', 'EXPECTED'], [...rows, ['all', '', byteSize(all), '']])];
}

interface PlannedVolume {
  name: string;
  way: string;
  bytes: number;
  seconds: number | undefined;
}

function volumesOf(outcome: RestoreItemOutcome): PlannedVolume[] {
  const { volumeBytes: bytes, volumeSeconds: seconds, volumeWay: way = '', podVolumes = [] } = outcome;
  const name = restoredObjectText(outcome);
  const ofPod = podVolumes.map((each) => ({
    name: `${name}:${each.volume}`,
    way: 'PodVolumeRestore',
    bytes: each.bytes,
    seconds: each.seconds,
  }));
  return bytes === undefined ? ofPod : [{ name, way, bytes, seconds }, ...ofPod];
}
