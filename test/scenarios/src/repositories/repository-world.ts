import {
  type BackupRepository,
  type BackupStorageLocation,
  backupRepositoryType,
  type Deployment,
  type Job,
  jobType,
  type Pod,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { KubeApi, KubeObject } from '@lateen/kube';
import { type LocationControllersOptions, runLocationControllers } from '@lateen/locations';
import { endedKeptMs, jobLifetimes, type RepositoryTask, startRepositoryJob } from '@lateen/maintenance';
import {
  aBackupRepository,
  aBackupStorageLocation,
  aSecret,
  FakeClock,
  type FakeCluster,
  fakeCluster,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { type Mortality, mortalKube } from '../world/mortal-kube.ts';

export const namespace = 'velero';
export const secretValue = 'SECRET-OF-THE-STORE';
export const passwordValue = 'PASSWORD-OF-REPOSITORIES';

export const cloudSecret = () =>
  aSecret({
    name: 'cloud-credentials',
    namespace,
    values: { cloud: `[default]\naws_access_key_id=A\naws_secret_access_key=${secretValue}\n` },
  });
export const passwordSecret = (password = passwordValue) =>
  aSecret({ name: 'velero-repo-credentials', namespace, values: { 'repository-password': password } });

export const controllerDeployment: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'lateen-controller', namespace },
  spec: {
    selector: { matchLabels: { name: 'lateen-controller' } },
    template: {
      spec: { serviceAccountName: 'velero', containers: [{ name: 'lateen-controller', image: 'lateen:1' }] },
    },
  },
};

/** A Ready repository, by number. */
export const numbered = (at: number, parts: Parameters<typeof aBackupRepository>[0] = {}): BackupRepository =>
  aBackupRepository({
    ...parts,
    name: `ns-${at}-default-kopia`,
    spec: { volumeNamespace: `ns-${at}`, ...parts?.spec },
  });

interface Given {
  objects?: readonly KubeObject[];
  settings?: Partial<LocationControllersOptions>;
  /** Namespaces with a repository in the bucket; default: all that are looked for. */
  inBucket?: () => readonly string[] | undefined;
  /** The format object of the repository of a namespace; default: a valid one. Undefined: there is none. */
  format?: (volumeNamespace: string) => string | undefined | Promise<never>;
  open?: (repository: BackupRepository, location: BackupStorageLocation) => Promise<object>;
  /** How a Job ends; default: it succeeds after a minute. Undefined: it does not end. */
  jobEnd?: (job: Job) => JobEnd | undefined;
}

export interface JobEnd {
  afterMs: number;
  failure?: string;
}

export const soundFormat = (volumeNamespace: string) => JSON.stringify({ uniqueID: `id-of-${volumeNamespace}` });

