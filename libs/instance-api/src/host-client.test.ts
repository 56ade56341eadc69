import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type HostApi,
  hostApi,
  hostError,
  hostSilentMs,
  type InstanceHost,
  type StartBackup,
} from '@lateen/block-engine';
import { makeService, serveUnix, type UnixServer } from '@lateen/grpc';
import { secretTest, silentLogger, systemClock } from '@lateen/kernel';
import { FakeClock, letWorkRun, recordingLog } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedHost, scriptedHost } from './conformance/scripted-host.ts';
import { InstanceManagerService } from './generated/instance.ts';
import { connectInstanceHostUnix, type HostClientOptions } from './host-client.ts';
import { hostHandlers } from './host-handlers.ts';
import { type InstanceServiceOptions, instanceService } from './instance-service.ts';

const never = { signal: new AbortController().signal };
const grow = { engine: 'v-e-0', generation: 3, sizeBytes: 1n };
let directory = '';
let server: UnixServer | undefined;
let scripted: ScriptedHost;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-host-'));
  scripted = scriptedHost();
});
afterEach(async () => {
  await server?.stop(0);
  await rm(directory, { recursive: true, force: true });
});

const endpoint = () => `unix://${join(directory, 'host.sock')}`;
async function serve(options: Partial<InstanceServiceOptions> = {}, client: Partial<HostClientOptions> = {}) {
  const stopping = new AbortController().signal;
  const service = instanceService(scripted, { log: silentLogger, clock: systemClock, stopping, ...options });
  server = await serveUnix(endpoint(), [service], systemClock);
  return connectInstanceHostUnix(endpoint(), { clock: systemClock, ...client });
}

describe('a host that is not reachable', () => {
  it('fails with HOST_UNREACHABLE, which can be retried, for calls and streams', async () => {
    using host = connectInstanceHostUnix(endpoint(), { clock: systemClock });
    const failure = { code: 'HOST_UNREACHABLE', retry: 'soon', message: expect.stringContaining(endpoint()) };
    await expect(host.info(never)).rejects.toMatchObject(failure);
    await expect(firstOf(host)).rejects.toMatchObject(failure);
  });

  it('fails with HOST_UNREACHABLE when it goes away during a call or a watch', async () => {
    using host = await serve();
    const begun = Promise.withResolvers<void>();
    scripted.answers = () => {
      begun.resolve();
      return new Promise(() => {});
    };
    scripted.events = async function* ({ signal }) {
      yield { type: 'synced' };
      await systemClock.sleep(60_000, signal);
    };
    const watch = host.watch(never)[Symbol.asyncIterator]();
    await watch.next();
    const next = expect(watch.next()).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
    const call = expect(host.engineGrow(grow, never)).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
    await begun.promise;
    await server?.stop(0);
    await Promise.all([next, call]);
  });

  it('ends a watch that is silent for too long, but not while heartbeats arrive', async () => {
    const clock = new FakeClock('2030-01-01T00:00:00Z');
    using host = await serve({}, { clock });
    const beats = [1, 2, 3];
    const gone = Promise.withResolvers<void>();
    const next = Promise.withResolvers<void>();
    let beat = next;
    scripted.events = async function* ({ signal }) {
      signal.addEventListener('abort', () => gone.resolve(), { once: true });
      for (const atMs of beats) {
        await beat.promise;
        beat = Promise.withResolvers();
        yield { type: 'heartbeat', atMs };
      }
      await systemClock.sleep(60_000, signal);
    };
    const watch = host.watch(never)[Symbol.asyncIterator]();
    for (const atMs of beats) {
      const coming = watch.next();
      await clock.advance(hostSilentMs - 1);
      beat.resolve();
      expect((await coming).value).toEqual({ type: 'heartbeat', atMs });
    }
    const silent = expect(watch.next()).rejects.toMatchObject({ code: 'HOST_UNREACHABLE', retry: 'soon' });
    await letWorkRun();
    await clock.advance(hostSilentMs);
    await silent;
    await gone.promise;
  });
});

describe('two releases', () => {
  const range = (min: number, max: number): HostApi => ({ min, max });
  it.each([
    ['an older manager', range(1, 2), range(3, 4)],
    ['a newer manager', range(3, 4), range(1, 2)],
  ])('%s without a common version reads and changes nothing', async (_who, manager, instanceManager) => {
    using host = await serve({ api: instanceManager }, { api: manager });
    scripted.answers = () => [
      { apiMin: instanceManager.min, apiMax: instanceManager.max, frontends: [], probes: [], disks: [] },
    ];
    scripted.events = async function* () {
      yield { type: 'synced' };
    };
    await expect(host.info(never)).resolves.toMatchObject({ apiMin: instanceManager.min });
    await expect(firstOf(host)).resolves.toEqual({ type: 'synced' });
    scripted.asked = [];
    const refused = { code: 'API_VERSION', retry: 'never', nextStep: expect.any(String) };
    await expect(host.engineGrow(grow, never)).rejects.toMatchObject(refused);
    await expect(host.stop({ kind: 'engine', name: 'v-e-0', generation: 1 }, never)).rejects.toMatchObject(refused);
    const sum = host.snapshotSum({ replica: 'r', snapshot: 's', layerAlone: true }, never)[Symbol.asyncIterator]();
    await expect(sum.next()).rejects.toMatchObject(refused);
    expect(scripted.asked).toEqual([]);
  });

  it('work together when they have a common version', async () => {
    using host = await serve({ api: range(1, 2) }, { api: range(2, 3) });
    await expect(host.engineGrow(grow, never)).resolves.toBeUndefined();
  });
});

