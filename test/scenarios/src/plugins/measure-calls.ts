import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RestoreActionContext, RestoreItemAction } from '@lateen/item-actions';
import { eachAtOnce, silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { handshakeEnvironment } from '@lateen/plugin-protocol';
import { markProgram, pluginWorld } from '@lateen/test-plugins';
import { fakeCluster } from '@lateen/testing';

/*
 * For the benchmark of plugins: `node measure-calls.ts <calls>`. Calls an action of a program, and the same action in this process, for an
 * item of about 1 KiB; starts a program by a host and alone. Prints one line of JSON.
 */
const calls = Number(process.argv[2] ?? '10000');
const startsOfEach = 9;
const { signal } = new AbortController();
const item = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'measured', labels: { app: 'measured' } },
  data: { text: 'x'.repeat(900) },
};
const identity = { name: 'measured', namespace: 'velero', uid: 'u' };
const context: RestoreActionContext = {
  restore: { apiVersion: 'velero.io/v1', kind: 'Restore', metadata: identity, spec: { backupName: 'b' } },
  backup: { apiVersion: 'velero.io/v1', kind: 'Backup', metadata: { ...identity, name: 'b' }, spec: {} },
  kube: fakeCluster({ clock: systemClock, random: systemRandom }),
  clock: systemClock,
  random: systemRandom,
  log: silentLogger,
  veleroNamespace: 'velero',
  dryRun: false,
  mappedNamespace: (namespace) => namespace,
  archived: async () => undefined,
  podVolumeBackups: async () => [],
  noteVolume: () => {},
};
const inside: Pick<RestoreItemAction, 'execute'> = {
  execute: async ({ item: before }) => {
    const copy = structuredClone(before);
    copy.metadata.annotations = { ...copy.metadata.annotations, 'fixture.lateen.dev/mark': 'yes' };
    return { updatedItem: copy };
  },
};

/** Milliseconds of each call, one after the other. */
async function timesOf(action: Pick<RestoreItemAction, 'execute'>, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < count; call++) {
    const startedMs = systemClock.monotonicMs();
    await action.execute({ item, itemFromBackup: item }, context, signal);
    times.push(systemClock.monotonicMs() - startedMs);
  }
  return times.sort((a, b) => a - b);
}

/** From the start of the program to its handshake. */
async function startAloneMs(program: string): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'lateen-plugin-start-'));
  try {
    const startedMs = systemClock.monotonicMs();
    const child = spawn(program, [], {
      env: { ...process.env, ...handshakeEnvironment(directory) },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout, 'data');
    const ms = systemClock.monotonicMs() - startedMs;
    child.kill('SIGKILL');
    await once(child, 'exit');
    return ms;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const middle = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;

let program = '';
await using world = await pluginWorld(
  async (plugins) => {
    await mkdir(plugins, { recursive: true });
    program = await markProgram(plugins);
  },
  { log: silentLogger },
);
const [action] = world.host.actions().restore;
if (action === undefined) throw new Error('the program offers no action');
await timesOf(action, 200);
const [own, outside] = [await timesOf(inside, calls), await timesOf(action, calls)];
const startedMs = systemClock.monotonicMs();
await eachAtOnce(Array(calls).fill(item), 32, async () => {
  await action.execute({ item, itemFromBackup: item }, context, signal);
});
const atOncePerSecond = calls / ((systemClock.monotonicMs() - startedMs) / 1_000);
const starts: { byHost: number[]; alone: number[] } = { byHost: [], alone: [] };
for (let start = 0; start < startsOfEach; start++) {
  starts.alone.push(await startAloneMs(program));
  // Starts each program to ask what it offers, and ends it.
  const beganMs = systemClock.monotonicMs();
  await world.host.start(signal);
  starts.byHost.push(systemClock.monotonicMs() - beganMs);
}
console.log(
  JSON.stringify({
    calls,
    insideMs: middle(own),
    outsideMs: middle(outside),
    p99Ms: outside[Math.floor(outside.length * 0.99)],
    atOncePerSecond,
    startByHostMs: middle(starts.byHost.sort((a, b) => a - b)),
    startAloneMs: middle(starts.alone.sort((a, b) => a - b)),
  }),
);
