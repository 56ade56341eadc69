import { type Deployment, jobType, type KubeObject, podType } from '@lateen/api-types';
import { type OperationEnd, type OperationReport, reportLine, terminationText } from '@lateen/maintenance';
import {
  aBackupRepository,
  aBackupStorageLocation,
  aConfigMap,
  FakeClock,
  fakeCluster,
  type JobProgram,
  jobActor,
  type RunningJob,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../program.ts';
import { failureOf } from '../report-failure.ts';

const GiB = 1024 ** 3;
const MiB = 1024 ** 2;

function controller(args: string[] = []): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'lateen-controller', namespace: 'velero' },
    spec: {
      selector: { matchLabels: { name: 'lateen-controller' } },
      template: {
        spec: {
          serviceAccountName: 'velero',
          containers: [
            { name: 'lateen-controller', image: 'localhost/lateen:dev', command: ['lateen-controller'], args },
          ],
        },
      },
    },
  };
}

const restic = aBackupRepository({
  name: 'mail-default-restic',
  spec: { volumeNamespace: 'mail', repositoryType: 'restic' },
});
const installation: KubeObject[] = [controller(), aBackupStorageLocation(), aBackupRepository(), restic];

interface Options {
  objects?: KubeObject[];
  program?: JobProgram;
  isTTY?: boolean;
}

function setUp({ objects = installation, program, isTTY = false }: Options = {}) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects });
  const stop = new AbortController();
  const [written, remarks]: [string[], string[]] = [[], []];
  if (program !== undefined) jobActor(cluster, program);
  const context = {
    clock,
    random: seededRandom(),
    stdout: { write: (text: string) => written.push(text) },
    stderr: { isTTY, write: (text: string) => remarks.push(text) },
    signal: stop.signal,
    connect: () => Promise.resolve(Object.assign(cluster, { stream: cluster.podLogs.stream.bind(cluster.podLogs) })),
  };
  const start = (...words: string[]) => {
    const running = buildProgram(context, {}).parseAsync(['repo', ...words], { from: 'user' });
    let ended = false;
    running
      .catch(() => {})
      .finally(() => {
        ended = true;
      });
    return { running, hasEnded: () => ended };
  };
  const run = async (...words: string[]): Promise<string> => {
    const { running, hasEnded } = start(...words);
    await clock.advanceUntil(hasEnded, { withinMs: 3_600_000 });
    await running;
    return written.join('');
  };
  return { clock, cluster, run, start, stop, output: () => written.join(''), remarks: () => remarks.join('') };
}

/** The last line of `repo-maintenance`, in its log and as termination message. */
function ends(job: RunningJob, end: Partial<OperationEnd>) {
  const operation = job.args[0] as OperationEnd['operation'];
  const repository = /--repo-name=(.*)/.exec(job.args[1] ?? '')?.[1] ?? '';
  const whole = { operation, repository, durationMs: 12_000, ...end } as OperationEnd;
  job.write(reportLine({ report: 'end', ...whole } as OperationReport));
  return { exitCode: whole.succeeded ? 0 : 1, terminationMessage: terminationText(whole) };
}

const succeeds =
  (result: object): JobProgram =>
  (job) =>
    ends(job, { succeeded: true, result } as Partial<OperationEnd>);

const whole = { engine: 'kopia', readDataPercent: 0, problems: [], problemCount: 0, snapshots: 1200, contents: 34_000 };

const nothingLeft = ({ cluster }: ReturnType<typeof setUp>) => {
  expect(cluster.all(jobType)).toEqual([]);
  expect(cluster.all(podType)).toEqual([]);
};