describe('an instance manager older than a call', () => {
  it('returns API_VERSION for that call only', async () => {
    const { closeSnapshot: _, ...older } = InstanceManagerService;
    const { closeSnapshot: __, ...handlers } = hostHandlers(scripted, hostApi);
    const stopping = new AbortController().signal;
    const service = makeService(older, handlers, { log: silentLogger, clock: systemClock, stopping, errors: 'whole' });
    server = await serveUnix(endpoint(), [service], systemClock);
    using host = connectInstanceHostUnix(endpoint(), { clock: systemClock });
    const request = { replica: 'r', snapshot: 's', layerAlone: true, reader: 'a' };
    await expect(host.closeSnapshot(request, never)).rejects.toMatchObject({ code: 'API_VERSION' });
    await expect(host.engineGrow(grow, never)).resolves.toBeUndefined();
  });
});

describe('exclusive calls', () => {
  const promise = { replica: 'r-1', volumeUid: 'u', directory: '/d', generation: 2 };
  const ensure = {
    ...promise,
    name: 'r-1',
    volume: 'v',
    sizeBytes: 1n,
    mayCreate: false,
    rebuilding: false,
    compared: false,
  };

  it('on one replica: the second call returns ABORTED, and another replica is served', async () => {
    using host = await serve({ busyWaitMs: 20 });
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<readonly unknown[]>();
    scripted.answers = (name) => {
      if (name === 'promiseGeneration') return [{ promisedGeneration: 2 }];
      begun.resolve();
      return release.promise;
    };
    const ensuring = host.ensureReplica(ensure, never);
    await begun.promise;
    await expect(host.promiseGeneration(promise, never)).rejects.toMatchObject({ code: 'ABORTED', retry: 'soon' });
    await expect(host.promiseGeneration({ ...promise, replica: 'r-2' }, never)).resolves.toEqual({
      promisedGeneration: 2,
    });
    release.resolve([{ kind: 'replica', name: 'r-1', volume: 'v', generation: 2, state: 'running', uuid: 'u' }]);
    await expect(ensuring).resolves.toMatchObject({ state: 'running' });
    await expect(host.promiseGeneration(promise, never)).resolves.toEqual({ promisedGeneration: 2 });
  });

  it('do not include a rebuild: the engine can be stopped meanwhile', async () => {
    using host = await serve({ busyWaitMs: 20 });
    scripted.answers = (name, { signal }) =>
      name === 'stop' ? [{ clean: true }] : systemClock.sleep(60_000, signal).then(() => []);
    const replica = { replica: 'r-1', host: 'h', port: 1, local: false };
    const add = { engine: 'e', generation: 1, replica, managers: {}, fast: true, copiesAtOnce: 1 };
    const stop = new AbortController();
    const rebuilding = host.engineAddReplica(add, stop)[Symbol.asyncIterator]().next();
    await expect.poll(() => scripted.asked).toHaveLength(1);
    await expect(host.stop({ kind: 'engine', name: 'e', generation: 1 }, never)).resolves.toEqual({ clean: true });
    stop.abort(new Error('done'));
    await expect(rebuilding).rejects.toThrow('done');
  });
});

describe('credentials of a backup target', () => {
  const request: StartBackup = {
    backup: 'backup-1',
    volume: 'v',
    replica: 'r',
    snapshot: 's',
    mode: 'full',
    target: { url: 's3://b@r/', secret: { AWS_SECRET_ACCESS_KEY: 'hunter2-of-the-target' } },
    blockBytes: 2n,
    compression: 'lz4',
    labels: {},
    volumeFacts: {},
    workers: 1,
    detached: true,
  };

  it('appear in no log of either side, whether the call succeeds or fails', async () => {
    const log = recordingLog();
    using host = await serve({ log });
    const read = async () => host.startBackup(request, never)[Symbol.asyncIterator]().next();
    await read();
    scripted.answers = () => Promise.reject(hostError('NO_ROOM', 'no place is free'));
    await expect(read()).rejects.toMatchObject({ code: 'NO_ROOM' });
    expect(scripted.asked[0]?.request).toEqual(request);
    const logged = JSON.stringify(log.lines);
    expect(logged).toContain('AWS_SECRET_ACCESS_KEY');
    expect(logged).not.toContain('hunter2');
  });

  it('are the only secret fields in the proto file, with names that the logs redact', async () => {
    const proto = await readFile(new URL('../proto/instance.proto', import.meta.url), 'utf8');
    const marked = [...proto.matchAll(/(\w+) = \d+ \[debug_redact = true\]/g)].map(([, name]) => name ?? '');
    expect(marked).toEqual(['secret']);
    expect(marked.filter((name) => !secretTest()(name))).toEqual([]);
  });
});

async function firstOf(host: InstanceHost) {
  for await (const event of host.watch(never)) return event;
  return undefined;
}
