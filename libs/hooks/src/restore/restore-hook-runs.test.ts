import {
  type Pod,
  podType,
  type Restore,
  type RestoreExecHook,
  type RestoreHooks,
  type Unstructured,
} from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import {
  aPod,
  FakeClock,
  fakeCluster,
  letTimePass,
  letWorkRun,
  type PodProgram,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { restoreHookRuns } from './restore-hook-runs.ts';

const resourceTimeoutMs = 600_000;

const specOf = (...hooks: (Partial<RestoreExecHook> & { name?: string })[]): RestoreHooks => ({
  resources: hooks.map(({ name = 'warm', ...exec }) => ({
    name,
    postHooks: [{ exec: { command: ['warm'], ...exec } }],
  })),
});

const aRestoredPod = (parts: Parameters<typeof aPod>[0] = {}): Pod =>
  aPod({ namespace: 'shop', name: 'db-0', uid: 'p-1', labels: { 'velero.io/restore-name': 'back' }, ...parts });

function world(hooks: RestoreHooks, program?: PodProgram, objects: readonly Pod[] = [aRestoredPod()]) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects });
  if (program !== undefined) cluster.podExec.play(program);
  const log = recordingLog();
  const restore = { metadata: { name: 'back', uid: 'r' }, spec: { hooks } } as unknown as Restore;
  const runs = restoreHookRuns(restore, { kube: cluster, exec: cluster.podExec, clock, random: seededRandom(), log });
  const stop = new AbortController();
  const created = (...pods: Pod[]) => {
    for (const pod of pods) runs.podCreated(pod as unknown as Unstructured);
  };
  const wait = (timeoutMs = resourceTimeoutMs) => letTimePass(runs.waitForHooks(timeoutMs, stop.signal), clock);
  /** Sets the pod to Running after this time. */
  const up = async (afterMs: number, key = { namespace: 'shop', name: 'db-0' }) => {
    await clock.sleep(afterMs);
    cluster.setPodPhase(key, 'Running');
  };
  const told = async (timeoutMs?: number) => {
    const { failures, ...counts } = await wait(timeoutMs);
    return { ...counts, errors: failures.map(({ error }) => describeError(error)) };
  };
  return { clock, cluster, log, runs, stop, created, wait, up, told };
}

describe('exec hooks after a restore', () => {
  it('run in order when the container is running, and log their output', async () => {
    const { cluster, created, told, up, log } = world(
      specOf({ command: ['a'] }, { command: ['b'] }),
      ({ write, command }) => {
        write(`did ${command[0]}`);
        return 0;
      },
    );
    created(aRestoredPod());
    void up(20_000);
    expect(await told()).toEqual({ attempted: 2, failed: 0, errors: [] });
    expect(cluster.podExec.lines).toEqual(['shop/db-0/main: a', 'shop/db-0/main: b']);
    expect(log.lines.filter(({ message }) => message === 'hook has ended').map(({ fields }) => fields.output)).toEqual([
      'did a',
      'did b',
    ]);
  });

  it('begin before any caller waits for them', async () => {
    const { cluster, created, runs } = world(specOf({}), undefined, [
      aRestoredPod({ phase: 'Running', status: running('main') }),
    ]);
    created(aRestoredPod());
    await letWorkRun();
    expect(cluster.podExec.lines).toEqual(['shop/db-0/main: warm']);
    expect(runs.counts).toEqual({ attempted: 1, failed: 0 });
  });

  it('run once for a pod that is reported twice', async () => {
    const { cluster, created, told, up } = world(specOf({}));
    created(aRestoredPod(), aRestoredPod());
    void up(0);
    expect(await told()).toMatchObject({ attempted: 1 });
    expect(cluster.podExec.lines).toHaveLength(1);
  });

  it('are none for a pod without hooks', async () => {
    const { cluster, created, told } = world({ resources: [] });
    created(aRestoredPod());
    expect(await told()).toEqual({ attempted: 0, failed: 0, errors: [] });
    expect(cluster.calls).toEqual([]);
  });

  it('need one watch per namespace for all restored pods', async () => {
    const pods = ['a', 'b', 'c'].map((name) => aRestoredPod({ name, uid: name }));
    const { cluster, created, told, up } = world(specOf({}), undefined, pods);
    created(...pods);
    for (const { metadata } of pods) void up(5_000, { namespace: 'shop', name: metadata.name ?? '' });
    expect(await told()).toMatchObject({ attempted: 3, failed: 0 });
    const lists = cluster.calls.filter(({ verb }) => verb === 'list');
    expect(lists).toHaveLength(1);
    expect(JSON.stringify(lists[0])).toContain('velero.io/restore-name=back');
    expect(cluster.openWatches).toBe(0);
  });
});

