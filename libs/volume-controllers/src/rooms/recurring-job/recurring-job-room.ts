import { describeError } from '@lateen/errors';
import { eachAtOnce } from '@lateen/kernel';
import { keyOf, type ObjectKey } from '@lateen/kube';
import { eventSubject, watches } from '@lateen/kube-runtime';
import {
  type Backup,
  backupLabels,
  backupType,
  generationOf,
  type RecurringJob,
  recurringJobType,
  type Snapshot,
  snapshotType,
  storageAnnotations,
  type Volume,
} from '@lateen/storage-types';
import {
  decideRecurring,
  type JobStep,
  newBackup,
  newSnapshot,
  type RecurringSeen,
  type RecurringVolume,
  recurringRunOf,
  recurringRunText,
} from '@lateen/volume-decisions';
import { claimLabelsOf } from '../../frame/claim-labels.ts';
import type { Pass, Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { volumeOf } from '../../frame/volume-of.ts';
import { within } from '../../hosts/host-calls.ts';

/** Jobs processed in parallel. Each processes its own `concurrency` volumes. */
const workers = 4;

type JobPass = Pass<RecurringJob, RecurringSeen>;

/** The controller of RecurringJobs: it starts due runs, creates their objects, and deletes those of earlier runs. */
export function recurringJobRoom(context: RoomContext): Room<RecurringJob, RecurringSeen, JobStep> {
  const { caches, namespace, settings } = context;
  const jobOf = ({ spec }: Snapshot | Backup): ObjectKey[] => {
    const name = spec.labels?.[backupLabels.recurringJob];
    return name === undefined ? [] : [{ namespace, name }];
  };
  // Other jobs are checked when their next run is due.
  const goingOn = ({ metadata }: Volume): ObjectKey[] =>
    caches.recurringJobs
      .list()
      .filter((job) => recurringRunOf(job)?.going.includes(metadata.name ?? '') === true)
      .map(keyOf);
  return {
    name: 'recurring-job',
    type: recurringJobType,
    informer: caches.recurringJobs,
    ownership: 'RecurringJob',
    watches: [
      watches(caches.snapshots, ({ object }) => jobOf(object)),
      watches(caches.backups, ({ object }) => jobOf(object)),
      watches(caches.volumes, ({ object }) => goingOn(object)),
    ],
    workers,
    gather: (job) => ({
      job,
      run: recurringRunOf(job),
      volumes: caches.volumes.list().map((volume) => withWhatWasMade(context, volume)),
      settings: settings(),
    }),
    now: () => context.wall.now(),
    decide: decideRecurring,
    apply: async (step, pass) => {
      await apply(context, step, pass);
      return undefined;
    },
  };
}

function withWhatWasMade({ caches }: RoomContext, volume: Volume): RecurringVolume {
  const name = volume.metadata.name ?? '';
  const engine = caches.engines.byIndex('volume', name)[0];
  const claimLabels = claimLabelsOf({ caches }, volume);
  return {
    volume,
    snapshots: caches.snapshots.byIndex('volume', name),
    backups: caches.backups.byIndex('volume', name),
    ...(engine === undefined ? {} : { engine }),
    ...(claimLabels === undefined ? {} : { claimLabels }),
  };
}

async function apply(context: RoomContext, step: JobStep, pass: JobPass): Promise<void> {
  const { caches, namespace } = context;
  const { object, writes } = pass;
  switch (step.do) {
    case 'note-run':
      return await writes.change(recurringJobType, object, (job) => withRun(job, recurringRunText(step.run)));
    case 'create-snapshot': {
      const volume = volumeOf(caches, namespace, step.volume);
      return volume && (await writes.create(snapshotType, newSnapshot(volume, step)));
    }
    case 'create-backup': {
      const volume = volumeOf(caches, namespace, step.volume);
      return volume && (await writes.create(backupType, newBackup(volume, step)));
    }
    case 'delete-snapshot': {
      const snapshot = caches.snapshots.get({ namespace, name: step.name });
      return snapshot && (await writes.delete(snapshotType, snapshot));
    }
    case 'delete-backup': {
      const backup = caches.backups.get({ namespace, name: step.name });
      return backup && (await writes.delete(backupType, backup));
    }
    case 'trim':
      return await eachAtOnce(step.volumes, step.atOnce, (volume) => trim(context, volume, pass));
    default:
      return step satisfies never;
  }
}

const withRun = (job: RecurringJob, run: string): RecurringJob => ({
  ...job,
  metadata: {
    ...job.metadata,
    annotations: { ...job.metadata.annotations, [storageAnnotations.recurringRun]: run },
  },
});

/** Once for each run, even if it fails: the next run frees what this one did not. */
async function trim(context: RoomContext, volume: string, { object, signal }: JobPass): Promise<void> {
  const { caches, clock, events, hosts } = context;
  const engine = caches.engines.byIndex('volume', volume)[0];
  const generation = engine === undefined ? undefined : generationOf(engine);
  const name = engine?.metadata.name ?? '';
  const tell = (type: 'Normal' | 'Warning', reason: string, message: string) =>
    events.record(eventSubject(object), reason, message, { type });
  if (engine?.status?.currentState !== 'running' || generation === undefined)
    return tell('Warning', 'Skipped', `filesystem-trim of volume ${volume} is left out: it is not attached`);
  try {
    const host = hosts.host(engine.spec.nodeID ?? '', { kind: 'engine', name });
    const { freedBytes } = await within(clock, 'engine', signal, (call) =>
      host.engineTrim({ engine: name, generation }, call),
    );
    tell('Normal', 'Trimmed', `filesystem-trim of volume ${volume} has freed ${freedBytes} bytes`);
  } catch (error) {
    if (signal.aborted) throw error;
    tell('Warning', 'Failed', `filesystem-trim of volume ${volume} has failed: ${describeError(error)}`);
  }
}
