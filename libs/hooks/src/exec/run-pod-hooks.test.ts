import { type Pod, podType } from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import { keyOf } from '@lateen/kube';
import {
  aPod,
  brokenExec,
  FakeClock,
  fakeCluster,
  letTimePass,
  type PodProgram,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { PodHook } from '../hook/pod-hook.ts';
import { outputLimits } from './command-output.ts';
import { runPodHooks } from './run-pod-hooks.ts';

const hook = (parts: Partial<PodHook> = {}): PodHook => ({
  name: 'freeze',
  source: 'spec',
  phase: 'pre',
  container: 'main',
  command: ['sync'],
  timeoutMs: 30_000,
  remarks: [],
  ...parts,
});

function world(program?: PodProgram, parts: Parameters<typeof aPod>[0] = {}) {
  const clock = new FakeClock();
  const pod = aPod({ namespace: 'shop', name: 'db-0', phase: 'Running', ...parts });
  const cluster = fakeCluster({ clock, objects: [pod] });
  if (program !== undefined) cluster.podExec.play(program);
  const log = recordingLog();
  const stop = new AbortController();
  const run = (hooks: readonly PodHook[], of: Pod = pod) =>
    letTimePass(
      runPodHooks(hooks, of, { exec: cluster.podExec, clock, random: seededRandom(), log }, stop.signal),
      clock,
    );
  const errors = () =>
    log.lines.filter(({ level }) => level === 'error').map(({ fields }) => describeError(fields.err));
  return { cluster, clock, pod, log, stop, run, errors };
}

const forever: PodProgram = () => new Promise<number>(() => {});

describe('runPodHooks', () => {
  it('runs hooks one after the other and logs their output', async () => {
    const { run, cluster, log } = world(({ write, command }) => {
      write(`done with ${command.join(' ')}\n`);
      return 0;
    });
    expect(await run([hook(), hook({ command: ['fsfreeze', '-f'] })])).toEqual({ attempted: 2, failed: 0 });
    expect(cluster.podExec.lines).toEqual(['shop/db-0/main: sync', 'shop/db-0/main: fsfreeze -f']);
    expect(log.lines.map(({ fields }) => fields.output)).toEqual(['done with sync', 'done with fsfreeze -f']);
    expect(log.lines[0]).toMatchObject({
      level: 'info',
      fields: {
        resource: 'pods',
        namespace: 'shop',
        name: 'db-0',
        hookName: 'freeze',
        hookSource: 'spec',
        hookPhase: 'pre',
      },
    });
  });

  it.each([
    ['Fail', 1, true],
    ['Continue', 2, false],
    [undefined, 2, false],
  ] as const)(
    'on-error %s: %d commands run after the first one failed, the pod is excluded: %s',
    async (onError, started, isOut) => {
      const { run, cluster, log } = world(({ command }) => (command[0] === 'bad' ? 3 : 0));
      const outcome = await run([
        hook({ command: ['bad'], ...(onError === undefined ? {} : { onError }) }),
        hook({ command: ['good'] }),
      ]);
      expect(outcome).toMatchObject({ attempted: 2, failed: 1 });
      expect(outcome.error !== undefined).toBe(isOut);
      expect(cluster.podExec.commands).toHaveLength(started);
      expect(log.messages('error')).toEqual(['Error executing hook']);
    },
  );

  it('reports the last lines of a failed command, of both outputs, without secrets and with a limit', async () => {
    const env = [
      { name: 'PGPASSWORD', value: 'hunter2' },
      { name: 'PGUSER', value: 'shop' },
    ];
    const { run, errors } = world(
      ({ write, writeError }) => {
        for (let line = 0; line < 10_000; line++) write(`progress ${line}\n`);
        writeError(`cannot log in as shop with hunter2 at postgres://shop:secret@db/shop\n`);
        writeError(`\u001b[31m${'x'.repeat(1_000)}\u001b[0m\n\n`);
        return 1;
      },
      { spec: { containers: [{ name: 'main', image: 'i', env }] } },
    );
    await run([hook()]);
    const [error = ''] = errors();
    expect(error).toContain(
      'pre hook of pod shop/db-0 in container main: command terminated with exit code 1 (it wrote: ',
    );
    expect(error).toContain('progress 9999; cannot log in as shop with [redacted] at postgres://[redacted]@db/shop; ');
    expect(error).not.toContain('\u001b');
    expect(error.length).toBeLessThan(outputLimits.linesMax * (outputLimits.lineLengthMax + 2) + 200);
  });

  it('ends a command at its timeout, together with its connection', async () => {
    let gone = false;
    const { run, errors, clock } = world((running) => {
      running.write('waiting for the lock\n');
      running.gone.addEventListener('abort', () => {
        gone = true;
      });
      return forever(running);
    });
    const startMs = clock.monotonicMs();
    expect(await run([hook({ timeoutMs: 90_000 })])).toEqual({ attempted: 1, failed: 1 });
    expect(clock.monotonicMs() - startMs).toBe(90_000);
    expect(gone).toBe(true);
    expect(errors()[0]).toContain(
      'timed out after 1m30s (it wrote: waiting for the lock). Its command may still be running',
    );
  });

  it('ends at the timeout although the connection does not end', async () => {
    const { pod, clock, log } = world();
    const exec = { exec: () => new Promise<never>(() => {}) };
    const ports = { exec, clock, random: seededRandom(), log };
    const running = runPodHooks([hook()], pod, ports, AbortSignal.any([]));
    expect(await letTimePass(running, clock)).toEqual({ attempted: 1, failed: 1 });
  });

  it.each([
    ['Fail', true],
    ['Continue', false],
  ] as const)('counts a broken connection as one failure (on-error %s)', async (onError, isOut) => {
    const { run, cluster, errors } = world(({ pod, container }) => {
      throw brokenExec(pod, container);
    });
    const outcome = await run([hook({ onError })]);
    expect(outcome).toMatchObject({ attempted: 1, failed: 1 });
    expect(outcome.error !== undefined).toBe(isOut);
    expect(cluster.podExec.commands).toHaveLength(1);
    expect(errors()[0]).toContain('it did not run to its end: cannot run a command in pod shop/db-0');
  });

  it('retries a command that could not be started, within its timeout', async () => {
    let refused = 0;
    const away = () => new AppError('KUBE_EXEC_FAILED', 'connection refused', { retry: 'soon' });
    const { run, cluster, log } = world(() => {
      if (refused++ < 2) throw away();
      return 0;
    });
    expect(await run([hook()])).toEqual({ attempted: 1, failed: 0 });
    expect(cluster.podExec.commands).toHaveLength(3);
    expect(log.messages('error')).toEqual([]);

    const never = world(() => {
      throw away();
    });
    expect(await never.run([hook({ timeoutMs: 2_000 })])).toEqual({ attempted: 1, failed: 1 });
  });

  it('does not run an invalid hook, and reports why', async () => {
    const { run, cluster, errors } = world();
    expect(await run([hook({ container: 'x', flaw: 'no such container: "x"', onError: 'Fail' })])).toMatchObject({
      attempted: 1,
      failed: 1,
      error: { code: 'HOOK_FAILED' },
    });
    expect(cluster.podExec.commands).toEqual([]);
    expect(errors()).toEqual(['pre hook of pod shop/db-0 in container x: no such container: "x"']);
  });

  it('warns about values that are read differently than written', async () => {
    const { run, log } = world();
    await run([hook({ remarks: ['timeout "x" is not a duration'] })]);
    expect(log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { remark: 'timeout "x" is not a duration' } },
    ]);
  });

  it.each(['Succeeded', 'Failed'] as const)('counts a hook of a pod that has %s as attempted', async (phase) => {
    const { run, cluster } = world(undefined, { phase });
    expect(await run([hook({ onError: 'Fail' })])).toEqual({ attempted: 1, failed: 0 });
    expect(cluster.podExec.commands).toEqual([]);
  });

  it('fails for a pod that has ended meanwhile, and only warns about a deleted one', async () => {
    const { run, cluster, pod, log } = world();
    cluster.setPodPhase(keyOf(pod), 'Succeeded');
    expect(await run([hook({ onError: 'Fail' })], pod)).toMatchObject({ failed: 1, error: { code: 'HOOK_FAILED' } });
    cluster.remove(podType, keyOf(pod));
    expect(await run([hook({ onError: 'Fail' })], pod)).toEqual({ attempted: 1, failed: 0 });
    expect(log.messages('warn')).toEqual(['pod was deleted before its hook ran']);
  });

  it('is aborted by the signal before the backup, and runs no more hooks', async () => {
    const { run, cluster, stop, log } = world(forever);
    const running = run([hook({ timeoutMs: 3_600_000 }), hook()]);
    stop.abort(new Error('the backup is cancelled'));
    expect(await running).toMatchObject({ attempted: 2, error: { code: 'HOOK_ABORTED' } });
    expect(cluster.podExec.commands.length).toBeLessThanOrEqual(1);
    expect(log.messages('error')).toEqual([]);
  });

  it('unfreezes: hooks after the backup all run, even after an abort and after a failure', async () => {
    const { run, cluster, stop } = world(({ command }) => (command[0] === 'first' ? 1 : 0));
    stop.abort(new Error('the backup is cancelled'));
    const after = (command: string) => hook({ phase: 'post', command: [command], onError: 'Fail' });
    expect(await run([after('first'), after('second')])).toMatchObject({
      attempted: 2,
      failed: 1,
      error: { code: 'HOOK_FAILED' },
    });
    expect(cluster.podExec.lines).toEqual(['shop/db-0/main: first', 'shop/db-0/main: second']);
  });

  it('waits for a hook after the backup no longer than its timeout', async () => {
    const { run, stop, clock } = world(forever);
    stop.abort();
    const startMs = clock.monotonicMs();
    expect(await run([hook({ phase: 'post' })])).toMatchObject({ attempted: 1, failed: 1 });
    expect(clock.monotonicMs() - startMs).toBe(30_000);
  });
});
