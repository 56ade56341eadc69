import { seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { planStorageKills, storageKillKinds } from '../storage-kills/kill-kinds.ts';
import { killTable } from '../storage-kills/kill-table.ts';
import { blockBytes, LedgerModel, ledgerBlockBytes, stampOf } from '../storage-kills/ledger-model.ts';

const written = (model: LedgerModel, block = 0) => {
  const stamp = model.begin(block);
  model.acknowledge(block, stamp);
  return stamp;
};

describe('the ledger', () => {
  it('reports a lost acknowledged write', () => {
    const model = new LedgerModel(2);
    const [first, second] = [written(model), written(model)];
    expect(model.read(0, second)).toBeUndefined();
    expect(model.read(0, first)).toContain(`should read the acknowledged write ${second}`);
    expect(model.read(0, 0)).toContain('reads write 0');
    expect(model.read(1, 0)).toBeUndefined();
    expect(model.acknowledged).toBe(2);
  });

  it('regards a write without acknowledgement as possible, and as done once it was read', () => {
    const model = new LedgerModel(1);
    const before = written(model);
    const [lost, there] = [model.begin(0), model.begin(0)];
    expect(model.read(0, there)).toBeUndefined();
    expect(model.read(0, before)).toContain('reads write');
    expect(model.read(0, lost)).toContain('reads write');
  });

  it('regards it as not done once the earlier content was read, or another write was acknowledged', () => {
    const model = new LedgerModel(1);
    const before = written(model);
    const unsure = model.begin(0);
    expect(model.read(0, before)).toBeUndefined();
    expect(model.read(0, unsure)).toContain('reads write');
    const early = model.begin(0);
    written(model);
    expect(model.read(0, early)).toContain('reads write');
  });

  it('reports content that was never written', () => {
    expect(new LedgerModel(1).read(0, undefined)).toContain('nobody has written');
  });
});

it.each([0, 1, 7, 123456])('block 3 of write %i is recognized, and no other content', (stamp) => {
  const bytes = blockBytes('run', 3, stamp);
  expect(bytes).toHaveLength(ledgerBlockBytes);
  expect(stampOf('run', 3, bytes)).toBe(stamp);
  if (stamp === 0) return;
  expect(stampOf('run', 4, bytes)).toBeUndefined();
  expect(stampOf('other', 3, bytes)).toBeUndefined();
  const torn = Buffer.concat([bytes.subarray(0, 512), blockBytes('run', 3, stamp + 1).subarray(512)]);
  expect(stampOf('run', 3, torn)).toBeUndefined();
});

it('the report lists each kill, and the median and longest time of each kind', () => {
  const rows = [12_000, 500, 3_000].map((healthyAfterMs) => ({
    kind: 'engine' as const,
    hit: 'pid 7',
    healthyAfterMs,
  }));
  expect(killTable([...rows, { kind: 'node', hit: 'node-1', healthyAfterMs: 60_500 }]).split('\n')).toEqual([
    'kill kind             seconds  hit',
    '   1 engine              12.0  pid 7',
    '   2 engine               0.5  pid 7',
    '   3 engine               3.0  pid 7',
    '   4 node                60.5  node-1',
    '',
    'kills of kind          middle longest',
    '   3 engine               3.0    12.0',
    '   1 node                60.5    60.5',
  ]);
});

it('the plan has the same kills for the same seed, each kind once before any is repeated', () => {
  const plan = (seed: number, kills: number) =>
    planStorageKills(seededRandom(seed), { kills, kinds: storageKillKinds });
  expect(plan(7, 40)).toEqual(plan(7, 40));
  expect(plan(8, 40)).not.toEqual(plan(7, 40));
  expect(new Set(plan(7, storageKillKinds.length).map(({ kind }) => kind))).toEqual(new Set(storageKillKinds));
  expect(plan(7, 40)).toHaveLength(40);
});
