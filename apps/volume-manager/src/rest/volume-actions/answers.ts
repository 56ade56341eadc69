import {
  bareVolumeResource,
  collection,
  type Resource,
  snapshotCRResource,
  snapshotResource,
  type VolumeActionPlan,
  type VolumeActionSeen,
  volumeJobResources,
  volumeResource,
} from '@lateen/storage-rest';
import { missing } from '../routes/missing.ts';
import type { RestAnswer, RestCall, RestPorts } from '../serving/rest-call.ts';
import { activeEngineSnapshots } from './engine-snapshots.ts';

/** The answer after an action was carried out. `seen`: includes what the action has written. */
export function answerOf(plan: VolumeActionPlan, seen: VolumeActionSeen, call: RestCall, ports: RestPorts): RestAnswer {
  const { base } = call;
  switch (plan.answer) {
    case 'bare':
      return { body: bareVolumeResource(seen, base) };
    case 'full':
      return { body: volumeResource(seen, base) };
    case 'snapshot':
      return { body: oneSnapshot(plan.about ?? '', seen, base, ports) };
    case 'snapshots':
      return { body: collection('snapshot', snapshotsOf(seen, base, ports), base) };
    case 'snapshotCR':
      return { body: snapshotObject(plan.about ?? '', seen, base, ports) };
    case 'snapshotCRs':
      return {
        body: collection(
          'snapshotCR',
          seen.snapshots.map((one) => snapshotCRResource(one, base)),
          base,
        ),
      };
    case 'recurringJobs':
      return { body: collection('volumeRecurringJob', volumeJobResources(seen.volume, base), base) };
    case 'empty-resource':
      return { body: { id: '', type: 'empty', links: {}, actions: {} } };
    case 'no-body':
      return {};
    default:
      return plan.answer satisfies never;
  }
}

/** The checksum is in the Snapshot object, if there is one. */
function snapshotsOf(seen: VolumeActionSeen, base: string, { reader }: RestPorts): Resource[] {
  const all = activeEngineSnapshots(seen.volume.metadata.name ?? '', reader);
  return Object.entries(all).map(([name, snapshot]) =>
    snapshotResource(name, snapshot, reader.get('snapshots', name)?.status?.checksum ?? '', base),
  );
}

function oneSnapshot(name: string, seen: VolumeActionSeen, base: string, ports: RestPorts): Resource {
  const found = snapshotsOf(seen, base, ports).find(({ id }) => id === name);
  if (found === undefined) throw missing('snapshots', name);
  return found;
}

function snapshotObject(name: string, seen: VolumeActionSeen, base: string, { reader }: RestPorts): Resource {
  const found = reader.get('snapshots', name) ?? seen.snapshots.find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw missing('snapshots', name);
  return snapshotCRResource(found, base);
}
