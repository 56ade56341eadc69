import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RoleRig, startRoleRig, takesRoles } from '../roles/role-rig.ts';

let rig: RoleRig;

describe.skipIf(!takesRoles)('keys of a role that expire while an engine works', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    rig = await startRoleRig();
  }, 900_000);
  afterAll(() => rig?.[Symbol.asyncDispose]());

  it.each([
    ['kopia', 'serviceAccount'],
    ['kopia', 'podIdentity'],
    ['restic', 'node'],
  ] as const)('are replaced by %s: %s', async (engine, source) => {
    const { engines, issued, roundTrip, disclosed } = await rig.engines(rig.sources[source]);
    await engines[engine].initialise();
    // The first write is answered when its keys have expired, and from then on the store rejects them.
    Object.assign(rig.aws, { lifeMs: 5_000, holdWrites: 1 });
    expect(await roundTrip(engine, 'longer than the keys')).toBe('longer than the keys');
    const all = issued();
    const over = all.findIndex(({ isOver }) => isOver);
    expect(over).toBeGreaterThan(0);
    expect(all.filter(({ isOver }) => isOver)).toHaveLength(1);
    expect(all[over + 1]?.uses).toBeGreaterThan(0);
    // A request in progress at that moment may be rejected; it is retried.
    expect(rig.aws.refusals.filter((why) => why !== 's3: keys that are over')).toEqual([]);
    expect(disclosed()).toEqual([]);
  });
});