function running(...containers: string[]): NonNullable<Pod['status']> {
  const state = { running: { startedAt: '2030-01-01T00:00:00Z' } };
  return { containerStatuses: containers.map((name) => ({ name, ready: true, state })) };
}

describe('running containers', () => {
  const status = (name: string, ready: boolean, isRunning = true) => ({
    name,
    ready,
    state: isRunning ? { running: {} } : { waiting: { reason: 'CrashLoopBackOff' } },
  });
  it.each<[string, Partial<RestoreExecHook>, object, boolean]>([
    ['a running container', {}, { containerStatuses: [status('main', false)] }, true],
    ['a crashing container', {}, { containerStatuses: [status('main', false, false)] }, false],
    ['another running container', {}, { containerStatuses: [status('side', true)] }, false],
    [
      'a running container that must be ready',
      { waitForReady: true },
      { containerStatuses: [status('main', false)] },
      false,
    ],
    [
      'a ready container that must be ready',
      { waitForReady: true },
      { containerStatuses: [status('main', true)] },
      true,
    ],
    ['a restartable init container', { container: 'agent' }, { initContainerStatuses: [status('agent', true)] }, true],
    ['no status yet', {}, {}, false],
  ])('%s: %j', async (_title, exec, podStatus, isUp) => {
    const spec = {
      containers: [{ name: 'main' }, { name: 'side' }],
      initContainers: [{ name: 'agent', restartPolicy: 'Always' }],
    };
    const pod = aRestoredPod({ phase: 'Running', spec, status: podStatus });
    const { cluster, created } = world(specOf(exec), undefined, [pod]);
    created(pod);
    await letWorkRun();
    expect(cluster.podExec.commands).toHaveLength(isUp ? 1 : 0);
  });

  it('must be ready for all hooks of a container when one of them requires it', async () => {
    const pod = aRestoredPod({ phase: 'Running', status: { containerStatuses: [status('main', false)] } });
    const { cluster, created } = world(specOf({}, { waitForReady: true }), undefined, [pod]);
    created(pod);
    await letWorkRun();
    expect(cluster.podExec.commands).toEqual([]);
    cluster.setPodPhase({ namespace: 'shop', name: 'db-0' }, 'Running');
    await letWorkRun();
    expect(cluster.podExec.commands).toHaveLength(2);
  });

  it('do not wait for each other', async () => {
    const spec = { containers: [{ name: 'main' }, { name: 'side' }] };
    const pod = aRestoredPod({ phase: 'Running', spec, status: { containerStatuses: [status('side', true)] } });
    const { cluster, created } = world(specOf({ container: 'main' }, { container: 'side' }), undefined, [pod]);
    created(pod);
    await letWorkRun();
    expect(cluster.podExec.lines).toEqual(['shop/db-0/side: warm']);
  });
});

