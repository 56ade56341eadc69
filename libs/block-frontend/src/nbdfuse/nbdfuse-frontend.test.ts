import { beforeEach, describe, expect, it } from 'vitest';
import type { FrontendRequest } from '../block-frontend.ts';
import { FakeMachine } from '../fake-machine.ts';
import { detachMarked } from './detach-marked.ts';
import { nbdfuseFrontend } from './nbdfuse-frontend.ts';

const MiB = 1024 * 1024;
const { signal } = new AbortController();
const request: FrontendRequest = {
  ...{ volume: 'pvc-1', run: 'g1', socketPath: '/run/engine.sock', exportName: 'a b' },
  ...{ sizeBytes: 10 * MiB, reserveBytes: 6 * MiB },
};
const device = { path: '/dev/loop3', sizeBytes: 10 * MiB, sizeBytesMax: 16 * MiB };

let machine: FakeMachine;
const frontend = () => nbdfuseFrontend(machine.deps);
beforeEach(() => {
  machine = new FakeMachine();
  machine.exportBytes = 16 * MiB;
});
const isGone = () => {
  expect(machine.loops).toEqual([]);
  expect(machine.mounts).toEqual([]);
  expect([...machine.processes]).toEqual([]);
  expect(machine.directories).toEqual([]);
};

describe('start', () => {
  it('creates a device of the volume size, with 512-byte sectors and direct I/O, on an export with a reserve', async () => {
    expect(await frontend().start(request, signal)).toEqual(device);
    expect(machine.processes.get('frontend-pvc-1')).toEqual({
      ...{ id: 'frontend-pvc-1', kind: 'nbdfuse', run: 'g1', volume: 'pvc-1' },
      argv: [
        ...['/bin/nbdfuse', '-C', '16', '/fronts/pvc-1/pvc-1.mark'],
        'nbd+unix:///a%20b?socket=%2Frun%2Fengine.sock',
      ],
    });
    expect(machine.effects.at(-1)).toBe(
      `attach /dev/loop3 --find --direct-io=on --sector-size=512 --sizelimit=${10 * MiB}`,
    );
  });

  it('finds a running front end, even one that another process started, and starts nothing twice', async () => {
    await frontend().start(request, signal);
    const { length } = machine.effects;
    expect(await frontend().look('pvc-1', signal)).toEqual({ kind: 'attached', device });
    expect(await frontend().start(request, signal)).toEqual(device);
    expect(machine.effects).toHaveLength(length);
  });

  it('continues an interrupted start', async () => {
    machine.engineAnswers = false;
    await expect(frontend().start(request, signal)).rejects.toThrow('the engine has not answered for 15s');
    expect(await frontend().look('pvc-1', signal)).toMatchObject({ kind: 'partial' });
    for (const process of machine.processes.values()) machine.mountExport(process);
    expect(await frontend().start(request, signal)).toEqual(device);
  });

  it('does not confuse the device of the same volume on another node that shares the kernel with its own', async () => {
    machine.loops.push({
      ...{
        name: '/dev/loop1',
        backingDevice: '0:40',
        backingFile: '/other/pvc-1/pvc-1.other',
        limit: 1,
        autoclear: false,
      },
    });
    expect(await frontend().start(request, signal)).toEqual(device);
    await frontend().stop('pvc-1', signal);
    expect(machine.loops.map(({ name }) => name)).toEqual(['/dev/loop1']);
  });

  it.each([
    ['the process ends at once', () => Object.assign(machine, { nbdfuseEndsAtOnce: true }), 'its process has ended'],
    ['the export is of another size', () => Object.assign(machine, { exportBytes: MiB }), 'the engine serves 1048576'],
  ])('reports that %s, and a stop leaves nothing', async (_, spoil, message) => {
    spoil();
    const start = frontend().start(request, signal);
    await expect(start).rejects.toMatchObject({ code: 'NOT_POSSIBLE_NOW', message: expect.stringContaining(message) });
    await frontend().stop('pvc-1', signal);
    isGone();
  });

  it.each([
    ['its process has died', () => machine.processes.clear(), '/dev/loop3 is still there from an earlier one'],
    ['another run exists', () => {}, 'run g1 is still there'],
    ['a stop was interrupted', () => Object.assign(machine.loops[0] ?? {}, { autoclear: true }), '/dev/loop3'],
  ])('starts nothing beside leftovers when %s', async (_, spoil, message) => {
    await frontend().start(request, signal);
    spoil();
    machine.looksUntilLoopIsGone = 1;
    const { length } = machine.effects;
    await expect(frontend().start({ ...request, run: 'g2' }, signal)).rejects.toThrow(message);
    expect(machine.effects).toHaveLength(length);
  });

  it.each([
    { volume: '../etc' },
    { sizeBytes: 1000 },
    { sizeBytes: Number.NaN },
    { reserveBytes: -512 },
    { socketPath: 'engine.sock' },
  ])('rejects %o', async (wrong) => {
    const start = frontend().start({ ...request, ...wrong }, signal);
    await expect(start).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(machine.effects).toEqual([]);
  });
});

