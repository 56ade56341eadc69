import { byteSize, plainLine } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import type { ExplainedVolume, Finding } from '@lateen/operations/storage';
import { eventTable } from '../../describe/event-table.ts';
import { metadataLines } from '../../describe/metadata-section.ts';
import { fields, indented, orNone, page, section } from '../../output/description.ts';
import { plainTable } from '../../output/plain-table.ts';
import { progressBar } from '../../output/progress-bar.ts';
import { sizeText } from '../cells.ts';
import { claimText } from './volume-columns.ts';

const barWidth = 16;

/** The whole description of a volume, as text: problems come first. */
export function describeVolume(explained: ExplainedVolume): string {
  const { volume, findings, nowMs, events, waitsFor } = explained;
  return page([
    metadataLines(volume),
    stateLines(explained),
    section('Findings', findings.flatMap(findingLines), 'none, all is as it should be'),
    waitsFor === undefined ? [] : [`Manager waits for:  ${plainLine(waitsFor)}`],
    section('Replicas', replicaLines(explained)),
    section('Tickets', ticketLines(explained), 'none, no client requests an attachment'),
    spaceLines(explained),
    settingLines(explained),
    section('Events', events.length === 0 ? [] : eventTable(events, nowMs)),
  ]);
}

function stateLines({ volume, engine }: ExplainedVolume): string[] {
  const { status = {}, spec } = volume;
  const { state = 'new', robustness = 'unknown', currentNodeID = '' } = status;
  const { workloadsStatus } = status.kubernetesStatus ?? {};
  const pods = (workloadsStatus ?? []).map(({ podName, podStatus }) => `${podName} (${podStatus})`);
  return fields([
    ['State', currentNodeID === '' ? state : `${state} to ${currentNodeID}`],
    ['Robustness', robustness],
    ['Size', sizeText(spec.size)],
    ['Device', orNone(engine?.status?.endpoint)],
    ['Claim', orNone(claimText(volume))],
    ['Pods', orNone(pods.join(', '))],
    ['Manager', orNone(status.ownerID)],
    ['Last Backup', orNone([status.lastBackup, status.lastBackupAt].filter(Boolean).join(' at '))],
  ]);
}

function findingLines({ weight, text, details = [], next }: Finding): string[] {
  const mark = weight === 'trouble' ? '!' : '-';
  return [
    `${mark} ${plainLine(text)}`,
    ...indented(details.map(plainLine), 4),
    ...(next === undefined ? [] : indented([`Next: ${plainLine(next)}`], 4)),
  ];
}

function replicaLines({ standings }: ExplainedVolume): string[] {
  if (standings.length === 0) return [];
  const rows = standings.map(({ name, node, disk, state, progressPercent, leaves }) => [
    name,
    node,
    disk,
    leaves ? `${state}, leaves` : state,
    progressPercent === undefined ? '' : progressBar(progressPercent, 100, barWidth),
  ]);
  return plainTable(['NAME', 'NODE', 'DISK', 'STATE', 'REBUILD'], rows);
}

function ticketLines({ attachment }: ExplainedVolume): string[] {
  const tickets = Object.entries(attachment?.spec.attachmentTickets ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  if (tickets.length === 0) return [];
  const rows = tickets.map(([id, { type = '', nodeID = '', parameters }]) => [
    id,
    type,
    nodeID,
    parameters?.disableFrontend === 'true' ? 'no device' : 'device',
    attachment?.status?.attachmentTicketStatuses?.[id]?.satisfied === true ? 'yes' : 'no',
  ]);
  return plainTable(['ID', 'FROM', 'NODE', 'WANTS', 'SATISFIED'], rows);
}

function spaceLines({ space, standings }: ExplainedVolume): string[] {
  const { actualBytes, headBytes, kept, removed } = space;
  const sum = (parts: readonly { bytes: number }[]) => parts.reduce((total, { bytes }) => total + bytes, 0);
  const lines = fields([
    ['Each replica', byteSize(actualBytes)],
    ['All replicas', byteSize(actualBytes * standings.length)],
    ['Head', byteSize(headBytes)],
    ['Snapshots', `${byteSize(sum(kept))} in ${kept.length}`],
    ['Removed, not merged yet', `${byteSize(sum(removed))} in ${removed.length}`],
  ]);
  const why = removed.map(({ name, bytes, why: reason }) => `${name}, ${byteSize(bytes)}: ${plainLine(reason)}`);
  return section('Space', [...lines, ...indented(why)]);
}

function settingLines({ volume: { spec }, engine }: ExplainedVolume): string[] {
  return section(
    'Settings',
    fields([
      ['Replicas', String(spec.numberOfReplicas ?? '')],
      ['Data Locality', orNone(spec.dataLocality)],
      ['Access Mode', orNone(spec.accessMode)],
      ['Node Selector', orNone(spec.nodeSelector?.join(', '))],
      ['Disk Selector', orNone(spec.diskSelector?.join(', '))],
      ['Stale Replica Timeout', durationText((spec.staleReplicaTimeout ?? 0) * 60_000)],
      ['Backup Target', orNone(spec.backupTargetName)],
      ['Image', orNone(spec.image)],
      ['Engine', orNone(engine?.metadata.name)],
    ]),
  );
}

/** The description as JSON: the objects unchanged, and the conclusions from them. */
export function volumeAsJson(explained: ExplainedVolume): Record<string, unknown> {
  const { volume, engine, replicas, attachment, snapshots, events, findings, standings, space, waitsFor } = explained;
  return {
    volume,
    findings,
    ...(waitsFor === undefined ? {} : { managerWaitsFor: waitsFor }),
    replicaStates: standings,
    space,
    ...(engine === undefined ? {} : { engine }),
    replicas,
    ...(attachment === undefined ? {} : { attachment }),
    snapshots,
    events,
  };
}