/** A controller process on a cluster of its own; `restart` starts another one when it is dead. */
export async function repositoryWorld(given: Given = {}) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const objects = given.objects ?? [aBackupStorageLocation(), cloudSecret(), passwordSecret()];
  const cluster = fakeCluster({ clock, objects: [controllerDeployment, ...objects] });
  const log = recordingLog();
  const counts = { opened: 0, listed: 0, formats: 0, stores: 0, closed: 0, openNow: 0, openMost: 0 };
  const events: { reason: string; message: string; kind: string }[] = [];
  const endJobs = jobsEnd(cluster, clock, given.jobEnd ?? (() => ({ afterMs: 60_000 })));
  /** The running processes. */
  let lives: { stop: AbortController; done: Promise<void> }[] = [];
  let generation = 0;

  const start = (kube: KubeApi = cluster) => {
    const stop = new AbortController();
    generation += 1;
    const all = () => cluster.look(backupRepositoryType).map(({ spec }) => spec.volumeNamespace);
    const options: LocationControllersOptions = {
      kube,
      namespace,
      clock,
      random: seededRandom(7 + generation),
      log,
      tell: (subject, reason, message) => events.push({ reason, message, kind: subject.kind }),
      listAccountKey: async () => undefined,
      openStore: (() => {
        counts.stores += 1;
        return {
          listCommonPrefixes: async (prefix: string) => {
            if (!/(kopia|restic)\/$/.test(prefix)) return ['kopia'];
            counts.listed += 1;
            return [...(given.inBucket?.() ?? all())];
          },
          read: async function* (key: string) {
            counts.formats += 1;
            const text = await (given.format ?? soundFormat)(key.split('/').at(-2) ?? '');
            if (text === undefined) throw new AppError('OBJECT_NOT_FOUND', `there is no ${key}`);
            yield Buffer.from(text);
          },
          close: async () => {
            counts.closed += 1;
          },
        };
      }) as unknown as LocationControllersOptions['openStore'],
      openRepository: async (repository, location) => {
        counts.opened += 1;
        counts.openNow += 1;
        counts.openMost = Math.max(counts.openMost, counts.openNow);
        try {
          return (await given.open?.(repository, location)) ?? {};
        } finally {
          counts.openNow -= 1;
        }
      },
      ...given.settings,
    };
    lives.push({ stop, done: runLocationControllers(options, stop.signal) });
    return stop;
  };
  const end = async () => {
    for (const { stop } of lives) stop.abort(new Error('the test is over'));
    await Promise.all(lives.map(({ done }) => done));
    lives = [];
  };
  return {
    clock,
    cluster,
    log,
    counts,
    events,
    start,
    end,
    /** A process that dies at its n-th write. */
    startMortal: (life: Omit<Mortality, 'die'>) => {
      const mortal: Mortality = {
        ...life,
        die: () => {
          mortal.dead = true;
          stop.abort(new Error('the process is killed'));
        },
      };
      const stop = start(mortalKube(cluster, mortal));
      return mortal;
    },
    /** Starts a task as the command line does: from the state of the cluster alone. */
    asPerson: async (task: RepositoryTask, name = 'app-default-kopia') => {
      const { signal } = new AbortController();
      const repository = await cluster.get(backupRepositoryType, { namespace, name });
      const { items: others } = await cluster.list(jobType, { namespace });
      const { deadlineMs } = jobLifetimes[task.operation];
      return startRepositoryJob(
        { kube: cluster, clock },
        {
          repository,
          deployment: controllerDeployment,
          task,
          others,
          mayBeMade: false,
          atMs: clock.now(),
          deadlineMs,
          keptMs: endedKeptMs,
        },
        signal,
      );
    },
    repository: (name = 'app-default-kopia') => cluster.find(backupRepositoryType, { namespace, name }),
    jobs: () => cluster.all(jobType, namespace),
    endJobs,
    /** Everything that users can read. */
    said: () => JSON.stringify([log.lines, events, cluster.everything().filter(({ kind }) => kind !== 'Secret')]),
  };
}

/** The Job controller: starts Jobs, ends them in time, and writes the message of a pod that failed. */
function jobsEnd(cluster: FakeCluster, clock: FakeClock, plan: (job: Job) => JobEnd | undefined) {
  const ended = { most: 0, now: 0, total: 0 };
  cluster.onChange(({ type, object }) => {
    if (type !== 'ADDED' || object.kind !== 'Job') return;
    const job = structuredClone(object) as unknown as Job;
    const key = { namespace, name: job.metadata.name ?? '' };
    ended.now += 1;
    ended.most = Math.max(ended.most, ended.now);
    const at = () => new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const startTime = at();
    queueMicrotask(() => {
      if (cluster.find(jobType, key) !== undefined) {
        const begun = plan(job) === undefined ? {} : { ready: 1 };
        cluster.change(jobType, key, (each) => (each.status = { startTime, active: 1, ...begun }));
      }
    });
    const end = plan(job);
    if (end === undefined) return;
    void clock.sleep(end.afterMs).then(() => {
      ended.now -= 1;
      ended.total += 1;
      if (cluster.find(jobType, key) === undefined) return;
      if (end.failure !== undefined) cluster.put(failedPod(key.name, end.failure));
      const condition = end.failure === undefined ? 'Complete' : 'Failed';
      cluster.change(jobType, key, (each) => {
        each.status = { startTime, conditions: [{ type: condition, status: 'True', lastTransitionTime: at() }] };
      });
    });
  });
  return ended;
}

const failedPod = (job: string, message: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `${job}-x`, namespace, labels: { 'job-name': job } },
  spec: { containers: [] },
  status: {
    phase: 'Failed',
    containerStatuses: [{ name: 'velero-repo-maintenance-container', state: { terminated: { exitCode: 1, message } } }],
  },
});