describe('grow', () => {
  it('moves the end of the device inside the reserve, and never back', async () => {
    await frontend().start(request, signal);
    expect(await frontend().grow('pvc-1', 16 * MiB, signal)).toEqual({ ...device, sizeBytes: 16 * MiB });
    expect(await frontend().grow('pvc-1', 12 * MiB, signal)).toEqual({ ...device, sizeBytes: 16 * MiB });
    expect(machine.effects.filter((one) => one.startsWith('limit'))).toEqual([`limit /dev/loop3 ${16 * MiB}`]);
  });

  it('reports that growth beyond the reserve needs a new attachment', async () => {
    await frontend().start(request, signal);
    await expect(frontend().grow('pvc-1', 17 * MiB, signal)).rejects.toMatchObject({
      code: 'NOT_POSSIBLE_NOW',
      nextStep: expect.stringContaining('next attached'),
    });
    expect(machine.loops[0]?.limit).toBe(10 * MiB);
  });
});

describe('stop', () => {
  it('removes device, directory and process as soon as each is unused', async () => {
    await frontend().start(request, signal);
    machine.looksUntilLoopIsGone = 3;
    const { length } = machine.effects;
    await frontend().stop('pvc-1', signal);
    expect(machine.effects.slice(length)).toEqual(['detach /dev/loop3', 'umount /fronts/pvc-1']);
    isGone();
    await frontend().stop('pvc-1', signal);
    expect(await frontend().look('pvc-1', signal)).toEqual({ kind: 'none' });
  });

  it('waits while the device is mounted, and reports the user', async () => {
    await frontend().start(request, signal);
    machine.mounts.push({ device: '7:3', mountPoint: '/pods/data', fileSystem: 'xfs', root: '/' });
    await expect(frontend().stop('pvc-1', signal)).rejects.toThrow('it is still mounted at /pods/data');
    expect(machine.loops).toHaveLength(1);
    machine.mounts.pop();
    await frontend().stop('pvc-1', signal);
    isGone();
  });

  it('reports a device that remains, and finds it at the next call', async () => {
    await frontend().start(request, signal);
    machine.looksUntilLoopIsGone = Number.POSITIVE_INFINITY;
    await expect(frontend().stop('pvc-1', signal)).rejects.toThrow('something still has /dev/loop3 open');
    expect(machine.mounts).toHaveLength(1);
    machine.looksUntilLoopIsGone = 0;
    await frontend().stop('pvc-1', signal);
    isGone();
  });

  it('finds the device of a front end whose pod has died by the only name that the kernel still has', async () => {
    await frontend().start(request, signal);
    machine.endPod();
    expect(await frontend().look('pvc-1', signal)).toMatchObject({ kind: 'partial', reason: expect.any(String) });
    await expect(frontend().start({ ...request, run: 'g2' }, signal)).rejects.toThrow('/dev/loop3');
    await frontend().stop('pvc-1', signal);
    isGone();
  });

  it('finds and names devices of an earlier mount at the same place', async () => {
    await frontend().start(request, signal);
    machine.mounts.length = 0;
    machine.looksUntilLoopIsGone = Number.POSITIVE_INFINITY;
    expect(await frontend().look('pvc-1', signal)).toMatchObject({ kind: 'partial', reason: expect.any(String) });
    await expect(frontend().stop('pvc-1', signal)).rejects.toMatchObject({ details: { stale: ['/dev/loop3'] } });
    machine.looksUntilLoopIsGone = 0;
    await frontend().stop('pvc-1', signal);
    isGone();
  });
});

describe('leftovers of front ends that died with their pod', () => {
  const letGo = async (volume: string, device: string) => void machine.effects.push(`let go ${volume} ${device}`);
  const lost = (wanted: readonly string[] = []) => frontend().detachLost(new Set(wanted), letGo, signal);

  it('are detached together with their mount point', async () => {
    await frontend().start(request, signal);
    machine.endPod();
    const { length } = machine.effects;
    await lost();
    expect(machine.effects.slice(length)).toEqual(['let go pvc-1 /dev/loop3', 'detach /dev/loop3']);
    expect(await frontend().look('pvc-1', signal)).toEqual({ kind: 'none' });
    isGone();
  });

  it('remain when the volume is wanted, still mounted, or belongs to another node', async () => {
    await frontend().start(request, signal);
    const { length } = machine.effects;
    await lost();
    machine.endPod();
    await lost(['pvc-1']);
    await nbdfuseFrontend({ ...machine.deps, mark: 'other' }).detachLost(new Set(), letGo, signal);
    expect(machine.effects).toHaveLength(length);
    expect(machine.loops).toHaveLength(1);
  });

  it('remain attached while something refers to them', async () => {
    await frontend().start(request, signal);
    machine.endPod();
    const fails = async () => Promise.reject(new Error('no'));
    await frontend().detachLost(new Set(), fails, signal);
    expect(machine.loops).toHaveLength(1);
  });

  it('are detached when the processes are ended next, even while in use', async () => {
    await frontend().start(request, signal);
    machine.mounts.push({ device: '7:3', mountPoint: '/pods/data', fileSystem: 'xfs', root: '/' });
    const { length } = machine.effects;
    await detachMarked({ ...machine.deps, mark: 'other' }, letGo, signal);
    expect(machine.effects).toHaveLength(length);
    await detachMarked(machine.deps, letGo, signal);
    expect(machine.effects.slice(length)).toEqual(['let go pvc-1 /dev/loop3', 'detach /dev/loop3']);
  });
});