describe('lateen repo check', () => {
  it('runs a Job like the controller’s pods, prints the result and cleans up', async () => {
    const seen: RunningJob[] = [];
    const world = setUp({
      program: (job) => {
        seen.push(job);
        return succeeds(whole)(job);
      },
    });
    expect(await world.run('check', 'app-default-kopia')).toBe(
      'app-default-kopia: no damage found (1,200 snapshots, 34,000 pieces of data, structure only; 12s)\n',
    );
    const [{ job, args } = {} as RunningJob] = seen;
    expect(args).toEqual(['check', '--repo-name=app-default-kopia', '--read-data-percent=0', '--output=json']);
    expect(job?.spec.template.spec).toMatchObject({
      serviceAccountName: 'velero',
      restartPolicy: 'Never',
      containers: [{ image: 'localhost/lateen:dev', command: ['repo-maintenance'] }],
    });
    expect(job?.spec).toMatchObject({ activeDeadlineSeconds: 1800, ttlSecondsAfterFinished: 3600 });
    nothingLeft(world);
  });

  it.each([
    [['--repo-maintenance-job-configmap', 'jobs']],
    [['--log-level=info', '--repo-maintenance-job-configmap=jobs']],
  ])('gives the Job the settings of the ConfigMap for the controller’s own Jobs: %j', async (args) => {
    const podResources = { memoryRequest: '64Mi', memoryLimit: '1Gi' };
    const data = { global: JSON.stringify({ podResources, priorityClassName: 'low' }) };
    const objects = [controller(args), aBackupRepository(), aConfigMap({ name: 'jobs', data })];
    const specs: unknown[] = [];
    const world = setUp({
      objects,
      program: (job) => {
        specs.push(job.job.spec.template.spec);
        return succeeds(whole)(job);
      },
    });
    await world.run('check', 'app-default-kopia');
    expect(specs).toMatchObject([
      {
        priorityClassName: 'low',
        containers: [{ resources: { requests: { memory: '64Mi' }, limits: { memory: '1Gi' } } }],
      },
    ]);
  });

  it.each([
    [['--read-data'], 100],
    [['--read-data=7'], 7],
    [['--read-data', '25%'], 25],
  ])('reads with %j that percentage of the data', async (flags, percent) => {
    const asked: (readonly string[])[] = [];
    const world = setUp({
      program: (job) => {
        asked.push(job.args);
        return succeeds({ ...whole, readDataPercent: percent })(job);
      },
    });
    expect(await world.run('check', 'app-default-kopia', ...flags)).toContain(`${percent} % of the data read`);
    expect(asked[0]).toContain(`--read-data-percent=${percent}`);
  });

  it.each(['0', '101', '1.5', 'all', '-3', '1e2'])('rejects --read-data=%s', async (value) => {
    await expect(setUp().run('check', 'app-default-kopia', `--read-data=${value}`)).rejects.toMatchObject({
      code: 'BAD_FLAG',
      message: `--read-data "${value}" is not a percentage`,
    });
  });

  it('fails when something is damaged, after it has printed all of it', async () => {
    const problems = ['pack p1 is missing', 'pack p2 has\u001b[31m another hash'];
    const world = setUp({ program: succeeds({ ...whole, problems, problemCount: 5 }) });
    await expect(world.run('check', 'app-default-kopia')).rejects.toMatchObject({ code: 'REPOSITORY_DAMAGED' });
    expect(world.output().split('\n')).toEqual([
      'app-default-kopia: DAMAGED, 5 problems (1,200 snapshots, 34,000 pieces of data, structure only; 12s)',
      '  pack p1 is missing',
      '  pack p2 has[31m another hash',
      '  … and 3 more',
      '',
    ]);
    nothingLeft(world);
  });

  it('shows progress from the Job’s log, and omits other lines', async () => {
    const world = setUp({
      isTTY: true,
      program: async (job) => {
        for (const done of [10, 20]) {
          job.write('{"level":30,"msg":"ordinary log"}\n');
          const progress = { doing: 'reading packs', done: done * MiB, total: 40 * MiB, unit: 'bytes' as const };
          job.write(reportLine({ report: 'progress', progress }));
          await world.clock.sleep(5_000);
        }
        return succeeds(whole)(job);
      },
    });
    await world.run('check', 'app-default-kopia');
    expect(world.remarks()).toMatch(/app-default-kopia {2}reading packs {2}█{6}░{18} 25 % {2}10 MiB of 40 MiB/);
    expect(world.remarks()).toMatch(/50 % {2}20 MiB of 40 MiB/);
    expect(world.remarks()).not.toContain('ordinary');
  });

  it('prints the error of the Job', async () => {
    const error = { code: 'REPOSITORY_PASSWORD_WRONG', message: 'the password is wrong. Put the right one there.' };
    const world = setUp({ program: (job) => ends(job, { succeeded: false, error } as Partial<OperationEnd>) });
    await expect(world.run('check', 'app-default-kopia')).rejects.toMatchObject(error);
    nothingLeft(world);
  });

  it.each([
    ['OOMKilled', 'its container ended with exit code 137 (OOMKilled)', /more memory/],
    [
      'Error',
      'its container ended with exit code 137, by signal SIGKILL; it said last: panic: out of cheese',
      undefined,
    ],
  ])('reports how a Job without a result ended: %s', async (containerReason, said, nextStep) => {
    const world = setUp({
      program: (job) => {
        job.write('panic: out of cheese\n');
        return { exitCode: 137, containerReason };
      },
    });
    const failure = expect(world.run('check', 'app-default-kopia')).rejects;
    await failure.toMatchObject({
      code: 'JOB_NO_REPORT',
      message: expect.stringContaining(said),
      ...(nextStep === undefined ? {} : { nextStep: expect.stringMatching(nextStep) }),
    });
    nothingLeft(world);
  });

  it('deletes the Job and its pod on Ctrl-C', async () => {
    const world = setUp({ program: () => new Promise(() => {}) });
    const { running, hasEnded } = world.start('check', 'app-default-kopia');
    await world.clock.advance(5_000);
    expect(world.cluster.all(podType)).toHaveLength(1);
    expect(hasEnded()).toBe(false);
    world.stop.abort(new Error('interrupted by SIGINT'));
    const error = await running.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'INTERRUPTED', message: expect.stringContaining('check of repository') });
    expect(failureOf(error, { command: 'repo', signal: world.stop.signal })).toEqual({
      text: expect.stringMatching(/^stopped: check of repository app-default-kopia was ended/),
      exitCode: 1,
    });
    nothingLeft(world);
  });

  it("extends the Job's deadline while the command waits for it, and no longer", async () => {
    const deadlines: number[] = [];
    const world = setUp({
      program: async (job) => {
        await world.clock.sleep(3 * 3_600_000 - 30_000);
        return succeeds(whole)(job);
      },
    });
    world.cluster.onChange(({ object }) => {
      const { activeDeadlineSeconds } = (object.spec ?? {}) as { activeDeadlineSeconds?: number };
      if (object.kind === 'Job') deadlines.push((activeDeadlineSeconds ?? 0) - world.clock.monotonicMs() / 1000);
    });
    const { running, hasEnded } = world.start('check', 'app-default-kopia');
    await world.clock.advanceUntil(hasEnded, { withinMs: 4 * 3_600_000 });
    await running;
    expect(world.output()).toContain('no damage found');
    // The deadline is always at least 25 minutes ahead, because an API server may not be reachable for a while.
    expect(deadlines.length).toBeGreaterThan(30);
    expect(Math.max(...deadlines)).toBeLessThanOrEqual(1_801);
    nothingLeft(world);
  });

  it('reports the deadline of a Job that it may not extend', async () => {
    const world = setUp({
      program: async (job) => {
        await world.clock.sleep(600_000);
        return succeeds(whole)(job);
      },
    });
    world.cluster.failOnce('patch', jobType, 'KUBE_FORBIDDEN');
    await world.run('check', 'app-default-kopia');
    expect(world.remarks()).toMatch(
      /Job velero\/app-default-kopia-check-job-\d+ ends in 25m, because its deadline cannot/,
    );
  });

  it('reports the result even when the API server is not reachable for a minute', async () => {
    const world = setUp({
      program: async (job) => {
        await world.clock.sleep(90_000);
        return succeeds(whole)(job);
      },
    });
    const back = world.cluster.intercept((call, next) => {
      const awayMs = world.clock.monotonicMs();
      if (call.verb !== 'create' && awayMs > 10_000 && awayMs < 70_000)
        return Promise.reject(Object.assign(new Error('connection refused'), { ...unavailable }));
      return next();
    });
    expect(await world.run('check', 'app-default-kopia')).toContain('no damage found');
    back();
    nothingLeft(world);
  });
});

