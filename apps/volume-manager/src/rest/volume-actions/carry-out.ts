import { activeEngine, refused, type VolumeActionSeen, type VolumeIntent } from '@lateen/storage-rest';
import { int64Of, type Volume, type VolumeAttachmentObject } from '@lateen/storage-types';
import { withSalvageRequest } from '@lateen/volume-decisions';
import type { RestPorts } from '../serving/rest-call.ts';
import { createObject, deleteObject, updateObject } from '../writing/write-object.ts';
import { createPv, createPvc } from './claims.ts';
import { newBackup, newSnapshot } from './new-objects-of-volume.ts';
import { changedAttachment } from './tickets.ts';
import type { EngineAtWork, VolumeWork } from './volume-work.ts';
import { snapshotTaken } from './wait-for-snapshot.ts';

/** What the action has changed in the volume. */
export interface CarriedOut {
  readonly volume?: Volume;
  readonly attachment?: VolumeAttachmentObject;
}

/**
 * Carries out the plan of an action; every write is an update of the object that the plan was decided on.
 * @throws KUBE_CONFLICT when one of them has changed since; REST_REFUSED for what this manager cannot do
 */
export async function carryOut(
  intent: VolumeIntent,
  seen: VolumeActionSeen,
  ports: RestPorts,
  signal: AbortSignal,
): Promise<CarriedOut> {
  const { volume } = seen;
  const setSpec = async (spec: Partial<Volume['spec']>) => ({
    volume: await updateObject(ports, 'volumes', { ...volume, spec: { ...volume.spec, ...spec } }, signal),
  });
  switch (intent.do) {
    case 'nothing':
      return {};
    case 'put-ticket':
    case 'drop-tickets':
      return changeTickets(intent, seen, ports, signal);
    case 'set-spec':
      return setSpec(intent.spec);
    case 'set-labels':
      return setLabels(volume, intent.labels, ports, signal);
    case 'cancel-expansion':
      return setSpec({ size: sizeBefore(seen) });
    case 'salvage':
      return askForSalvage(intent.replicas, seen, ports, signal);
    case 'delete-replica':
      await deleteOf(seen.replicas, intent.replica, 'replicas', ports, signal);
      return {};
    case 'delete-snapshot-object':
      await deleteOf(seen.snapshots, intent.name, 'snapshots', ports, signal);
      return {};
    case 'take-snapshot':
      await createObject(ports, 'snapshots', newSnapshot(volume, intent), signal);
      if (intent.wait) await snapshotTaken(volume, intent.name, ports, signal);
      return {};
    case 'back-up':
      await createObject(ports, 'backups', newBackup(volume, intent, seen.uuid), signal);
      return {};
    case 'create-pv':
      await createPv(volume, intent, ports, signal);
      return {};
    case 'create-pvc':
      await createPvc(volume, intent, ports, signal);
      return {};
    case 'remove-snapshot':
    case 'revert':
    case 'purge-snapshots':
    case 'trim-filesystem':
      await atHost(intent, seen, ports, signal);
      return {};
    default:
      return intent satisfies never;
  }
}

async function changeTickets(
  intent: Parameters<typeof changedAttachment>[2],
  { volume, attachment }: VolumeActionSeen,
  ports: RestPorts,
  signal: AbortSignal,
): Promise<CarriedOut> {
  const changed = changedAttachment(attachment, volume, intent);
  if (changed === undefined) return {};
  const write = attachment === undefined ? createObject : updateObject;
  return { attachment: await write(ports, 'attachments', changed, signal) };
}

/** The volume controller does it: nothing else clears failures. The request covers the failures that the replicas have now. */
async function askForSalvage(
  names: readonly string[],
  seen: VolumeActionSeen,
  ports: RestPorts,
  signal: AbortSignal,
): Promise<CarriedOut> {
  const asking = withSalvageRequest(seen, names);
  return asking === undefined ? {} : { volume: await updateObject(ports, 'volumes', asking, signal) };
}

async function setLabels(
  volume: Volume,
  labels: Readonly<Record<string, string | null>>,
  ports: RestPorts,
  signal: AbortSignal,
): Promise<CarriedOut> {
  const all = Object.entries({ ...volume.metadata.labels, ...labels });
  const kept = all.filter((entry): entry is [string, string] => entry[1] !== null);
  const metadata = { ...volume.metadata, labels: Object.fromEntries(kept) };
  return { volume: await updateObject(ports, 'volumes', { ...volume, metadata }, signal) };
}

/** The size that the engine serves now: an expansion that has not taken effect is reset to it. @throws REST_REFUSED */
function sizeBefore({ volume, engines }: VolumeActionSeen): string {
  const name = volume.metadata.name ?? '';
  const engine = activeEngine(engines);
  const served = engine?.status?.currentSize ?? '';
  const servedBytes = int64Of(served);
  if (volume.status?.expansionRequired !== true) throw refused(`volume expansion is not started for volume ${name}`);
  if (servedBytes === undefined || servedBytes === 0n || servedBytes >= (int64Of(volume.spec.size) ?? 0n))
    throw refused(`cannot cancel expansion for volume ${name}: the engine already serves its size`);
  // The engine's objects are larger already, and some replicas may be too.
  if ((int64Of(engine?.spec.volumeSize) ?? 0n) > servedBytes)
    throw refused(
      `cannot cancel expansion for volume ${name}: its engine has been told to grow to ${engine?.spec.volumeSize} bytes`,
    );
  return served;
}

async function deleteOf<K extends 'replicas' | 'snapshots'>(
  list: VolumeActionSeen[K],
  name: string,
  kind: K,
  ports: RestPorts,
  signal: AbortSignal,
): Promise<void> {
  const object = list.find(({ metadata }) => metadata.name === name);
  if (object !== undefined) await deleteObject(ports, kind, object as never, signal);
}

type HostIntent = Extract<VolumeIntent, { do: 'remove-snapshot' | 'revert' | 'purge-snapshots' | 'trim-filesystem' }>;

/** A snapshot with an object is deleted through the object; all other work goes to the engine's host. */
async function atHost(intent: HostIntent, seen: VolumeActionSeen, ports: RestPorts, signal: AbortSignal) {
  if (intent.do === 'remove-snapshot' && seen.snapshots.some(({ metadata }) => metadata.name === intent.name))
    return deleteOf(seen.snapshots, intent.name, 'snapshots', ports, signal);
  const { work } = ports;
  if (work === undefined) throw refused(notYet(intent.do.replaceAll('-', ' '), 'wait for a version that has it'));
  const engine = activeEngine(seen.engines);
  const request: EngineAtWork = {
    volume: seen.volume.metadata.name ?? '',
    engine: engine?.metadata.name ?? '',
    node: engine?.spec.nodeID ?? '',
    signal,
  };
  return askHost(intent, request, work);
}

function askHost(intent: HostIntent, request: EngineAtWork, work: VolumeWork): Promise<void> {
  switch (intent.do) {
    case 'remove-snapshot':
      return work.removeSnapshot({ ...request, snapshot: intent.name });
    case 'revert':
      return work.revert({ ...request, snapshot: intent.snapshot });
    case 'purge-snapshots':
      return work.purge(request);
    case 'trim-filesystem':
      return work.trim(request);
    default:
      return intent satisfies never;
  }
}

const notYet = (what: string, instead: string): string =>
  `${what} is not carried out by this volume manager yet: ${instead}`;