describe('hooks after a restore that fail', () => {
  const broken: PodProgram = ({ command, write }) => {
    if (command[0] !== 'bad') return 0;
    write('no such table');
    return 3;
  };
  const bad = 'hook bad in container main failed to execute, err';

  it.each(['Continue', undefined] as const)(
    'with on-error %s: an error is reported, and the other hooks run',
    async (onError) => {
      const exec = onError === undefined ? {} : { onError };
      const { cluster, created, told, up } = world(specOf({ name: 'bad', command: ['bad'], ...exec }, {}), broken);
      created(aRestoredPod());
      void up(0);
      const outcome = await told();
      expect(outcome).toMatchObject({ attempted: 2, failed: 1 });
      expect(outcome.errors).toEqual([expect.stringMatching(new RegExp(`^${bad}: .*exit code 3.*no such table`))]);
      expect(cluster.podExec.lines).toHaveLength(2);
    },
  );

  it('with on-error Fail: no other hook of the pod runs, and other pods continue', async () => {
    const spec = { containers: [{ name: 'main' }, { name: 'side' }] };
    const pods = [aRestoredPod({ spec }), aRestoredPod({ name: 'db-1', uid: 'p-2', spec })];
    const hooks = specOf(
      { name: 'bad', command: ['bad'], onError: 'Fail' },
      { name: 'next' },
      { name: 'beside', container: 'side' },
    );
    const { cluster, created, told, up } = world(hooks, (run) => (run.pod.name === 'db-0' ? broken(run) : 0), pods);
    created(...pods);
    for (const name of ['db-0', 'db-1']) void up(1_000, { namespace: 'shop', name });
    const outcome = await told();
    expect(outcome).toMatchObject({ attempted: 6, failed: 3 });
    const why = 'in pod shop/db-0 not executed: hook bad in container main has failed';
    expect(outcome.errors.slice(1)).toEqual([
      `hook next in container main ${why}`,
      `hook beside in container side ${why}`,
    ]);
    expect(cluster.podExec.lines.filter((line) => line.includes('db-1'))).toHaveLength(3);
  });

  it('name their pod in the error', async () => {
    const { created, wait, up } = world(specOf({ name: 'bad', command: ['bad'] }), broken);
    created(aRestoredPod());
    void up(0);
    expect((await wait()).failures.map(({ pod }) => pod)).toEqual([{ namespace: 'shop', name: 'db-0' }]);
  });

  it('fail at the timeout of their command', async () => {
    const { created, told, up } = world(specOf({ execTimeout: '5s' }), () => new Promise(() => {}));
    created(aRestoredPod());
    void up(0);
    expect((await told()).errors).toEqual([expect.stringContaining('timed out after 5s')]);
  });

  it('fail for an unknown container, without a wait', async () => {
    const { clock, created, told } = world(specOf({ container: 'nope' }));
    const startMs = clock.now();
    created(aRestoredPod());
    expect((await told()).errors).toEqual([
      'hook warm in container nope failed to execute, err: no such container: "nope"',
    ]);
    expect(clock.now()).toBe(startMs);
  });

  it('fail when on-error Fail keeps the other hooks of the pod from running', async () => {
    const { cluster, created, told, up } = world(specOf({ container: 'nope', onError: 'Fail' }, { name: 'next' }));
    created(aRestoredPod());
    void up(0);
    expect((await told()).errors).toHaveLength(2);
    expect(cluster.podExec.lines).toEqual([]);
  });
});

