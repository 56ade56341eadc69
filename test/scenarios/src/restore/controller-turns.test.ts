import { annotations, type RestoreSpec } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { restoreControllerWorlds } from './controller-worlds.ts';
import { scriptedEngine } from './scripted-engine.ts';

const worlds = restoreControllerWorlds();

async function held(concurrentRestores = 4) {
  const engine = scriptedEngine();
  engine.hold();
  const world = await worlds.running({ engine: engine.engine, restores: { concurrentRestores } });
  const make = (name: string, spec: Partial<RestoreSpec>) =>
    world.createRestore(name, { backupName: 'nightly', ...spec });
  const waitsFor = (name: string) => world.restore(name)?.metadata.annotations?.[annotations.waitsFor];
  return { engine, world, make, waitsFor };
}

describe('several restores', () => {
  it('run in parallel when they write to different namespaces', async () => {
    const { engine, make } = await held();
    await make('one', { includedNamespaces: ['shop'] });
    await make('two', { includedNamespaces: ['shop'], namespaceMapping: { shop: 'copy' } });
    await make('three', { includedNamespaces: ['bank'] });
    expect(engine.underWay()).toEqual(['one', 'three', 'two']);
  });

  it('wait for those that write to the same namespace, and name them', async () => {
    const { engine, world, make, waitsFor } = await held();
    await make('one', { includedNamespaces: ['shop'] });
    await make('two', { includedNamespaces: ['shop'] });
    expect(engine.underWay()).toEqual(['one']);
    expect(waitsFor('two')).toBe('one');
    expect(world.restoreEvents('two')).toEqual([
      {
        reason: 'Waiting',
        message: 'The restore waits for others that may write to the same objects: one',
        type: 'Normal',
      },
    ]);
    engine.letGo();
    await world.untilRestore('two', 'Completed');
    expect(waitsFor('two')).toBeUndefined();
    expect(engine.runs.map(({ restore }) => restore)).toEqual(['one', 'two']);
  });

  it('wait for the limit of concurrent restores, and say so', async () => {
    const { engine, world, make, waitsFor } = await held(1);
    await make('one', { includedNamespaces: ['shop'] });
    await make('two', { includedNamespaces: ['bank'] });
    expect(waitsFor('two')).toBe('one');
    expect(world.restoreEvents('two')[0]?.message).toContain('(--concurrent-restores): one');
    engine.letGo();
    await world.untilRestore('two', 'Completed');
  });

  it('do not wait for one that is not valid', async () => {
    const { engine, world, make } = await held();
    await make('wrong', { includedNamespaces: ['shop'], existingResourcePolicy: 'sometimes' });
    await make('right', { includedNamespaces: ['shop'] });
    expect(world.restore('wrong')?.status?.phase).toBe('FailedValidation');
    expect(engine.underWay()).toEqual(['right']);
  });

  it('created at the same moment run one by one when they overlap, each once', async () => {
    const engine = scriptedEngine();
    const world = worlds.empty(engine);
    await world.backedUp();
    const names = Array.from({ length: 12 }, (_, at) => `r${String(at).padStart(2, '0')}`);
    for (const name of names) await world.createRestore(name);
    world.startRestores();
    await world.untilTrue(() => names.every((name) => world.restore(name)?.status?.phase === 'Completed'));
    expect(engine.runs.map(({ restore }) => restore)).toEqual(names);
  });

  it('do not delay plans', async () => {
    const { engine, make } = await held();
    await make('one', {});
    await make('plan', { dryRun: true });
    expect(engine.underWay()).toEqual(['one', 'plan']);
  });
});