/** The client's error when the server does not answer. */
const unavailable = { [Symbol.for('lateen.dev/AppError')]: true, code: 'KUBE_UNAVAILABLE', retry: 'soon' };

describe('a Job that cannot start', { timeout: 60_000 }, () => {
  it('reports why the scheduler finds no node while it waits, and after the timeout', async () => {
    const world = setUp();
    const stuck = {
      waiting: { reason: 'ContainerCreating' },
      conditions: [
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes: Insufficient memory.' },
      ],
    };
    playPod(world, 'Pending', stuck);
    await expect(world.run('usage', 'app-default-kopia')).rejects.toMatchObject({
      code: 'JOB_NOT_STARTED',
      message: expect.stringMatching(/did not start within 5m0s: pod .* is not scheduled: 0\/3 nodes: Insufficient/),
    });
    expect(world.remarks()).toContain('waits: pod ');
    nothingLeft(world);
  });

  it('fails immediately for an image that cannot be pulled', async () => {
    const world = setUp();
    playPod(world, 'Pending', { waiting: { reason: 'ErrImageNeverPull', message: 'image "x" is not present' } });
    await expect(world.run('check', 'app-default-kopia')).rejects.toMatchObject({
      code: 'JOB_IMAGE',
      message: expect.stringContaining('ErrImageNeverPull: image "x" is not present'),
    });
    expect(world.clock.monotonicMs()).toBeLessThan(5_000);
    nothingLeft(world);
  });

  it('reports what the Job controller was denied', async () => {
    const world = setUp();
    world.cluster.onChange(({ type, object }) => {
      if (type !== 'ADDED' || object.kind !== 'Job') return;
      const { name = '', uid } = object.metadata;
      const involvedObject = { kind: 'Job', namespace: 'velero', name, ...(uid === undefined ? {} : { uid }) };
      const message = 'pods "x" is forbidden: exceeded quota: small';
      world.cluster.put({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: `${name}.1`, namespace: 'velero' },
        involvedObject,
        type: 'Warning',
        reason: 'FailedCreate',
        message,
      } as KubeObject);
    });
    await expect(world.run('maintain', 'app-default-kopia')).rejects.toMatchObject({
      code: 'JOB_NOT_STARTED',
      message: expect.stringContaining('no pod can be made: pods "x" is forbidden: exceeded quota: small'),
    });
  });

  it('ends when the Job is deleted', async () => {
    const world = setUp({ program: () => new Promise(() => {}) });
    const { running } = world.start('check', 'app-default-kopia');
    await world.clock.advance(3_000);
    for (const job of world.cluster.all(jobType))
      world.cluster.remove(jobType, { namespace: 'velero', name: job.metadata.name ?? '' });
    await world.clock.advance(3_000);
    await expect(running).rejects.toMatchObject({ code: 'JOB_DELETED' });
  });

  it('names all necessary permissions when one is missing', async () => {
    const world = setUp();
    world.cluster.failOnce('create', jobType, 'KUBE_FORBIDDEN');
    await expect(world.run('check', 'app-default-kopia')).rejects.toMatchObject({
      code: 'KUBE_FORBIDDEN',
      nextStep: expect.stringContaining('create, get, list, watch, patch and delete jobs.batch'),
    });
    nothingLeft(world);
  });

  it('is not started without a controller, or for a repository that does not exist', async () => {
    const without = setUp({ objects: [aBackupRepository()] });
    await expect(without.run('check', 'app-default-kopia')).rejects.toMatchObject({ code: 'CONTROLLER_NOT_FOUND' });
    await expect(setUp().run('check', 'gone')).rejects.toMatchObject({ code: 'NO_SUCH_REPOSITORY' });
  });
});