describe('hooks after a restore that wait', () => {
  it.each<[string, Partial<RestoreExecHook>[], number]>([
    ['one wait timeout', [{ waitTimeout: '1m' }], 60_000],
    ['the longest wait timeout', [{ waitTimeout: '1m' }, { waitTimeout: '3m' }], 180_000],
    ['one hook without a timeout: the general timeout', [{ waitTimeout: '1m' }, {}], resourceTimeoutMs],
    ['a timeout of zero: the general timeout', [{ waitTimeout: '0s' }], resourceTimeoutMs],
  ])('%s', async (_title, hooks, endsAfterMs) => {
    const { clock, created, told } = world(specOf(...hooks));
    const startMs = clock.now();
    created(aRestoredPod());
    const { errors, failed } = await told();
    expect(clock.now() - startMs).toBe(endsAfterMs);
    expect(failed).toBe(hooks.length);
    for (const error of errors) expect(error).toContain('hook warm in container main in pod shop/db-0 not executed: ');
  });

  it('expire one by one: an expired hook does not run, and the others do', async () => {
    const { cluster, created, told, up } = world(
      specOf({ name: 'hasty', command: ['a'], waitTimeout: '1m' }, { name: 'calm', command: ['b'], waitTimeout: '5m' }),
    );
    created(aRestoredPod());
    void up(90_000);
    expect(await told()).toEqual({
      attempted: 2,
      failed: 1,
      errors: ['hook hasty in container main expired before executing'],
    });
    expect(cluster.podExec.lines).toEqual(['shop/db-0/main: b']);
  });

  it('keep the others from running when one with on-error Fail expires', async () => {
    const { cluster, created, told, up } = world(
      specOf({ name: 'hasty', waitTimeout: '1m', onError: 'Fail' }, { name: 'calm', waitTimeout: '5m' }),
    );
    created(aRestoredPod());
    void up(90_000);
    expect((await told()).failed).toBe(2);
    expect(cluster.podExec.lines).toEqual([]);
  });

  it.each<[string, (cluster: ReturnType<typeof world>['cluster']) => void, string]>([
    [
      'is deleted',
      (cluster) => cluster.remove(podType, { namespace: 'shop', name: 'db-0' }),
      'the pod is not there any more',
    ],
    ['fails', (cluster) => cluster.setPodPhase({ namespace: 'shop', name: 'db-0' }, 'Failed'), 'the pod has ended'],
    [
      'succeeds',
      (cluster) => cluster.setPodPhase({ namespace: 'shop', name: 'db-0' }, 'Succeeded'),
      'the pod has ended',
    ],
  ])('end when the pod %s', async (_title, end, why) => {
    const { clock, cluster, created, told } = world(specOf({}));
    created(aRestoredPod());
    void clock.sleep(30_000).then(() => end(cluster));
    expect((await told()).errors).toEqual([`hook warm in container main in pod shop/db-0 not executed: ${why}`]);
  });

  it('end for a pod that is deleted before the first look', async () => {
    const { created, told } = world(specOf({}), undefined, []);
    created(aRestoredPod());
    expect((await told()).errors).toEqual([expect.stringContaining('the pod is not there any more')]);
  });

  it('survive an API server that fails', async () => {
    const { cluster, created, told, up } = world(specOf({}));
    cluster.failTimes(3, 'list', () => true, 'KUBE_UNAVAILABLE');
    created(aRestoredPod());
    void up(60_000);
    expect(await told()).toEqual({ attempted: 1, failed: 0, errors: [] });
  });
});

describe('waiting for hooks', () => {
  it('ends with the reason of the signal, and continues at the next call', async () => {
    const { clock, created, runs, stop, up } = world(specOf({}));
    created(aRestoredPod());
    const waiting = runs.waitForHooks(resourceTimeoutMs, stop.signal);
    stop.abort(new Error('this controller ends'));
    await expect(waiting).rejects.toThrow('this controller ends');
    void up(1_000);
    const again = letTimePass(runs.waitForHooks(resourceTimeoutMs, new AbortController().signal), clock);
    expect(await again).toEqual({ attempted: 1, failed: 0, failures: [] });
  });

  it('leaves nothing running when it is stopped', async () => {
    const { cluster, created, runs, log } = world(specOf({}), () => new Promise(() => {}), [
      aRestoredPod({ phase: 'Running', status: running('main') }),
    ]);
    created(aRestoredPod());
    await letWorkRun();
    await runs.stop(new Error('canceled'));
    await letWorkRun();
    expect(cluster.openWatches).toBe(0);
    expect(runs.counts).toEqual({ attempted: 1, failed: 1 });
    created(aRestoredPod({ name: 'db-1', uid: 'p-2' }));
    expect(runs.counts.attempted).toBe(1);
    expect(log.messages('error')).toEqual([]);
  });

  it('limits the number of parallel commands', async () => {
    let now = 0;
    let most = 0;
    const pods = Array.from({ length: 80 }, (_, i) =>
      aRestoredPod({ name: `p-${i}`, uid: `u-${i}`, phase: 'Running', status: running('main') }),
    );
    const w = world(
      specOf({}),
      async () => {
        most = Math.max(most, ++now);
        await w.clock.sleep(1_000);
        now--;
        return 0;
      },
      pods,
    );
    w.created(...pods);
    expect(await w.told()).toMatchObject({ attempted: 80, failed: 0 });
    expect(most).toBe(32);
  });
});
