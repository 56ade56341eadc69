import { systemClock } from '@lateen/kernel';
import { seededRandom } from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';
import { runKills } from './kills/run-kills.ts';

/** `npm run kills` runs it longer, and also kills whole nodes. */
describe('movements whose movers, engines, pods and node-agents are killed', () => {
  let lateen: LateenUnderTest;
  beforeAll(async () => {
    lateen = await lateenUnderTest();
  });
  afterAll(() => lateen.kube.close());

  it('all complete with equal trees, and leave nothing', async () => {
    const said: string[] = [];
    const result = await runKills({
      ...lateen,
      clock: systemClock,
      random: seededRandom(3),
      nodes: ['node-1'],
      kills: 6,
      kinds: ['mover', 'engine', 'pod', 'agent-pod'],
      lanesPerNode: 2,
      say: (text) => said.push(text),
      signal: systemClock.deadline(500_000),
    }).catch((error: unknown) => {
      throw new Error(said.join('\n'), { cause: error });
    });
    expect(result.leftovers).toEqual([]);
    expect(result.rounds).toBeGreaterThanOrEqual(2);
    expect([...result.kills.values()].reduce((sum, each) => sum + each, 0)).toBe(6);
  });
});