function playPod(world: ReturnType<typeof setUp>, phase: string, end: Parameters<typeof world.cluster.setPodPhase>[2]) {
  jobActor(world.cluster, async ({ pod }) => {
    world.cluster.setPodPhase(pod, phase, end);
    await new Promise(() => {});
    return undefined;
  });
}

const usage = {
  engine: 'kopia',
  volumes: [
    { namespace: 'app', persistentVolumeClaim: 'logs', snapshots: 3, uniqueBytes: 2 * GiB, sharedBytes: 5 * MiB },
    { namespace: 'app', persistentVolumeClaim: 'data', snapshots: 12, uniqueBytes: GiB, sharedBytes: 5 * MiB },
  ],
  referencedBytes: 3 * GiB + 5 * MiB,
  sharedBytes: 5 * MiB,
  reclaimableBytes: 7 * MiB,
};
const resticUsage = {
  ...usage,
  engine: 'restic',
  volumes: [],
  referencedBytes: 0,
  sharedBytes: 0,
  reclaimableBytes: 0,
};

describe('lateen repo usage', () => {
  const program: JobProgram = (job) => succeeds(job.args[1]?.includes('restic') ? resticUsage : usage)(job);
  const cells = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));

  it('lists by namespace and claim, with what could be freed and the totals', async () => {
    const world = setUp({ program });
    expect(cells(await world.run('usage'))).toEqual([
      ['NAMESPACE', 'PVC', 'REPOSITORY', 'SNAPSHOTS', 'UNIQUE', 'SHARED', 'RECLAIMABLE'],
      ['app', 'data', 'app-default-kopia', '12', '1 GiB', '5 MiB'],
      ['app', 'logs', 'app-default-kopia', '3', '2 GiB', '5 MiB'],
      ['', '<none>', 'app-default-kopia', '7 MiB'],
      ['TOTAL', '15', '3 GiB', '5 MiB', '7 MiB'],
    ]);
    nothingLeft(world);
  });
  it('sorts by figures, with the largest first', async () => {
    const text = await setUp({ program }).run('usage', 'app-default-kopia', '--sort-by', 'unique');
    expect(cells(text).map(([, pvc]) => pvc)).toEqual(['PVC', 'logs', 'data', '<none>', '15']);
  });
  it('prints bytes with -o json', async () => {
    const value = JSON.parse(await setUp({ program }).run('usage', '-o', 'json'));
    expect(value.repositories[0]).toEqual({ repository: 'app-default-kopia', ...usage });
    expect(value.totals).toEqual({
      snapshots: 15,
      uniqueBytes: 3 * GiB,
      sharedBytes: 5 * MiB,
      referencedBytes: 3 * GiB + 5 * MiB,
      reclaimableBytes: 7 * MiB,
    });
  });
  it('shows the others when one repository fails, and ends with an error', async () => {
    const error = { code: 'X', message: 'the bucket is gone' };
    const world = setUp({
      program: (job) =>
        job.args[1]?.includes('restic')
          ? ends(job, { succeeded: false, error } as Partial<OperationEnd>)
          : program(job),
    });
    await expect(world.run('usage')).rejects.toMatchObject({
      code: 'USAGE_INCOMPLETE',
      message: expect.stringContaining('1 of 2'),
    });
    expect(world.output()).toContain('TOTAL');
    expect(world.remarks()).toContain('mail-default-restic: the bucket is gone');
  });
  it('rejects an unknown order, and names together with --selector', async () => {
    await expect(setUp().run('usage', '--sort-by', 'age')).rejects.toMatchObject({ code: 'BAD_FLAG' });
    await expect(setUp().run('usage', 'a', '-l', 'b=c')).rejects.toMatchObject({ code: 'BAD_FLAG' });
  });
});

