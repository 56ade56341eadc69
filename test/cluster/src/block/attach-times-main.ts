/**
 * Measures the steps of an attach: `attach-times-main.ts <runs> [flag of Node] <instance manager>`. Uses a volume of 2 GiB on two instance
 * managers. Between attaches its replicas are closed in order, like those of a detached volume. Prints one line of JSON for each attach, in
 * ms.
 */
import { open } from 'node:fs/promises';
import { systemClock as clock } from '@lateen/kernel';
import { o } from './instance-manager-rig.ts';
import { type ManagedVolume, managedVolume, volume } from './instance-manager-volume.ts';

const bytes = 2 * 1024 ** 3;
const [runs = '1', ...program] = process.argv.slice(2);
const replicas = ['r-a', 'r-b'] as const;

async function attach(managed: ManagedVolume, generation: number): Promise<Record<string, number>> {
  const { nodes, ensureReplica, engineRequest, frontend } = managed;
  const steps: Record<string, number> = {};
  const timed = async <T>(step: string, act: () => Promise<T>): Promise<T> => {
    const beganMs = clock.monotonicMs();
    const made = await act();
    steps[step] = clock.monotonicMs() - beganMs;
    return made;
  };
  const mayCreate = generation === 1;
  // Each replica has its own manager, so both are requested at the same time.
  const addresses = await timed('replicas', () =>
    Promise.all(replicas.map((name, at) => ensureReplica(nodes[at] ?? nodes[0], name, { generation, mayCreate }))),
  );
  await timed('engine', () => nodes[0].host.ensureEngine(engineRequest(generation, addresses), o));
  const { endpoint = '' } = await timed('device', () => frontend(generation));
  await timed('first read', async () => {
    await using handle = await open(endpoint);
    await handle.read(Buffer.alloc(4096), 0, 4096, 0);
  });
  return steps;
}

async function detach({ nodes, stop }: ManagedVolume, generation: number): Promise<void> {
  await stop(nodes[0], 'frontend', volume.engine, generation);
  const { clean } = await stop(nodes[0], 'engine', volume.engine, generation);
  if (!clean) throw new Error('the engine did not end in order');
  for (const [at, name] of replicas.entries()) await stop(nodes[at] ?? nodes[0], 'replica', name, generation);
}

await using managed = await managedVolume(replicas, { bytes, program });
await Promise.all(managed.nodes.map((node) => node.start()));
await attach(managed, 1);
await detach(managed, 1);
for (let generation = 2; generation < 2 + Number(runs); generation++) {
  await managed.raise(generation);
  process.stdout.write(`${JSON.stringify(await attach(managed, generation))}\n`);
  await detach(managed, generation);
}
