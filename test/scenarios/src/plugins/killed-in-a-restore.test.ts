import { configMapType } from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import { anItem, pluginWorld, typescriptProgram } from '@lateen/test-plugins';
import { fakeCluster, recordingLog } from '@lateen/testing';
import { expect, it } from 'vitest';
import { discoveryOf } from '../backup/discovery-of.ts';
import { restoreRun } from '../restore/measure/restore-run.ts';
import { backedUp } from '../restore/restore-world.ts';
import { pidsOf } from './pids-of.ts';

it('a restore continues when a plugin program is killed, and names the item that kills it twice', async () => {
  const objects = Array.from({ length: 60 }, (_, at) => anItem({ annotate: { done: `${at}` } }, `item-${at}`));
  const stored = await backedUp([...objects, anItem({ crash: 'the cache is broken' }, 'deadly')]);
  await using world = await pluginWorld(typescriptProgram);
  const cluster = fakeCluster({ clock: systemClock, strict: true });
  const killed: number[] = [];
  let created = 0;
  cluster.intercept(async ({ verb, key }, next) => {
    if (verb === 'create' && key.namespace === 'shop') created += 1;
    if (created === 20 && killed.length === 0) {
      killed.push(...(await pidsOf(world.folder)));
      for (const pid of killed) process.kill(pid, 'SIGKILL');
    }
    return await next();
  });
  const log = recordingLog();
  const archive = async function* () {
    yield* stored.archive;
  };
  const { restore } = world.host.actions();
  const parts = { kube: cluster, discovery: discoveryOf(cluster), parallel: 16, dryRun: false, actions: restore, log };
  const { outcome } = await restoreRun({ ...parts, archive: archive() }, new AbortController().signal);

  expect(killed.length).toBeGreaterThan(0);
  const acts = new Map([...outcome.items].map(({ name, act }) => [name, act]));
  expect([...acts].filter(([, act]) => act !== 'create')).toEqual([['deadly', 'fail']]);
  const errors = log.lines.filter(({ level }) => level === 'error');
  expect(errors).toHaveLength(1);
  expect(JSON.stringify(errors)).toContain('deadly');
  expect(
    JSON.stringify(errors, (_, value) => (value instanceof Error ? `${value.message} ${value.cause}` : value)),
  ).toContain('ended during Execute, and again');
  for (const [at] of objects.entries()) {
    const made = await cluster.get(configMapType, { namespace: 'shop', name: `item-${at}` });
    expect(made.metadata.annotations?.done).toBe(`${at}`);
  }
});