describe('lateen repo maintain and unlock', () => {
  it('runs quick maintenance, or full with --full', async () => {
    const program: JobProgram = (job) => {
      const mode = /--mode=(.*)/.exec(job.args.join(' '))?.[1]?.split(' ')[0];
      return succeeds({ engine: 'kopia', mode, bytesBefore: 3 * GiB, bytesAfter: 2 * GiB })(job);
    };
    expect(await setUp({ program }).run('maintain', 'app-default-kopia')).toBe(
      'app-default-kopia: quick maintenance done in 12s, 3 GiB stored before, 2 GiB now\n',
    );
    expect(await setUp({ program }).run('maintain', 'app-default-kopia', '--full')).toContain('full maintenance');
  });

  it('leaves a Job of maintenance to the controller, which records its end', async () => {
    const world = setUp({ program: succeeds({ engine: 'kopia', mode: 'quick' }) });
    await world.run('maintain', 'app-default-kopia');
    expect(world.cluster.all(jobType)).toMatchObject([
      {
        spec: { activeDeadlineSeconds: 43_200, ttlSecondsAfterFinished: 3_600 },
        status: { conditions: [{ type: 'Complete' }] },
      },
    ]);
  });

  it('does not wait for commands that only read', async () => {
    const world = setUp({
      program: (job) =>
        job.args[0] === 'check' ? new Promise(() => {}) : succeeds({ engine: 'kopia', mode: 'quick' })(job),
    });
    world.start('check', 'app-default-kopia').running.catch(() => {});
    await world.clock.advance(2_000);
    expect(await world.run('maintain', 'app-default-kopia')).toContain('quick maintenance done');
    world.stop.abort(new Error('the test is over'));
  });

  it('is rejected while another Job works on the repository, but not when that one has ended', async () => {
    const world = setUp({ program: succeeds({ engine: 'kopia', mode: 'quick' }) });
    const other = (condition?: string): KubeObject =>
      ({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'other', namespace: 'velero', labels: { 'velero.io/repo-name': 'app-default-kopia' } },
        spec: { template: { spec: { containers: [] } } },
        status: { conditions: condition === undefined ? [] : [{ type: condition, status: 'True' }] },
      }) as KubeObject;
    // The test's Job actor did not create the Job: it exists before the command.
    const busy = setUp({ objects: [...installation, other()] });
    await expect(busy.run('maintain', 'app-default-kopia')).rejects.toMatchObject({
      code: 'REPOSITORY_BUSY',
      message: 'Job velero/other is working on repository app-default-kopia',
    });
    const free = setUp({
      objects: [...installation, other('Complete')],
      program: succeeds({ engine: 'kopia', mode: 'quick' }),
    });
    expect(await free.run('maintain', 'app-default-kopia')).toContain('quick maintenance done');
    expect(await world.run('maintain', 'app-default-kopia')).toContain('quick maintenance done');
  });

  it.each([
    [{ engine: 'restic', hasLocks: true, removed: 2, remaining: 0 }, '2 stale locks removed'],
    [{ engine: 'restic', hasLocks: true, removed: 0, remaining: 1 }, '0 stale locks removed; 1 are left'],
    [{ engine: 'restic', hasLocks: true, removed: 0, remaining: 0 }, 'there were no locks'],
    [{ engine: 'kopia', hasLocks: false, removed: 0, remaining: 0 }, 'its engine has no locks'],
  ])('reports what unlocking did: %j', async (result, text) => {
    expect(await setUp({ program: succeeds(result) }).run('unlock', 'mail-default-restic')).toContain(text);
  });
});

describe('the result of a Job whose log cannot be read', () => {
  it('is read from the termination message, but never a truncated list', async () => {
    const noLog = (world: ReturnType<typeof setUp>) =>
      Object.assign(world.cluster.podLogs, {
        stream: () => {
          throw Object.assign(new Error('pods "x" is forbidden'), { ...unavailable, code: 'KUBE_FORBIDDEN' });
        },
      });
    const check = setUp({ program: succeeds(whole) });
    noLog(check);
    expect(await check.run('check', 'app-default-kopia')).toContain('no damage found');
    const volumes = Array.from({ length: 200 }, () => usage.volumes[0]);
    const long = setUp({ program: succeeds({ ...usage, volumes }) });
    noLog(long);
    await expect(long.run('usage', 'app-default-kopia')).rejects.toMatchObject({ code: 'JOB_LOG_UNREADABLE' });
  });
});
